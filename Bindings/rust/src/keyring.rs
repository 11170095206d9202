use crate::{ffi, Answer, Details, Diagnosis, Enrollment, Error, Policy, SecretText, UnixTime};
use std::{fmt, path::Path};

/// A key of a keyring. `Debug` does not show it.
#[derive(Clone, Copy)]
pub struct NamedKey<'a> {
    /// 1 to 32 characters of A-Z, a-z, 0-9, '.', '_' and '-', never used for another key.
    pub name: &'a str,
    /// 32 random bytes.
    pub key: &'a [u8],
}

impl fmt::Debug for NamedKey<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("<otp::NamedKey>")
    }
}

/// Keys that seal records, which are wiped when it is dropped. Any number of threads can use one.
///
/// A record is all that a server must remember about one factor: the secret, what was accepted last, the failed
/// attempts. It is sealed by a keyring and bound to its subject. Keep it in one column of a table that you already
/// have: some 170 bytes, at most 1,536. There is one rule, the same for every outcome, language and database: replace
/// the record that you read with the one that you got, if it is still there; answer only if that succeeded; otherwise
/// read again ([`replace_under`]).
///
/// ```sql
/// UPDATE users SET otp = $new WHERE id = $id AND otp = $old
/// ```
///
/// In what follows, `subject` says whose factor it is: 1 to 1,024 bytes of any kind, such as "user 42". A record opens
/// only for the same subject. `record` is what you read, `typed` what the user typed, as
/// [`read_typed`](crate::read_typed) reads it, and `now` the server's time, from 2000 to 2199; the record's own time
/// never runs backward.
///
/// ```
/// use otp::{Enrollment, Keyring, NamedKey, Outcome, Policy, Reason};
///
/// let keyring = Keyring::new(&[NamedKey { name: "2026-11", key: &[7; 32] }])?; // or Keyring::open("keyring")
/// let imported = Enrollment { secret: Some(b"12345678901234567890"), is_confirmed: true, ..Enrollment::default() };
/// let record = keyring.enroll("user 42", &imported, 1111111109)?;
///
/// let answer = keyring.verify("user 42", &record, "081 804", 1111111109, &Policy::default())?;
/// assert_eq!(answer.outcome, Outcome::Accepted { step: 37037036 });
/// // Replace the record, and then let the user in.
/// let record = answer.record.unwrap();
/// let again = keyring.verify("user 42", &record, "081 804", 1111111109, &Policy::default())?;
/// assert_eq!(again.outcome, Outcome::Rejected(Reason::Replayed));
/// # Ok::<(), otp::Error>(())
/// ```
///
/// Apart from what a function lists, those that read a record can fail with [`Error::MalformedRecord`],
/// [`Error::LaterRecord`], [`Error::WrongEncoding`], [`Error::AnotherSubject`], [`Error::UnknownKey`],
/// [`Error::NotAuthentic`], [`Error::InvalidSubject`], [`Error::RandomnessUnavailable`],
/// [`Error::CryptographyFailed`] (the server's failure, never a wrong code), [`Error::InvalidTime`] and, for a policy
/// or another number that is out of range, [`Error::InvalidArgument`]. Nothing was accepted then.
pub struct Keyring {
    handle: ffi::KeyringHandle,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("<otp::Keyring>")
    }
}

impl Keyring {
    /// Makes a keyring of 1 to 64 keys that are kept elsewhere. The first seals; the others open what they sealed while
    /// they were the first. They are copied.
    ///
    /// Fails with [`Error::InvalidKeyName`], [`Error::InvalidKey`], [`Error::DuplicateKeyName`] or
    /// [`Error::InvalidArgument`] (no key, or too many).
    pub fn new(keys: &[NamedKey<'_>]) -> Result<Self, Error> {
        Ok(Self { handle: ffi::KeyringHandle::new(keys)? })
    }

    /// Reads a keyring from a file that `otp keyring new` has written, of which others may read nothing. It is read
    /// once: open it again after a rotation.
    ///
    /// Fails with [`Error::KeyringUnreadable`], [`Error::KeyringReadableByOthers`], [`Error::KeyringMalformed`] or
    /// [`Error::KeyringCorrupt`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self { handle: ffi::KeyringHandle::open(path.as_ref())? })
    }

