//! From and to the structures of records.

use super::sys_records as records;
use super::text;
use crate::{Algorithm, Answer, Details, Outcome, Policy, Reason, RecordKind, UnixTime};

impl From<&Policy> for records::Policy {
    fn from(policy: &Policy) -> Self {
        Self {
            size: std::mem::size_of::<Self>(),
            adjacent_intervals: policy.adjacent_intervals,
            drift_limit: policy.drift_limit,
            resynchronization_steps: policy.resynchronization_steps,
            look_ahead: policy.look_ahead,
            resynchronization_look_ahead: policy.resynchronization_look_ahead,
            failures_until_lock: policy.failures_until_lock,
            lock_seconds: policy.lock_seconds,
            first_delayed_failure: policy.first_delayed_failure,
            initial_delay_seconds: policy.initial_delay_seconds,
        }
    }
}

impl records::Answer {
    pub fn with(&self, record: Vec<u8>) -> Answer {
        let until = some(self.has_until, UnixTime(self.until));
        let outcome = match (self.kind, until) {
            (1, _) => Outcome::Accepted { step: self.step },
            (2, _) => Outcome::Enrolled { step: self.step },
            (3, Some(until)) => Outcome::Wait { until },
            (3 | 4, until) => Outcome::Locked { until },
            // otp.h: treat an unknown one as rejected.
            _ => Outcome::Rejected(reason(self.reason)),
        };
        Answer { outcome, record: some(self.changed, record), drift: self.drift }
    }
}

fn reason(number: u32) -> Reason {
    match number {
        1 => Reason::Malformed,
        2 => Reason::Wrong,
        3 => Reason::Replayed,
        4 => Reason::Late,
        5 => Reason::Early,
        6 => Reason::Pending,
        7 => Reason::Confirmed,
        8 => Reason::Disabled,
        9 => Reason::UsedUp,
        other => Reason::Other(other),
    }
}

pub fn details(found: &records::Details) -> Details {
    let kind = match found.kind {
        1 => RecordKind::Totp,
        2 => RecordKind::Hotp,
        3 => RecordKind::RecoveryCodes,
        other => RecordKind::Other(other),
    };
    Details {
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

/// A value that C marks as set or not.
fn some<T>(is_set: i32, value: T) -> Option<T> {
    if is_set == 0 {
        None
    } else {
        Some(value)
    }
}
