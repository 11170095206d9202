//! Keys, codes and verification.

use super::{check, sys, text, Texts};
use crate::{Algorithm, Backend, Error, Request, Secret, Totp, UnixTime, Verification, Window};
use std::os::raw::c_char;
use std::ptr::{null_mut, NonNull};

/// An `otp_key` of our own.
pub struct KeyHandle(NonNull<sys::Key>);

// SAFETY: otp.h, Threads: any number of threads can use a key at once, and any one may destroy it. It is destroyed only
// by `drop`, when it is no longer in use.
unsafe impl Send for KeyHandle {}
// SAFETY: as above.
unsafe impl Sync for KeyHandle {}

impl Drop for KeyHandle {
    fn drop(&mut self) {
        // SAFETY: the key is ours, and this is its last use.
        unsafe { sys::otp_key_destroy(self.0.as_ptr()) }
    }
}

impl From<Totp> for sys::TotpParams {
    fn from(how: Totp) -> Self {
        Self { size: std::mem::size_of::<Self>(), digits: how.digits, period: how.period, t0: how.t0 }
    }
}

impl From<Window> for sys::Window {
    fn from(window: Window) -> Self {
        Self {
            size: std::mem::size_of::<Self>(),
            behind: window.behind,
            ahead: window.ahead,
            has_after: window.after.is_some().into(),
            after: window.after.unwrap_or(0),
        }
    }
}

impl From<sys::Match> for Verification {
    fn from(found: sys::Match) -> Self {
        match found.result {
            1 => Self::Accepted { step: found.step, offset: found.offset },
            2 => Self::Replayed,
            _ => Self::Rejected,
        }
    }
}

/// What a function finds that writes a match.
fn verification(verify: impl FnOnce(&mut sys::Match) -> sys::Status) -> Result<Verification, Error> {
    let mut out = sys::Match::INIT;
    check(verify(&mut out))?;
    Ok(out.into())
}

/// The code that a function writes.
fn code(write: impl FnOnce(*mut c_char) -> sys::Status) -> Result<String, Error> {
    let mut out: [c_char; 9] = [0; 9];
    check(write(out.as_mut_ptr()))?;
    Ok(text(&out))
}

impl KeyHandle {
    pub fn new(backend: Backend, algorithm: Algorithm, secret: &[u8]) -> Result<Self, Error> {
        Self::created(|out| {
            // SAFETY: the secret has the given length, and `out` is valid.
            unsafe {
                sys::otp_key_create_with_backend(backend as _, algorithm as _, secret.as_ptr(), secret.len(), out)
            }
        })
    }

    pub fn from_base32(algorithm: Algorithm, text: &str) -> Result<Self, Error> {
        Self::created(|out| {
            // SAFETY: the text has the given length, and `out` is valid.
            unsafe { sys::otp_key_create_base32(algorithm as _, text.as_ptr().cast(), text.len(), out) }
        })
    }

    fn created(create: impl FnOnce(&mut *mut sys::Key) -> sys::Status) -> Result<Self, Error> {
        let mut key = null_mut();
        check(create(&mut key))?;
        NonNull::new(key).map(Self).ok_or(Error::InvalidArgument)
    }

    pub fn hotp(&self, counter: u64, digits: u32) -> Result<String, Error> {
        // SAFETY: the key is alive, and there is room for nine characters.
        code(|out| unsafe { sys::otp_hotp(self.0.as_ptr(), counter, digits, out) })
    }

    pub fn totp(&self, time: UnixTime, how: Totp) -> Result<String, Error> {
        // SAFETY: the key is alive, the parameters live through the call, and there is room for nine characters.
        code(|out| unsafe { sys::otp_totp(self.0.as_ptr(), time.0, &how.into(), out) })
    }

    pub fn totp_verify(&self, code: &str, time: UnixTime, how: Totp, window: Window) -> Result<Verification, Error> {
        verification(|out| {
            let (how, window) = (how.into(), window.into());
            // SAFETY: the key is alive, the code has the given length, and the structures have the sizes that they say.
            unsafe {
                sys::otp_totp_verify(self.0.as_ptr(), code.as_ptr().cast(), code.len(), time.0, &how, &window, out)
            }
        })
    }

