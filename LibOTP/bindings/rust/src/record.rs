//! What records are made from, and what they answer.

use crate::ffi::{sys, text, Bytes};
use crate::{Algorithm, Cause, Reason, RecordKind, UnixTime};
use std::fmt;

/// The kind of factor to enroll.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Factor {
    /// Time-based codes.
    Totp {
        /// The length of a step in seconds, 1 or more.
        period: i64,
        /// The Unix time at which step 0 begins.
        t0: i64,
        /// For a factor from another system: the step that was accepted there last.
        after: Option<u64>,
    },
    /// Counter-based codes.
    Hotp {
        /// The first counter whose code is accepted.
        counter: u64,
    },
}

impl Factor {
    /// Steps of 30 seconds from 1970.
    pub const TOTP: Self = Self::Totp { period: 30, t0: 0, after: None };
}

/// What to enroll. By default a new TOTP secret for SHA-1, six digits and 30 seconds, which every app supports.
#[derive(Clone, Copy)]
pub struct Enrollment<'a> {
    /// The kind of factor.
    pub factor: Factor,
    /// The hash function.
    pub algorithm: Algorithm,
    /// 6 to 8.
    pub digits: u32,
    /// 1 to 1,024 bytes; `None` for a new random secret.
    pub secret: Option<&'a [u8]>,
    /// Whether the factor was confirmed elsewhere, such as one that is imported.
    pub is_confirmed: bool,
    /// The subject's record that this one replaces; empty if there is none. Its failures stay counted until a code
    /// confirms the new one (100 or more not if `is_confirmed`), and what was spent stays spent.
    pub previous: &'a [u8],
    /// Whether to replace a factor that works; otherwise, an active one is [`Error::Enrolled`](crate::Error::Enrolled).
    pub replace: bool,
}

impl Default for Enrollment<'_> {
    fn default() -> Self {
        let (algorithm, factor) = (Algorithm::Sha1, Factor::TOTP);
        Self { factor, algorithm, digits: 6, secret: None, is_confirmed: false, previous: &[], replace: false }
    }
}

impl<'a> From<&Enrollment<'a>> for sys::Enrollment<'a> {
    fn from(what: &Enrollment<'a>) -> Self {
        let mut given = Self {
            hash: what.algorithm as _,
            digits: what.digits,
            secret: what.secret.map_or(Bytes::NONE, Bytes::from),
            is_confirmed: what.is_confirmed.into(),
            replace: what.replace.into(),
            ..Self::INIT
        };
        match what.factor {
            Factor::Totp { period, t0, after } => {
                (given.period, given.t0) = (period, t0);
                (given.has_after, given.after) = (after.is_some().into(), after.unwrap_or(0));
            }
            Factor::Hotp { counter } => (given.r#type, given.counter) = (sys::HOTP, counter),
        }
        given
    }
}

/// The outcome of what a user submitted.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[must_use]
pub enum Outcome {
    /// Give every client the same answer, whatever the reason.
    Rejected(Reason),
    /// The code is right, and spent: let the user in, once the record is replaced.
    Accepted {
        /// The step (TOTP), the counter (HOTP), or the number of the recovery code.
        step: u64,
    },
    /// The code is right, and has confirmed the enrollment. It does not sign the user in.
    Enrolled {
        /// The step or counter, which is spent.
        step: u64,
    },
    /// Nothing was looked at: it is too early after earlier failures.
    Wait {
        /// When an attempt will be looked at again.
        until: UnixTime,
    },
    /// Nothing was looked at: there were too many failures.
    Locked {
        /// When an attempt will be looked at again; `None` if only `unlock` helps or, after 100 failures, a new
        /// enrollment.
        until: Option<UnixTime>,
    },
}

/// An answer, which means something only once its record has replaced the one that it was computed from.
#[derive(Clone, Eq, PartialEq)]
#[must_use]
pub struct Answer {
    /// What to answer.
    pub outcome: Outcome,
    /// The new record; `None` if it is the one that was read, so that nothing need be written.
    pub record: Option<Vec<u8>>,
    /// How many steps the user's clock is ahead, as far as that is known.
    pub drift: i64,
}

impl Answer {
    pub(crate) fn of(found: &sys::Answer, record: Vec<u8>) -> Self {
        let until = some(found.has_until, UnixTime(found.until));
        let outcome = match (found.kind, until) {
            (sys::ANSWER_ACCEPTED, _) => Outcome::Accepted { step: found.step },
            (sys::ANSWER_ENROLLED, _) => Outcome::Enrolled { step: found.step },
            (sys::ANSWER_WAIT, Some(until)) => Outcome::Wait { until },
            (sys::ANSWER_WAIT | sys::ANSWER_LOCKED, until) => Outcome::Locked { until },
            // otp.h: treat an unknown one as rejected.
            _ => Outcome::Rejected(found.reason.into()),
        };
        Self { outcome, record: some(found.changed, record), drift: found.drift }
    }
}

/// A value that C marks as set or not.
fn some<T>(is_set: i32, value: T) -> Option<T> {
    (is_set != 0).then_some(value)
}

impl fmt::Debug for Answer {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "<otp::Answer {:?}>", self.outcome)
    }
}

