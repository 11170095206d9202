//! Base32 and key URIs.

use super::{check, static_text, sys, wipe};
use crate::{Algorithm, Error, KeyUri, ReadOptions, Secret, SecretText, TextError, UriKind};
use std::os::raw::c_char;

/// The error that a function reports, with its details.
fn checked(call: impl FnOnce(&mut sys::ErrorInfo) -> sys::Status) -> Result<(), TextError> {
    let mut info = sys::ErrorInfo::INIT;
    check(call(&mut info)).map_err(|error| TextError {
        error,
        // SAFETY: the text ends with a NUL, and lives as long as the library, which is never unloaded.
        part: unsafe { static_text(info.part) },
        position: Some(info.position).filter(|&position| position != usize::MAX),
    })
}

impl From<Error> for TextError {
    fn from(error: Error) -> Self {
        Self { error, part: None, position: None }
    }
}

pub fn base32_encode(bytes: &[u8], is_padded: bool) -> Result<SecretText, Error> {
    let flags = if is_padded { sys::BASE32_PADDING } else { 0 };
    let mut out = vec![0_u8; (bytes.len() / 5 + 1) * 8 + 1];
    let mut length = out.len();
    // SAFETY: there are as many bytes, and there is as much room, as the lengths say.
    check(unsafe { sys::otp_base32_encode(bytes.as_ptr(), bytes.len(), flags, out.as_mut_ptr().cast(), &mut length) })?;
    secret_text(out, length)
}

pub fn base32_decode(text: &str, is_strict: bool) -> Result<Secret, TextError> {
    let flags = if is_strict { sys::BASE32_STRICT } else { 0 };
    let mut out = Secret::from(vec![0; text.len() / 8 * 5 + 5]);
    let mut length = out.len();
    checked(|info| {
        let (first, count) = (text.as_ptr().cast(), text.len());
        // SAFETY: there are as many bytes, and there is as much room, as the lengths say.
        unsafe { sys::otp_base32_decode(first, count, flags, out.0.as_mut_ptr(), &mut length, info) }
    })?;
    out.0.truncate(length);
    Ok(out)
}

/// A text that a function has written.
pub(super) fn secret_text(mut bytes: Vec<u8>, length: usize) -> Result<SecretText, Error> {
    bytes.truncate(length);
    String::from_utf8(bytes).map(SecretText::from).map_err(|_| Error::InvalidUtf8)
}

pub fn uri_build(uri: &KeyUri, writes_defaults: bool) -> Result<SecretText, TextError> {
    let mut given = sys::Uri::INIT;
    match uri.kind {
        UriKind::Totp { period } => given.period = period,
        UriKind::Hotp { counter } => (given.r#type, given.counter) = (2, counter),
    }
    given.hash = uri.algorithm as _;
    given.digits = uri.digits;
    (given.secret, given.secret_len) = (uri.secret.as_ptr(), uri.secret.len());
    (given.account, given.account_len) = (uri.account.as_ptr().cast(), uri.account.len());
    if let Some(issuer) = &uri.issuer {
        (given.issuer, given.issuer_len) = (issuer.as_ptr().cast(), issuer.len());
    }
    let flags = if writes_defaults { sys::URI_WRITE_DEFAULTS } else { 0 };
    let mut out = vec![0_u8; sys::URI_MAX + 1];
    let mut length = out.len();
    // SAFETY: secret and texts live as long as `uri`, and there is as much room as `length` says.
    checked(|info| unsafe { sys::otp_uri_build(&given, flags, out.as_mut_ptr().cast(), &mut length, info) })?;
    Ok(secret_text(out, length)?)
}

pub fn uri_parse(text: &str, options: ReadOptions) -> Result<KeyUri, TextError> {
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    let flags = flag(options.plus_is_space, sys::URI_PLUS_IS_SPACE)
        | flag(options.missing_counter_is_zero, sys::URI_MISSING_COUNTER_IS_ZERO)
        | flag(options.strict_base32, sys::URI_STRICT_BASE32);
    let mut memory = [0_u8; sys::URI_MEMORY];
    let mut found = sys::Uri::INIT;
    let read = checked(|info| {
        let (first, length, room) = (text.as_ptr().cast(), text.len(), memory.len());
        // SAFETY: the text has the given length, and the memory is as large as the library asks for.
        unsafe { sys::otp_uri_parse(first, length, flags, &mut found, memory.as_mut_ptr().cast(), room, info) }
    });
    // SAFETY: the library has filled in `found`, and what it points to is in `memory`, which is not yet wiped.
    let uri = read.and_then(|()| unsafe { parsed(&found) });
    wipe(&mut memory);
    uri
}

/// # Safety
///
/// The lengths are those of the texts and of the secret.
unsafe fn parsed(found: &sys::Uri) -> Result<KeyUri, TextError> {
    // SAFETY: by this function's own condition.
    let copied = |bytes: *const c_char, length| unsafe { copied(bytes, length) };
    Ok(KeyUri {
        kind: match found.r#type {
            1 => UriKind::Totp { period: found.period },
            _ => UriKind::Hotp { counter: found.counter },
        },
        algorithm: Algorithm::from_number(found.hash).ok_or(Error::InvalidAlgorithm)?,
        digits: found.digits,
        // SAFETY: as above.
        secret: unsafe { std::slice::from_raw_parts(found.secret, found.secret_len) }.into(),
        account: copied(found.account, found.account_len)?.unwrap_or_default(),
        issuer: copied(found.issuer, found.issuer_len)?,
        label_issuer: copied(found.label_issuer, found.label_issuer_len)?,
    })
}

/// # Safety
///
/// `text` is null or has the given length.
unsafe fn copied(text: *const c_char, length: usize) -> Result<Option<String>, Error> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: by this function's own condition.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast(), length) };
    String::from_utf8(bytes.to_vec()).map(Some).map_err(|_| Error::InvalidUtf8)
}