    /// Makes a keyring that seals NOTHING: its records are their plain bytes, secret included. For a caller that
    /// encrypts and authenticates each record by other means, bound to its user.
    pub fn unsealed() -> Result<Self, Error> {
        Ok(Self { handle: ffi::KeyringHandle::unsealed()? })
    }

    /// Enrolls a factor: makes a new record, pending until [`confirm`](Self::confirm).
    ///
    /// Also fails with [`Error::EmptySecret`], [`Error::InvalidDigits`], [`Error::InvalidPeriod`] or
    /// [`Error::InvalidSecret`].
    pub fn enroll(
        &self,
        subject: impl AsRef<[u8]>,
        enrollment: &Enrollment<'_>,
        now: impl Into<UnixTime>,
    ) -> Result<Vec<u8>, Error> {
        self.handle.enroll(subject.as_ref(), enrollment, now.into())
    }

    /// Makes a record of 1 to 20 new recovery codes of 120 bits, each for one use, and returns them: show them once,
    /// with their numbers from 1. They need no confirmation.
    pub fn recovery_codes(
        &self,
        subject: impl AsRef<[u8]>,
        count: usize,
        now: impl Into<UnixTime>,
    ) -> Result<(Vec<u8>, Vec<SecretText>), Error> {
        self.handle.recovery_codes(subject.as_ref(), count, now.into())
    }

    /// Writes the `otpauth://` URI of a pending record, secret included: show it only to the user who enrolls.
    ///
    /// Also fails with [`Error::NotPending`], [`Error::AnotherKind`] (recovery codes) or [`Error::InvalidName`].
    pub fn uri(
        &self,
        subject: impl AsRef<[u8]>,
        record: &[u8],
        issuer: &str,
        account: &str,
    ) -> Result<SecretText, Error> {
        self.handle.uri(subject.as_ref(), record, issuer, account)
    }

    /// Confirms the enrollment of a pending record by a code, which is spent. A failure is not counted: the user has
    /// been shown the secret.
    pub fn confirm(
        &self,
        subject: impl AsRef<[u8]>,
        record: &[u8],
        typed: &str,
        now: impl Into<UnixTime>,
        policy: &Policy,
    ) -> Result<Answer, Error> {
        self.handle.confirm(subject.as_ref(), record, typed, now.into(), policy)
    }

    /// Verifies what a user typed to sign in: counts the attempt, checks the code, spends it. A pending record signs no
    /// user in.
    pub fn verify(
        &self,
        subject: impl AsRef<[u8]>,
        record: &[u8],
        typed: &str,
        now: impl Into<UnixTime>,
        policy: &Policy,
    ) -> Result<Answer, Error> {
        self.handle.verify(subject.as_ref(), record, typed, now.into(), policy)
    }

    /// Verifies two or three consecutive codes, as one attempt, of a factor whose counter has run ahead (RFC 4226,
    /// section 7.4) or whose clock has drifted (RFC 6238, section 6). From then on, a single code is enough.
    ///
    /// Also fails with [`Error::AnotherKind`] (recovery codes).
    pub fn resynchronize(
        &self,
        subject: impl AsRef<[u8]>,
        record: &[u8],
        codes: &[&str],
        now: impl Into<UnixTime>,
        policy: &Policy,
    ) -> Result<Answer, Error> {
        self.handle.resynchronize(subject.as_ref(), record, codes, now.into(), policy)
    }

    /// Explains a code that does not confirm a pending record: an app that computes with another hash, digits or
    /// period, or a clock that is up to 12 hours off; `None` if nothing does. For the operator, never for the client.
    /// With six digits, one wrong code in 75 is explained by accident.
    ///
    /// Also fails with [`Error::NotPending`] or [`Error::AnotherKind`] (recovery codes).
    pub fn diagnose(
        &self,
        subject: impl AsRef<[u8]>,
        record: &[u8],
        typed: &str,
        now: impl Into<UnixTime>,
    ) -> Result<Option<Diagnosis>, Error> {
        self.handle.diagnose(subject.as_ref(), record, typed, now.into())
    }

