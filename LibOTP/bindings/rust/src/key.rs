use crate::ffi::{sys, Owned, Text};
use crate::{Algorithm, Backend, Error, Secret, Totp, UnixTime, Window};
use std::ffi::CStr;

impl Algorithm {
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        [Self::Sha1, Self::Sha256, Self::Sha512].into_iter().find(|&algorithm| algorithm as u32 == number)
    }
}

/// The result of verifying a code.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[must_use]
pub enum Verification {
    /// The code is wrong or malformed.
    Rejected,
    /// The code is right.
    Accepted {
        /// The time step (TOTP) or counter (HOTP) whose code it is. Store it before you act on it.
        step: u64,
        /// How far that is from the current step (-10 to 10) or expected counter (0 to 1002).
        offset: i64,
    },
    /// The code belongs to a step at or before the last accepted one, and to no later step of the window.
    Replayed,
}

impl From<sys::Match> for Verification {
    fn from(found: sys::Match) -> Self {
        match found.result {
            sys::ACCEPTED => Self::Accepted { step: found.step, offset: found.offset },
            sys::REPLAYED => Self::Replayed,
            _ => Self::Rejected,
        }
    }
}

/// A secret prepared for HMAC, which is wiped when it is dropped. Creating one costs as much as a few codes: keep it
/// while it is in use.
///
/// Any number of threads can use one. It is not `Clone`:
///
/// ```compile_fail,E0277
/// fn clone<T: Clone>() {}
/// clone::<otp::Key>();
/// ```
pub struct Key {
    pub(crate) handle: Owned<sys::Key>,
}

impl Key {
    /// Prepares a secret of 1 byte or more, which is copied.
    pub fn new(algorithm: Algorithm, secret: &[u8]) -> Result<Self, Error> {
        Self::with_backend(Backend::Standard, algorithm, secret)
    }

    /// The same with a given backend.
    pub fn with_backend(backend: Backend, algorithm: Algorithm, secret: &[u8]) -> Result<Self, Error> {
        Ok(Self { handle: sys::key_create_with_backend(backend, algorithm, secret)? })
    }

    /// Prepares the secret that a base32 text encodes, as people type it: see [`decode`](crate::base32::decode).
    pub fn from_base32(algorithm: Algorithm, text: &str) -> Result<Self, Error> {
        Ok(Self { handle: sys::key_create_base32(algorithm, text.as_bytes())? })
    }

    /// The code of a counter (RFC 4226, section 5), with 6 to 8 digits.
    pub fn hotp(&self, counter: u64, digits: u32) -> Result<String, Error> {
        sys::hotp(&self.handle, counter, digits)
    }

    /// The code at a time (RFC 6238, section 4), which must not be before t0.
    pub fn totp(&self, time: impl Into<UnixTime>, how: Totp) -> Result<String, Error> {
        sys::totp(&self.handle, time.into().0, &how.into())
    }

    /// Verifies a code over a window of steps (RFC 6238, section 5.2): `otp_totp_verify()`.
    ///
    /// * `code`: exactly as many ASCII digits as `how` says, else it is rejected; [`read_typed`] reads other forms.
    /// * `window`: to accept each code at most once, store the step that was accepted and pass it as `after` the next
    ///   time, and do so atomically: two simultaneous requests must not both find the old value.
    pub fn verify_totp(
        &self, code: &str, time: impl Into<UnixTime>, how: Totp, window: Window,
    ) -> Result<Verification, Error> {
        Ok(sys::totp_verify(&self.handle, code.as_bytes(), time.into().0, &how.into(), &window.into())?.into())
    }

    /// Verifies with a secret that is used for nothing else, such as one just read from a store: without a key and
    /// without allocating memory.
    pub fn verify_totp_secret(
        algorithm: Algorithm, secret: &[u8], code: &str, time: impl Into<UnixTime>, how: Totp, window: Window,
    ) -> Result<Verification, Error> {
        let (code, time) = (code.as_bytes(), time.into().0);
        Ok(sys::totp_verify_secret(algorithm, secret, code, time, &how.into(), &window.into())?.into())
    }

    /// Verifies a code against a counter and the next `look_ahead` ones, 0 to 1000 (RFC 4226, section 7.4):
    /// `otp_hotp_verify()`. Store the accepted counter plus 1 as the next one.
    pub fn verify_hotp(&self, code: &str, counter: u64, digits: u32, look_ahead: u32) -> Result<Verification, Error> {
        Ok(sys::hotp_verify(&self.handle, code.as_bytes(), counter, digits, look_ahead)?.into())
    }

    /// Resynchronizes a token that has run ahead, by two or three codes in a row (RFC 4226, section 7.4 and Appendix
    /// E.3), of which the first must be within the look-ahead. The step is the counter of the last code.
    pub fn resynchronize_hotp(
        &self, codes: &[&str], counter: u64, digits: u32, look_ahead: u32,
    ) -> Result<Verification, Error> {
        with_texts(codes, |codes| sys::hotp_resynchronize(&self.handle, codes, counter, digits, look_ahead))
            .map(Verification::from)
    }
}

/// Calls with copies that each end with a NUL, and wipes them. One that has a NUL within, at which C would stop,
/// becomes empty: no code either.
pub(crate) fn with_texts<T>(codes: &[&str], call: impl FnOnce(&[Text<'_>]) -> T) -> T {
    let codes: Vec<Secret> = codes.iter().map(|code| Secret([code.as_bytes(), b"\0"].concat())).collect();
    let texts = codes.iter().map(|code| Text::from(CStr::from_bytes_with_nul(code).unwrap_or_default()));
    call(&texts.collect::<Vec<_>>())
}

/// Reads a code as a person types it, and returns the 6 to 8 digits that verification requires.
///
/// See `otp_code_read_typed()`. To [`Error::MalformedCode`] the client gets the same answer as to a wrong code.
///
/// ```
/// assert_eq!(otp::read_typed(" 287-082\n", 6)?, "287082");
/// assert_eq!(otp::read_typed("28708", 6), Err(otp::Error::MalformedCode));
/// # Ok::<(), otp::Error>(())
/// ```
pub fn read_typed(typed: &str, digits: u32) -> Result<String, Error> {
    sys::code_read_typed(typed.as_bytes(), digits)
}