/// How the user's app computes the code that it showed, if not as it was enrolled.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Diagnosis {
    /// The hash function.
    pub algorithm: Algorithm,
    /// How many digits its codes have.
    pub digits: u32,
    /// TOTP: the length of its steps in seconds.
    pub period: i64,
    /// TOTP: how many seconds its clock is ahead; negative if it is late.
    pub clock_offset: i64,
    /// HOTP: how many codes the token is ahead.
    pub counter_offset: i64,
}

impl Diagnosis {
    /// `None` if nothing was found, or an algorithm that the crate has no words for.
    pub(crate) fn of(found: &sys::Diagnosis) -> Option<Self> {
        Algorithm::from_number(found.hash).filter(|_| found.found == 1).map(|algorithm| Self {
            algorithm,
            digits: found.digits,
            period: found.period,
            clock_offset: found.clock_offset,
            counter_offset: found.counter_offset,
        })
    }
}

/// What a code is to a record, for an administrator.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The likeliest cause.
    pub cause: Cause,
    /// The code's step, its counter (HOTP), or the number of the recovery code; `None` if it was not found.
    pub step: Option<u64>,
    /// How many steps it is after the server's, or counters after the next expected one.
    pub offset: i64,
    /// One in this many wrong codes would be explained like this, by accident; 0 for recovery codes.
    pub odds: u64,
    /// How the user's app computes codes, and how many codes or seconds it is ahead, if the code was found; `None` for
    /// recovery codes.
    pub app: Option<Diagnosis>,
    /// [`Outcome::Wait`] or [`Outcome::Locked`] if failures keep any code from being accepted.
    pub refusal: Option<Outcome>,
    /// Whether the factor stays locked until a new enrollment.
    pub needs_enrollment: bool,
    /// When the app shows the first code that was not spent after a loss; `None` if it shows one already.
    pub loss_end: Option<UnixTime>,
}

impl From<sys::Explanation> for Explanation {
    fn from(found: sys::Explanation) -> Self {
        let refused =
            sys::Answer { kind: found.refusal, has_until: found.has_until, until: found.until, ..sys::Answer::INIT };
        let app = sys::Diagnosis {
            found: (found.odds != 0).into(),
            hash: found.hash,
            digits: found.digits,
            period: found.period,
            clock_offset: found.clock_offset,
            counter_offset: if found.period == 0 { found.offset } else { 0 },
            ..sys::Diagnosis::INIT
        };
        Self {
            cause: found.cause.into(),
            step: some(found.found, found.step),
            offset: found.offset,
            odds: found.odds,
            app: Diagnosis::of(&app),
            refusal: Some(Answer::of(&refused, Vec::new()).outcome)
                .filter(|refusal| !matches!(refusal, Outcome::Rejected(_))),
            needs_enrollment: found.needs_enrollment == 1,
            loss_end: some(found.has_loss_end, UnixTime(found.loss_end)),
        }
    }
}

/// What an operator may see of a record: never its secret.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Details {
    /// What kind of factor it is of.
    pub kind: RecordKind,
    /// Whether the enrollment is still to be confirmed.
    pub is_pending: bool,
    /// TOTP and HOTP: the hash function.
    pub algorithm: Option<Algorithm>,
    /// TOTP and HOTP: how many digits its codes have.
    pub digits: u32,
    /// TOTP: the length of a step in seconds.
    pub period: i64,
    /// TOTP: the Unix time at which step 0 begins.
    pub t0: i64,
    /// Whether the secret is shorter than 16 bytes (RFC 4226, section 4, R6).
    pub has_weak_secret: bool,
    /// The last step or counter that was accepted or spent.
    pub last_accepted: Option<u64>,
    /// TOTP: how many steps the user's clock is ahead.
    pub drift: i64,
    /// How many attempts have failed since the last success.
    pub failures: u64,
    /// How many attempts have ever succeeded.
    pub acceptances: u64,
    /// When the enrollment was confirmed or, if it is pending, began.
    pub enrollment_time: UnixTime,
    /// When an attempt was counted last.
    pub last_attempt_time: Option<UnixTime>,
    /// Recovery codes: the numbers of the unused ones, from 1.
    pub unused_codes: Vec<u32>,
    /// The name of the key that sealed it; empty if it is not sealed.
    pub key_name: String,
}

impl From<sys::RecordDetails> for Details {
    fn from(found: sys::RecordDetails) -> Self {
        let kind = found.kind.into();
        Self {
            kind,
            is_pending: found.is_pending == 1,
            algorithm: Algorithm::from_number(found.hash).filter(|_| kind != RecordKind::RecoveryCodes),
            digits: found.digits,
            period: found.period,
            t0: found.t0,
            has_weak_secret: found.has_weak_secret == 1,
            last_accepted: some(found.has_last_accepted, found.last_accepted),
            drift: found.drift,
            failures: found.failures,
            acceptances: found.acceptances,
            enrollment_time: UnixTime(found.enrollment_time),
            last_attempt_time: some(found.has_last_attempt, UnixTime(found.last_attempt_time)),
            unused_codes: (1..=32).filter(|number| found.unused_codes >> (number - 1) & 1 == 1).collect(),
            key_name: text(&found.key_name),
        }
    }
}
