use crate::ffi::{self, sys, Bytes, Owned, Text};
use crate::key::with_texts;
use crate::{Answer, Details, Diagnosis, Enrollment, Error, Explanation, Policy, SecretText, UnixTime};
use std::os::unix::ffi::OsStrExt;
use std::{ffi::CString, path::Path};

/// A key of a keyring. `Debug` does not show it.
#[derive(Clone, Copy)]
pub struct NamedKey<'a> {
    /// 1 to 32 characters of A-Z, a-z, 0-9, '.', '_' and '-', never used for another key.
    pub name: &'a str,
    /// 32 random bytes.
    pub key: &'a [u8],
}

/// Keys that seal records, which are wiped when it is dropped. Any number of threads can use one.
///
/// A record is all that a server must remember about one factor, sealed by a keyring and bound to its subject, for one
/// column of a table that you already have. There is one rule, the same for every outcome, language and database:
/// replace the record that you read with the one that you got, if it is still there; answer only if that succeeded;
/// otherwise read again ([`replace_under`]).
///
/// ```sql
/// UPDATE users SET otp = $new WHERE id = $id AND otp = $old
/// ```
///
/// Each method is a function of otp.h, which describes it and its arguments: `verify` is `otp_record_verify()`. An
/// error is the server's failure, never a wrong code; nothing was accepted then.
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
pub struct Keyring {
    handle: Owned<sys::Keyring>,
}

fn c_path(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::InvalidArgument)
}

/// The record that a function writes.
fn written(write: impl FnOnce(&mut [u8]) -> Result<usize, Error>) -> Result<Vec<u8>, Error> {
    let mut out = [0; sys::RECORD_MAX];
    let record = write(&mut out).map(|length| out[..length].to_vec());
    // A keyring that does not seal has left the secret there.
    ffi::wipe(&mut out);
    record
}

/// The answer that a function gives, with its record.
fn answered(answer: impl FnOnce(&mut [u8], &mut sys::Answer) -> Result<usize, Error>) -> Result<Answer, Error> {
    let mut found = sys::Answer::INIT;
    let record = written(|out| answer(out, &mut found))?;
    Ok(Answer::of(&found, record))
}

impl Keyring {
    /// Makes a keyring of 1 to 64 keys that are kept elsewhere. The first seals; the others open what they sealed while
    /// they were the first. They are copied.
    pub fn new(keys: &[NamedKey<'_>]) -> Result<Self, Error> {
        let given = keys.iter().map(|key| sys::NamedKey {
            name: Bytes::from(key.name.as_bytes()),
            key: Bytes::from(key.key),
            ..sys::NamedKey::INIT
        });
        Ok(Self { handle: sys::keyring_create(&given.collect::<Vec<_>>())? })
    }

    /// Reads a keyring from a file that [`create_file`](Self::create_file) or `otp keyring new` has written, of which
    /// others may read nothing. It is read once: open it again after a rotation.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self { handle: sys::keyring_open(Text::from(&*c_path(path.as_ref())?))? })
    }

    /// Writes a new keyring's file, as `otp keyring new` does: once, never at a server's start, since new keys open no
    /// old record. An existing file is [`Error::KeyringExists`].
    pub fn create_file(path: impl AsRef<Path>) -> Result<(), Error> {
        sys::keyring_create_file(Text::from(&*c_path(path.as_ref())?))
    }

    /// Makes a keyring that seals NOTHING: its records are their plain bytes, secret included. For a caller that
    /// encrypts and authenticates each record by other means, bound to its user.
    pub fn unsealed() -> Result<Self, Error> {
        Ok(Self { handle: sys::keyring_create_unsealed()? })
    }

    /// Enrolls a factor: makes a new record, pending until [`confirm`](Self::confirm).
    pub fn enroll(
        &self, subject: impl AsRef<[u8]>, what: &Enrollment<'_>, now: impl Into<UnixTime>,
    ) -> Result<Vec<u8>, Error> {
        let (subject, now) = (subject.as_ref(), now.into().0);
        written(|out| sys::record_enroll(&self.handle, subject, &what.into(), what.previous, now, out))
    }

    /// Makes a record of 1 to 20 new recovery codes, each for one use, and returns them: show them once, with their
    /// numbers from 1. They need no confirmation. `previous` is the record of the codes that they replace, whose
    /// failures stay counted; empty if there is none.
    pub fn recovery_codes(
        &self, subject: impl AsRef<[u8]>, count: usize, previous: &[u8], now: impl Into<UnixTime>,
    ) -> Result<(Vec<u8>, Vec<SecretText>), Error> {
        const STRIDE: usize = sys::RECOVERY_CODE_LENGTH + 1;
        // The library refuses to make more than there is room for.
        let mut codes = [0; 20 * STRIDE];
        let (subject, now) = (subject.as_ref(), now.into().0);
        let record =
            written(|out| sys::record_recovery_codes(&self.handle, subject, count, previous, now, &mut codes, out));
        let text = |code: &[u8]| String::from_utf8_lossy(&code[..STRIDE - 1]).into_owned().into();
        let texts = codes.chunks(STRIDE).take(count).map(text).collect();
        ffi::wipe(&mut codes);
        Ok((record?, texts))
    }