    pub fn hotp_verify(&self, code: &str, counter: u64, digits: u32, look_ahead: u32) -> Result<Verification, Error> {
        verification(|out| {
            let (text, length) = (code.as_ptr().cast(), code.len());
            // SAFETY: the key is alive, the code has the given length, and `out` the size that it says.
            unsafe { sys::otp_hotp_verify(self.0.as_ptr(), text, length, counter, digits, look_ahead, out) }
        })
    }

    pub fn hotp_resynchronize(
        &self,
        codes: &[&str],
        counter: u64,
        digits: u32,
        look_ahead: u32,
    ) -> Result<Verification, Error> {
        let texts = Texts::new(codes);
        let pointers = texts.pointers();
        verification(|out| {
            let (first, count) = (pointers.as_ptr(), pointers.len());
            // SAFETY: the key is alive; `texts` outlives the call, and there are `count` of them.
            unsafe { sys::otp_hotp_resynchronize(self.0.as_ptr(), first, count, counter, digits, look_ahead, out) }
        })
    }
}

pub fn totp_verify_secret(
    algorithm: Algorithm,
    secret: &[u8],
    code: &str,
    time: UnixTime,
    how: Totp,
    window: Window,
) -> Result<Verification, Error> {
    verification(|out| {
        let (bytes, length, text) = (secret.as_ptr(), secret.len(), code.as_ptr().cast());
        let (hash, how, window) = (algorithm as _, how.into(), window.into());
        // SAFETY: secret and code have the given lengths, and the structures the sizes that they say.
        unsafe { sys::otp_totp_verify_secret(hash, bytes, length, text, code.len(), time.0, &how, &window, out) }
    })
}

pub fn verify_batch(requests: &[Request<'_>]) -> Result<Vec<Result<Verification, Error>>, Error> {
    // What the requests point to. Its addresses do not change: nothing is added below.
    let kept: Vec<(sys::TotpParams, sys::Window)> = requests
        .iter()
        .map(|request| match *request {
            Request::Totp { how, window, .. } => (how.into(), window.into()),
            Request::Hotp { .. } => (Totp::default().into(), Window::default().into()),
        })
        .collect();
    let asked: Vec<sys::Request> = requests.iter().zip(&kept).map(|(request, kept)| asked(request, kept)).collect();
    let mut found = vec![sys::Match::INIT; requests.len()];
    // SAFETY: there are as many requests as results; their keys, codes and structures outlive the call.
    check(unsafe { sys::otp_verify_batch(asked.as_ptr(), asked.len(), found.as_mut_ptr()) })?;
    Ok(found.into_iter().map(|found| check(found.status).map(|()| found.into())).collect())
}

fn asked(request: &Request<'_>, (how, window): &(sys::TotpParams, sys::Window)) -> sys::Request {
    let (key, code) = match *request {
        Request::Totp { key, code, .. } | Request::Hotp { key, code, .. } => (key, code),
    };
    let mut asked = sys::Request::INIT;
    asked.key = key.handle.0.as_ptr();
    (asked.code, asked.code_len) = (code.as_ptr().cast(), code.len());
    match *request {
        Request::Totp { time, .. } => {
            asked.r#type = 1;
            asked.unix_time = time.0;
            asked.params = how;
            asked.window = window;
        }
        Request::Hotp { counter, digits, look_ahead, .. } => {
            asked.r#type = 2;
            asked.counter = counter;
            asked.digits = digits;
            asked.look_ahead = look_ahead;
        }
    }
    asked
}

pub fn read_typed(typed: &str, digits: u32) -> Result<String, Error> {
    // SAFETY: the text has the given length, and there is room for nine characters.
    code(|out| unsafe { sys::otp_code_read_typed(typed.as_ptr().cast(), typed.len(), digits, out) })
}

pub fn generate_secret(algorithm: Algorithm) -> Result<Secret, Error> {
    let mut secret = vec![0; 64];
    let mut length = secret.len();
    // SAFETY: there is room for as many bytes as `length` says.
    check(unsafe { sys::otp_secret_generate(algorithm as _, secret.as_mut_ptr(), &mut length) })?;
    secret.truncate(length);
    Ok(secret.into())
}
