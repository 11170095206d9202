//! The only module with unsafe code: `sys`, which LibOTP/bindings/generate.py writes from otp.h, and the types that
//! make its functions safe.

#![allow(unsafe_code)]

#[rustfmt::skip]
pub mod sys;
#[cfg(test)]
mod tests;

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ops::Deref;
use std::os::raw::{c_char, c_uint};
use std::ptr::{null, NonNull};
use std::sync::atomic::{compiler_fence, Ordering};
use sys::Error;

/// Makes an enumeration, with its numbers in otp.h.
macro_rules! enumeration {
    ($(#[$documentation:meta])* $name:ident { $($(#[$of_case:meta])* $case:ident = $number:literal,)* }) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$of_case])* $case,)*
            /// A number that a later version of the library has added.
            Other(u32),
        }

        impl From<u32> for $name {
            fn from(number: u32) -> Self {
                match number {
                    $($number => Self::$case,)*
                    other => Self::Other(other),
                }
            }
        }

        impl $name {
            /// Its number in otp.h.
            pub fn number(self) -> u32 {
                match self {
                    $(Self::$case => $number,)*
                    Self::Other(number) => number,
                }
            }
        }
    };
}
use enumeration;

fn check(status: c_uint) -> Result<(), Error> {
    match status {
        0 => Ok(()),
        other => Err(other.into()),
    }
}

/// What the library makes and destroys.
pub trait Destroy {
    /// # Safety
    ///
    /// The object is of the library, and this is its last use.
    unsafe fn destroy(object: *mut Self);
}

/// An object of the library that is ours. `Option` of it is a pointer that may be null.
#[repr(transparent)]
pub struct Owned<T: Destroy>(NonNull<T>);

// SAFETY: otp.h, Threads: any number of threads can use a key or keyring at once, and any one may destroy it. It is
// destroyed only by `drop`, when it is no longer in use.
unsafe impl<T: Destroy> Send for Owned<T> {}
// SAFETY: as above.
unsafe impl<T: Destroy> Sync for Owned<T> {}

impl<T: Destroy> Deref for Owned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the object is ours, and destroyed only when this is dropped.
        unsafe { self.0.as_ref() }
    }
}

impl<T: Destroy> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the object is ours, and this is its last use.
        unsafe { T::destroy(self.0.as_ptr()) }
    }
}

/// A pointer to bytes and their number, as in a structure of otp.h; null if there are none.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Bytes<'a> {
    start: *const u8,
    len: usize,
    life: PhantomData<&'a [u8]>,
}

impl<'a> Bytes<'a> {
    pub const NONE: Self = Self { start: null(), len: 0, life: PhantomData };

    pub fn get(self) -> Option<&'a [u8]> {
        // SAFETY: by `from`, or by the library, there are as many bytes, and they live as long.
        (!self.start.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.start, self.len) })
    }
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self { start: bytes.as_ptr(), len: bytes.len(), life: PhantomData }
    }
}

/// A pointer to a text that ends with a NUL, or null.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Text<'a>(*const c_char, PhantomData<&'a CStr>);

impl<'a> Text<'a> {
    pub const NONE: Self = Self(null(), PhantomData);

    pub fn get(self) -> Option<&'a str> {
        // SAFETY: by `from`, or by the library, the text ends with a NUL, and lives as long.
        (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) })?.to_str().ok()
    }
}

impl<'a> From<&'a CStr> for Text<'a> {
    fn from(text: &'a CStr) -> Self {
        Self(text.as_ptr(), PhantomData)
    }
}

/// The first element. The library reads its size before it looks at their number.
fn start<T>(elements: &[T]) -> *const T {
    if elements.is_empty() {
        null()
    } else {
        elements.as_ptr()
    }
}

/// The text before the first NUL.
pub fn text(array: &[c_char]) -> String {
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