    /// Writes the `otpauth://` URI of a pending record, secret included: show it only to the user who enrolls.
    pub fn uri(
        &self, subject: impl AsRef<[u8]>, record: &[u8], issuer: &str, account: &str,
    ) -> Result<SecretText, Error> {
        let (subject, issuer, account) = (subject.as_ref(), issuer.as_bytes(), account.as_bytes());
        SecretText::written(sys::URI_MAX, |out| sys::record_uri(&self.handle, subject, record, issuer, account, out))
    }

    /// Confirms the enrollment of a pending record by a code, which is spent. A failure is not counted: the user has
    /// been shown the secret.
    pub fn confirm(
        &self, subject: impl AsRef<[u8]>, record: &[u8], typed: &str, now: impl Into<UnixTime>, policy: &Policy,
    ) -> Result<Answer, Error> {
        let (subject, typed, now, policy) = (subject.as_ref(), typed.as_bytes(), now.into().0, (*policy).into());
        answered(|out, answer| sys::record_confirm(&self.handle, subject, record, typed, now, &policy, out, answer))
    }

    /// Verifies what a user typed to sign in: counts the attempt, checks the code, spends it. A pending record signs no
    /// user in.
    pub fn verify(
        &self, subject: impl AsRef<[u8]>, record: &[u8], typed: &str, now: impl Into<UnixTime>, policy: &Policy,
    ) -> Result<Answer, Error> {
        let (subject, typed, now, policy) = (subject.as_ref(), typed.as_bytes(), now.into().0, (*policy).into());
        answered(|out, answer| sys::record_verify(&self.handle, subject, record, typed, now, &policy, out, answer))
    }

    /// Verifies two or three consecutive codes, as one attempt, of a factor whose counter has run ahead or whose clock
    /// has drifted. From then on, a single code is enough.
    pub fn resynchronize(
        &self, subject: impl AsRef<[u8]>, record: &[u8], codes: &[&str], now: impl Into<UnixTime>, policy: &Policy,
    ) -> Result<Answer, Error> {
        let (subject, now, policy) = (subject.as_ref(), now.into().0, (*policy).into());
        with_texts(codes, |codes| {
            answered(|out, answer| {
                sys::record_resynchronize(&self.handle, subject, record, codes, now, &policy, out, answer)
            })
        })
    }

    /// Explains a code that does not confirm a pending record; `None` if nothing does. For the operator, never for the
    /// client.
    pub fn diagnose(
        &self, subject: impl AsRef<[u8]>, record: &[u8], typed: &str, now: impl Into<UnixTime>,
    ) -> Result<Option<Diagnosis>, Error> {
        let found = sys::record_diagnose(&self.handle, subject.as_ref(), record, typed.as_bytes(), now.into().0)?;
        Ok(Diagnosis::of(&found))
    }

    /// Explains to an administrator, never to the client, why a code is not accepted, of a confirmed record too. It
    /// counts no attempt.
    pub fn explain(
        &self, subject: impl AsRef<[u8]>, record: &[u8], typed: &str, now: impl Into<UnixTime>, policy: &Policy,
    ) -> Result<Explanation, Error> {
        let (subject, typed, now, policy) = (subject.as_ref(), typed.as_bytes(), now.into().0, (*policy).into());
        Ok(sys::record_explain(&self.handle, subject, record, typed, now, &policy)?.into())
    }

    /// Clears the failures, which ends a delay or lock: for an administrator who has verified who is asking.
    pub fn unlock(&self, subject: impl AsRef<[u8]>, record: &[u8], now: impl Into<UnixTime>) -> Result<Vec<u8>, Error> {
        written(|out| sys::record_unlock(&self.handle, subject.as_ref(), record, now.into().0, out))
    }

    /// Spends each TOTP code that may have been accepted up to a moment: after a backup was restored.
    pub fn spend(
        &self, subject: impl AsRef<[u8]>, record: &[u8], until: impl Into<UnixTime>, policy: &Policy,
    ) -> Result<Vec<u8>, Error> {
        let (subject, until, policy) = (subject.as_ref(), until.into().0, (*policy).into());
        written(|out| sys::record_spend(&self.handle, subject, record, until, &policy, out))
    }

    /// Seals a record again if another key than the keyring's first one has sealed it: before the old key is removed.
    pub fn reseal(&self, subject: impl AsRef<[u8]>, record: &[u8]) -> Result<Vec<u8>, Error> {
        written(|out| sys::record_reseal(&self.handle, subject.as_ref(), record, out))
    }

    /// Describes a record, without its secret.
    pub fn info(&self, subject: impl AsRef<[u8]>, record: &[u8]) -> Result<Details, Error> {
        Ok(sys::record_info(&self.handle, subject.as_ref(), record)?.into())
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
    mut read: impl FnMut() -> Result<Vec<u8>, E>, mut answer: impl FnMut(&[u8]) -> Result<(Option<Vec<u8>>, T), E>,
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
