//! The only module with unsafe code: safe functions over otp.h's, with slices for pointers and lengths, values with
//! destructors for handles, and `Result` for statuses.

#![allow(unsafe_code)]

mod answers;
mod codes;
#[cfg(test)]
mod layout;
mod records;
mod sys;
mod sys_records;
mod texts;

pub use codes::{generate_secret, read_typed, totp_verify_secret, verify_batch, KeyHandle};
pub use records::KeyringHandle;
pub use texts::{base32_decode, base32_encode, uri_build, uri_parse};

use crate::{Error, LibraryInfo};
use std::ffi::CStr;
use std::os::raw::c_char;
use std::sync::atomic::{compiler_fence, Ordering};

fn check(status: sys::Status) -> Result<(), Error> {
    match status {
        0 => Ok(()),
        other => Err(Error::from_status(other)),
    }
}

/// What a status means.
pub fn status_string(status: u32) -> &'static str {
    // SAFETY: the text is never null, ends with a NUL, and lives as long as the library, which is never unloaded.
    unsafe { static_text(sys::otp_status_string(status)) }.unwrap_or("")
}

/// The library's version.
pub fn version() -> &'static str {
    // SAFETY: as above.
    unsafe { static_text(sys::otp_version()) }.unwrap_or("")
}

/// # Safety
///
/// `text` is null or ends with a NUL, and never changes or is released.
unsafe fn static_text(text: *const c_char) -> Option<&'static str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: by this function's own condition.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

/// The text before the first NUL.
fn text(array: &[c_char]) -> String {
    array.iter().take_while(|&&unit| unit != 0).map(|&unit| char::from(unit as u8)).collect()
}

/// Overwrites bytes with zeros, even if nothing reads them afterward.
pub fn wipe(bytes: &mut [u8]) {
    for byte in bytes {
        // SAFETY: a reference is valid for writes.
        unsafe { std::ptr::write_volatile(byte, 0) };
    }
    compiler_fence(Ordering::SeqCst);
}

/// Texts that each end with a NUL. A NUL within one becomes a character that no code has: C would ignore what follows.
struct Texts(Vec<Vec<u8>>);

impl Texts {
    fn new(texts: &[&str]) -> Self {
        Self(texts.iter().map(|text| (text.replace('\0', "?") + "\0").into_bytes()).collect())
    }

    /// Pointers to the texts, valid as long as `self` is.
    fn pointers(&self) -> Vec<*const c_char> {
        self.0.iter().map(|text| text.as_ptr().cast()).collect()
    }
}

pub fn self_test() -> Result<(), Error> {
    // SAFETY: it has no arguments.
    check(unsafe { sys::otp_self_test() })
}

pub fn keep_libcrypto_at_exit() -> Result<(), Error> {
    // SAFETY: it has no arguments.
    check(unsafe { sys::otp_keep_libcrypto_at_exit() })
}

pub fn info() -> Result<LibraryInfo, Error> {
    let mut out = sys::LibraryInfo::INIT;
    // SAFETY: `out` has the size that it says.
    check(unsafe { sys::otp_info(&mut out) })?;
    Ok(LibraryInfo {
        version: text(&out.version),
        openssl: text(&out.openssl),
        cpu_features: text(&out.cpu_features),
        instruction_set: text(&out.instruction_set),
        backend: text(&out.backend),
    })
}
