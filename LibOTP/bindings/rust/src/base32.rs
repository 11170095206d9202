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

use crate::{ffi::sys, Error, Secret, SecretText, TextError};

/// Writes bytes in upper case, without padding.
pub fn encode(bytes: &[u8]) -> Result<SecretText, Error> {
    encode_with(bytes, 0)
}

/// The same, padded with `=` to a multiple of 8 characters.
pub fn encode_padded(bytes: &[u8]) -> Result<SecretText, Error> {
    encode_with(bytes, sys::BASE32_PADDING)
}

fn encode_with(bytes: &[u8], flags: u32) -> Result<SecretText, Error> {
    SecretText::written((bytes.len() / 5 + 1) * 8, |out| sys::base32_encode(bytes, flags, out))
}

/// Reads base32 as people type it: upper or lower case, spaces and hyphens between symbols, padding or none.
pub fn decode(text: &str) -> Result<Secret, TextError> {
    decode_with(text, 0)
}

/// Accepts only RFC 4648: upper case, full padding, no separators, trailing bits zero.
pub fn decode_strict(text: &str) -> Result<Secret, TextError> {
    decode_with(text, sys::BASE32_STRICT)
}

fn decode_with(text: &str, flags: u32) -> Result<Secret, TextError> {
    let mut out = Secret::from(vec![0; text.len() / 8 * 5 + 5]);
    let length = TextError::of(|info| sys::base32_decode(text.as_bytes(), flags, &mut out.0, info))?;
    out.0.truncate(length);
    Ok(out)
}
