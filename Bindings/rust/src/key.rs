use crate::{ffi, Error, UnixTime};
use std::fmt;

/// A hash function for HMAC (RFC 6238, section 1.2). Authenticator apps expect SHA-1.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Algorithm {
    /// SHA-1, which every app supports.
    #[default]
    Sha1 = 1,
    /// SHA-256.
    Sha256 = 2,
    /// SHA-512.
    Sha512 = 3,
}

impl Algorithm {
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        [Self::Sha1, Self::Sha256, Self::Sha512].into_iter().find(|&algorithm| algorithm as u32 == number)
    }
}

/// An implementation of HMAC.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Backend {
    /// The fastest one that passes its known-answer test, or the one that the variable `OTP_BACKEND` names.
    #[default]
    Standard = 0,
    /// OpenSSL's EVP_MAC: the only one that honors OpenSSL's providers. A process bound to FIPS 140 must use it.
    Evp = 1,
    /// Midstates finished by OpenSSL's block transforms, which bypass its providers.
    Midstate = 2,
    /// Midstates finished by the library's own kernels, or, for a single code, by OpenSSL's block transforms.
    Lanes = 3,
}

/// How TOTP counts time and writes codes: by default six digits, 30 seconds, from 1970.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Totp {
    /// How many digits a code has: 6 to 8.
    pub digits: u32,
    /// The length of a step in seconds, 1 or more.
    pub period: i64,
    /// The Unix time at which step 0 begins.
    pub t0: i64,
}

impl Default for Totp {
    fn default() -> Self {
        Self { digits: 6, period: 30, t0: 0 }
    }
}

/// The steps to accept besides the current one, and the last accepted step. By default one step on each side, and
/// nothing accepted before.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Window {
    /// Steps before the current one, 0 to 10.
    pub behind: u32,
    /// Steps after the current one, 0 to 10.
    pub ahead: u32,
    /// The step of the last acceptance with this secret, if there is one. Neither it nor any earlier step is accepted
    /// again.
    pub after: Option<u64>,
}

impl Default for Window {
    fn default() -> Self {
        Self { behind: 1, ahead: 1, after: None }
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
    pub(crate) handle: ffi::KeyHandle,
}

impl fmt::Debug for Key {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("<otp::Key>")
    }
}

impl Key {
    /// Prepares a secret of 1 byte or more, which is copied. RFC 4226 (section 4, R6) requires new secrets to have 16
    /// bytes or more.
    ///
    /// Fails with [`Error::EmptySecret`], [`Error::BackendUnavailable`] or [`Error::CryptographyFailed`].
    pub fn new(algorithm: Algorithm, secret: &[u8]) -> Result<Self, Error> {
        Self::with_backend(Backend::Standard, algorithm, secret)
    }

    /// The same with a given backend.
    pub fn with_backend(backend: Backend, algorithm: Algorithm, secret: &[u8]) -> Result<Self, Error> {
        Ok(Self { handle: ffi::KeyHandle::new(backend, algorithm, secret)? })
    }

    /// Prepares the secret that a base32 text encodes, as people type it: upper or lower case, spaces and hyphens
    /// between symbols, padding or none.
    ///
    /// Also fails with [`Error::InvalidBase32Character`], [`Error::InvalidBase32Length`] or
    /// [`Error::InvalidBase32Padding`].
    pub fn from_base32(algorithm: Algorithm, text: &str) -> Result<Self, Error> {
        Ok(Self { handle: ffi::KeyHandle::from_base32(algorithm, text)? })
    }

    /// The code of a counter (RFC 4226, section 5), with 6 to 8 digits.
    ///
    /// Fails with [`Error::InvalidDigits`] or [`Error::CryptographyFailed`].
    pub fn hotp(&self, counter: u64, digits: u32) -> Result<String, Error> {
        self.handle.hotp(counter, digits)
    }

    /// The code at a time (RFC 6238, section 4), which must not be before t0.
    ///
    /// Fails with [`Error::InvalidDigits`], [`Error::InvalidPeriod`], [`Error::TimeBeforeT0`] or
    /// [`Error::CryptographyFailed`].
    pub fn totp(&self, time: impl Into<UnixTime>, how: Totp) -> Result<String, Error> {
        self.handle.totp(time.into(), how)
    }

    /// Verifies a code over a window of steps (RFC 6238, section 5.2). The whole window is computed whatever the code
    /// is. If several steps after `window.after` have the code, the latest of them is accepted, so that the same digits
    /// are not accepted again in that window.
    ///
    /// * `code`: exactly as many ASCII digits as `how` says, else it is rejected; [`read_typed`] reads other forms.
    /// * `time`: the verifier's time, not before t0.
    /// * `window`: to accept each code at most once, store the step that was accepted and pass it as `after` the next
    ///   time, and do so atomically: two simultaneous requests must not both find the old value.
    ///
    /// Fails with [`Error::InvalidDigits`], [`Error::InvalidPeriod`], [`Error::InvalidWindow`],
    /// [`Error::TimeBeforeT0`] or [`Error::CryptographyFailed`].
    pub fn verify_totp(
        &self,
        code: &str,
        time: impl Into<UnixTime>,
        how: Totp,
        window: Window,
    ) -> Result<Verification, Error> {
        self.handle.totp_verify(code, time.into(), how, window)
    }

    /// Verifies with a secret that is used for nothing else, such as one just read from a store: without a key and
    /// without allocating memory.
    pub fn verify_totp_secret(
        algorithm: Algorithm,
        secret: &[u8],
        code: &str,
        time: impl Into<UnixTime>,
        how: Totp,
        window: Window,
    ) -> Result<Verification, Error> {
        ffi::totp_verify_secret(algorithm, secret, code, time.into(), how, window)
    }

    /// Verifies a code against a counter and the next `look_ahead` ones, 0 to 1000 (RFC 4226, section 7.4). Counters
    /// before it never match.
    ///
    /// * `counter`: the expected one, which is one past the last accepted. Store the accepted one plus 1.
    /// * `digits`: 6 to 8.
    ///
    /// Fails with [`Error::InvalidDigits`], [`Error::InvalidLookAhead`] or [`Error::CryptographyFailed`].
    pub fn verify_hotp(&self, code: &str, counter: u64, digits: u32, look_ahead: u32) -> Result<Verification, Error> {
        self.handle.hotp_verify(code, counter, digits, look_ahead)
    }

    /// Resynchronizes a token that has run ahead, by two or three codes in a row (RFC 4226, section 7.4 and Appendix
    /// E.3), of which the first must be within the look-ahead. The step is the counter of the last code.
    pub fn resynchronize_hotp(
        &self,
        codes: &[&str],
        counter: u64,
        digits: u32,
        look_ahead: u32,
    ) -> Result<Verification, Error> {
        self.handle.hotp_resynchronize(codes, counter, digits, look_ahead)
    }
}

/// Reads a code as a person types it, and returns the 6 to 8 digits that verification requires. Spaces of any width,
/// hyphens and other white space at either end are dropped, and a decimal digit of any script is read as its value.
///
/// Fails with [`Error::MalformedCode`], to which the client gets the same answer as to a wrong code, or
/// [`Error::InvalidDigits`].
///
/// ```
/// assert_eq!(otp::read_typed(" 287-082\n", 6)?, "287082");
/// assert_eq!(otp::read_typed("28708", 6), Err(otp::Error::MalformedCode));
/// # Ok::<(), otp::Error>(())
/// ```
pub fn read_typed(typed: &str, digits: u32) -> Result<String, Error> {
    ffi::read_typed(typed, digits)
}
