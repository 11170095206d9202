//! Keyrings and records.

use super::sys_records::{self as records, RECORD_MAX, RECOVERY_CODE_LENGTH};
use super::texts::secret_text;
use super::{answers::details, check, sys, wipe, Texts};
use crate::{Algorithm, Answer, Details, Diagnosis, Enrollment, Error, Factor, NamedKey, Policy, SecretText, UnixTime};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{null, null_mut, NonNull};

/// An `otp_keyring` of our own.
pub struct KeyringHandle(NonNull<sys::Keyring>);

// SAFETY: otp.h: any number of threads may use a keyring at once, and any one may destroy it. It is destroyed only by
// `drop`, when it is no longer in use.
unsafe impl Send for KeyringHandle {}
// SAFETY: as above.
unsafe impl Sync for KeyringHandle {}

impl Drop for KeyringHandle {
    fn drop(&mut self) {
        // SAFETY: the keyring is ours, and this is its last use.
        unsafe { records::otp_keyring_destroy(self.0.as_ptr()) }
    }
}

/// Calls a function of otp.h that begins with keyring, subject and record.
macro_rules! on_record {
    ($function:path, $self:ident, $subject:ident, $record:ident $(, $argument:expr)*) => {{
        let (subject, length) = ($subject.as_ptr().cast(), $subject.len());
        $function($self.0.as_ptr(), subject, length, $record.as_ptr(), $record.len() $(, $argument)*)
    }};
}

/// The record that a function writes.
fn written(write: impl FnOnce(*mut u8, &mut usize) -> sys::Status) -> Result<Vec<u8>, Error> {
    let mut out = [0; RECORD_MAX];
    let mut length = out.len();
    let status = write(out.as_mut_ptr(), &mut length);
    let record = check(status).map(|()| out[..length].to_vec());
    // A keyring that does not seal has left the secret there.
    wipe(&mut out);
    record
}

/// The answer that a function gives, with its record.
fn answered(answer: impl FnOnce(*mut u8, &mut usize, &mut records::Answer) -> sys::Status) -> Result<Answer, Error> {
    let mut found = records::Answer::INIT;
    let record = written(|out, size| answer(out, size, &mut found))?;
    Ok(found.with(record))
}

impl KeyringHandle {
    pub fn new(keys: &[NamedKey<'_>]) -> Result<Self, Error> {
        let given: Vec<records::NamedKey> = keys
            .iter()
            .map(|key| records::NamedKey {
                name: key.name.as_ptr().cast(),
                name_len: key.name.len(),
                key: key.key.as_ptr(),
                key_len: key.key.len(),
                ..records::NamedKey::INIT
            })
            .collect();
        // The library reads the first key's size before it looks at their number.
        let first = if given.is_empty() { null() } else { given.as_ptr() };
        // SAFETY: there are as many keys as it says, and names and keys have the given lengths.
        Self::created(|out| unsafe { records::otp_keyring_create(first, given.len(), out) })
    }

    pub fn open(path: &Path) -> Result<Self, Error> {
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::InvalidArgument)?;
        // SAFETY: the path ends with a NUL.
        Self::created(|out| unsafe { records::otp_keyring_open(path.as_ptr(), out) })
    }

    pub fn unsealed() -> Result<Self, Error> {
        // SAFETY: `out` is valid.
        Self::created(|out| unsafe { records::otp_keyring_create_unsealed(out) })
    }

    fn created(create: impl FnOnce(&mut *mut sys::Keyring) -> sys::Status) -> Result<Self, Error> {
        let mut keyring = null_mut();
        check(create(&mut keyring))?;
        NonNull::new(keyring).map(Self).ok_or(Error::InvalidArgument)
    }