    /// Clears the failures, which ends a delay or lock: for an administrator who has verified who is asking. A latest
    /// attempt after `now`, which only a wrong clock can have dated, is forgotten. After 100 failures the record stays
    /// as it is: only a new enrollment helps.
    pub fn unlock(&self, subject: impl AsRef<[u8]>, record: &[u8], now: impl Into<UnixTime>) -> Result<Vec<u8>, Error> {
        self.handle.unlock(subject.as_ref(), record, now.into())
    }

    /// Spends each TOTP code that may have been accepted up to a moment, with the record of it lost: after a backup was
    /// restored. Users wait for their app's next unspent code, uncounted. Other records do not change. Idempotent.
    ///
    /// `until`: the latest moment at which a server can have accepted a code, by the fastest of their clocks.
    pub fn spend(
        &self,
        subject: impl AsRef<[u8]>,
        record: &[u8],
        until: impl Into<UnixTime>,
        policy: &Policy,
    ) -> Result<Vec<u8>, Error> {
        self.handle.spend(subject.as_ref(), record, until.into(), policy)
    }

    /// Seals a record again if another key than the keyring's first one has sealed it; otherwise it stays as it is.
    /// After a rotation, before the old key is removed: every use does it, too.
    pub fn reseal(&self, subject: impl AsRef<[u8]>, record: &[u8]) -> Result<Vec<u8>, Error> {
        self.handle.reseal(subject.as_ref(), record)
    }

    /// Describes a record, without its secret.
    pub fn info(&self, subject: impl AsRef<[u8]>, record: &[u8]) -> Result<Details, Error> {
        self.handle.info(subject.as_ref(), record)
    }
}

/// The one rule: returns an answer whose record has replaced the one that it was computed from.
///
/// * `read` reads the column;
/// * `answer` computes from the record what to answer, and the new record; `None` if it stays as it is;
/// * `replace` takes the old and the new record, and says whether the old one was still there and is replaced, durably.
///
/// Returns [`Error::InvalidArgument`] if `replace` refuses sixteen times what `read` returns: it can never succeed, as
/// with a column that is NULL or, in SQLite, text.
///
/// ```
/// # use otp::{replace_under, Enrollment, Error, Keyring, NamedKey, Outcome, Policy, Reason};
/// # use std::sync::Mutex;
/// # let keyring = Keyring::new(&[NamedKey { name: "2026-11", key: &[7; 32] }])?;
/// let column = Mutex::new(keyring.enroll("user 42", &Enrollment::default(), 1111111109)?);
/// let outcome = replace_under(
///     || Ok(column.lock().unwrap().clone()),
///     |record| {
///         let answer = keyring.verify("user 42", record, "081804", 1111111109, &Policy::default())?;
///         Ok((answer.record, answer.outcome))
///     },
///     |old, new| {
///         let mut column = column.lock().unwrap();
///         let is_there = *column == old;
///         if is_there {
///             *column = new.to_vec();
///         }
///         Ok::<_, Error>(is_there)
///     },
/// )?;
/// assert_eq!(outcome, Outcome::Rejected(Reason::Pending));
/// # Ok::<(), Error>(())
/// ```
pub fn replace_under<T, E: From<Error>>(
    mut read: impl FnMut() -> Result<Vec<u8>, E>,
    mut answer: impl FnMut(&[u8]) -> Result<(Option<Vec<u8>>, T), E>,
    mut replace: impl FnMut(&[u8], &[u8]) -> Result<bool, E>,
) -> Result<T, E> {
    let (mut last, mut refused) = (None, 0);
    while refused < 16 {
        let old = read()?;
        let (new, found) = answer(&old)?;
        match new {
            Some(new) if !replace(&old, &new)? => {}
            _ => return Ok(found),
        }
        refused = if last.as_ref() == Some(&old) { refused + 1 } else { 1 };
        last = Some(old);
    }
    Err(Error::InvalidArgument.into())
}
