//! Secrets as texts (RFC 4648, section 6).
//!
//! ```
//! use otp::base32;
//!
//! assert_eq!(&*base32::decode("mzxw 6ytb-oi")?, b"foobar");
//! assert_eq!(&*base32::encode(b"foobar")?, "MZXW6YTBOI");
//! assert_eq!(&*base32::encode_padded(b"foobar")?, "MZXW6YTBOI======");
//! # Ok::<(), otp::Error>(())
//! ```

use crate::{ffi, Error, Secret, SecretText, TextError};

/// Writes bytes in upper case, without padding.
pub fn encode(bytes: &[u8]) -> Result<SecretText, Error> {
    ffi::base32_encode(bytes, false)
}

/// The same, padded with `=` to a multiple of 8 characters.
pub fn encode_padded(bytes: &[u8]) -> Result<SecretText, Error> {
    ffi::base32_encode(bytes, true)
}

/// Reads base32 as people type it: upper or lower case, spaces and hyphens between symbols, padding or none.
///
/// Fails with [`Error::InvalidBase32Character`], [`Error::InvalidBase32Length`] or [`Error::InvalidBase32Padding`], and
/// the position.
pub fn decode(text: &str) -> Result<Secret, TextError> {
    ffi::base32_decode(text, false)
}

/// Accepts only RFC 4648: upper case, full padding, no separators, trailing bits zero. Also fails with
/// [`Error::NonZeroBase32TrailingBits`].
pub fn decode_strict(text: &str) -> Result<Secret, TextError> {
    ffi::base32_decode(text, true)
}