    pub fn enroll(&self, subject: &[u8], what: &Enrollment<'_>, now: UnixTime) -> Result<Vec<u8>, Error> {
        let mut given = records::Enrollment::INIT;
        match what.factor {
            Factor::Totp { period, t0, after } => {
                (given.period, given.t0) = (period, t0);
                (given.has_after, given.after) = (after.is_some().into(), after.unwrap_or(0));
            }
            Factor::Hotp { counter } => (given.r#type, given.counter) = (2, counter),
        }
        (given.hash, given.digits, given.is_confirmed) = (what.algorithm as _, what.digits, what.is_confirmed.into());
        if let Some(secret) = what.secret {
            (given.secret, given.secret_len) = (secret.as_ptr(), secret.len());
        }
        let (name, length) = (subject.as_ptr().cast(), subject.len());
        let (old, old_length) = (what.previous.as_ptr(), what.previous.len());
        // SAFETY: the lengths are those of slices that outlive the call, and `written` gives as much room as it says.
        written(|out, size| unsafe {
            records::otp_record_enroll(self.0.as_ptr(), name, length, &given, old, old_length, now.0, out, size)
        })
    }

    pub fn recovery_codes(
        &self,
        subject: &[u8],
        count: usize,
        now: UnixTime,
    ) -> Result<(Vec<u8>, Vec<SecretText>), Error> {
        const STRIDE: usize = RECOVERY_CODE_LENGTH + 1;
        let mut codes = [0_u8; 20 * STRIDE];
        let (name, length, room) = (subject.as_ptr().cast(), subject.len(), codes.len());
        // SAFETY: as in `enroll`; the library refuses to make more than the 20 codes for which there is room.
        let record = written(|out, size| unsafe {
            let texts = codes.as_mut_ptr().cast();
            records::otp_record_recovery_codes(self.0.as_ptr(), name, length, count, now.0, texts, room, out, size)
        });
        let texts = codes.chunks(STRIDE).take(count).map(|code| secret_text(code.to_vec(), RECOVERY_CODE_LENGTH));
        let made = record.and_then(|record| Ok((record, texts.collect::<Result<_, _>>()?)));
        wipe(&mut codes);
        made
    }

    pub fn uri(&self, subject: &[u8], record: &[u8], issuer: &str, account: &str) -> Result<SecretText, Error> {
        let mut out = vec![0_u8; sys::URI_MAX + 1];
        let mut size = out.len();
        let (issuer, issuer_length) = (issuer.as_ptr().cast(), issuer.len());
        let (account, account_length) = (account.as_ptr().cast(), account.len());
        let room = out.as_mut_ptr().cast();
        let function = records::otp_record_uri;
        // SAFETY: as in `enroll`.
        check(unsafe {
            on_record!(function, self, subject, record, issuer, issuer_length, account, account_length, room, &mut size)
        })?;
        secret_text(out, size)
    }

    pub fn confirm(
        &self,
        subject: &[u8],
        record: &[u8],
        typed: &str,
        now: UnixTime,
        policy: &Policy,
    ) -> Result<Answer, Error> {
        let (text, count, policy) = (typed.as_ptr().cast(), typed.len(), policy.into());
        let function = records::otp_record_confirm;
        // SAFETY: as in `enroll`.
        answered(|out, size, answer| unsafe {
            on_record!(function, self, subject, record, text, count, now.0, &policy, out, size, answer)
        })
    }

    pub fn verify(
        &self,
        subject: &[u8],
        record: &[u8],
        typed: &str,
        now: UnixTime,
        policy: &Policy,
    ) -> Result<Answer, Error> {
        let (text, count, policy) = (typed.as_ptr().cast(), typed.len(), policy.into());
        let function = records::otp_record_verify;
        // SAFETY: as in `enroll`.
        answered(|out, size, answer| unsafe {
            on_record!(function, self, subject, record, text, count, now.0, &policy, out, size, answer)
        })
    }

    pub fn resynchronize(
        &self,
        subject: &[u8],
        record: &[u8],
        codes: &[&str],
        now: UnixTime,
        policy: &Policy,
    ) -> Result<Answer, Error> {
        let texts = Texts::new(codes);
        let pointers = texts.pointers();
        let (first, count, policy) = (pointers.as_ptr(), pointers.len(), policy.into());
        let function = records::otp_record_resynchronize;
        // SAFETY: as in `enroll`; `texts` outlives the call.
        answered(|out, size, answer| unsafe {
            on_record!(function, self, subject, record, first, count, now.0, &policy, out, size, answer)
        })
    }

    pub fn diagnose(
        &self,
        subject: &[u8],
        record: &[u8],
        typed: &str,
        now: UnixTime,
    ) -> Result<Option<Diagnosis>, Error> {
        let mut found = records::Diagnosis::INIT;
        let (text, count) = (typed.as_ptr().cast(), typed.len());
        let function = records::otp_record_diagnose;
        // SAFETY: as in `enroll`; `found` has the size that it says.
        check(unsafe { on_record!(function, self, subject, record, text, count, now.0, &mut found) })?;
        // With an algorithm that a later version of the library has added, the crate has no words for it.
        Ok(Algorithm::from_number(found.hash).filter(|_| found.found == 1).map(|algorithm| Diagnosis {
            algorithm,
            digits: found.digits,
            period: found.period,
            clock_offset: found.clock_offset,
            counter_offset: found.counter_offset,
        }))
    }

    pub fn unlock(&self, subject: &[u8], record: &[u8], now: UnixTime) -> Result<Vec<u8>, Error> {
        // SAFETY: as in `enroll`.
        written(|out, size| unsafe { on_record!(records::otp_record_unlock, self, subject, record, now.0, out, size) })
    }

    pub fn reseal(&self, subject: &[u8], record: &[u8]) -> Result<Vec<u8>, Error> {
        // SAFETY: as in `enroll`.
        written(|out, size| unsafe { on_record!(records::otp_record_reseal, self, subject, record, out, size) })
    }

    pub fn spend(&self, subject: &[u8], record: &[u8], until: UnixTime, policy: &Policy) -> Result<Vec<u8>, Error> {
        let policy = policy.into();
        // SAFETY: as in `enroll`.
        written(|out, size| unsafe {
            on_record!(records::otp_record_spend, self, subject, record, until.0, &policy, out, size)
        })
    }

    pub fn info(&self, subject: &[u8], record: &[u8]) -> Result<Details, Error> {
        let mut found = records::Details::INIT;
        // SAFETY: as in `enroll`; `found` has the size that it says.
        check(unsafe { on_record!(records::otp_record_info, self, subject, record, &mut found) })?;
        Ok(details(&found))
    }
}
