use crate::ffi::{self, sys};
use crate::{Algorithm, Error};
use std::{fmt, ops::Deref};

/// Bytes that are wiped when they are dropped, and not shown by `Debug`.
pub struct Secret(pub(crate) Vec<u8>);

/// A text that is wiped when it is dropped, and not shown by `Debug`: a key URI, a recovery code, a secret in base32.
pub struct SecretText(String);

/// Makes a new random secret, as long as the algorithm's output: 20, 32 or 64 bytes (RFC 4226, section 4).
pub fn generate_secret(algorithm: Algorithm) -> Result<Secret, Error> {
    let mut secret = Secret(vec![0; 64]);
    let length = sys::secret_generate(algorithm, &mut secret.0)?;
    secret.0.truncate(length);
    Ok(secret)
}

impl SecretText {
    /// A text of at most so many bytes, which a function writes with a NUL.
    pub(crate) fn written<E: From<Error>>(
        most: usize, write: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<Self, E> {
        let mut out = vec![0; most + 1];
        let length = write(&mut out)?;
        out.truncate(length);
        Ok(String::from_utf8(out).map_err(|_| Error::InvalidUtf8)?.into())
    }
}

impl From<Vec<u8>> for Secret {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<&[u8]> for Secret {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl From<String> for SecretText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl Deref for Secret {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Deref for SecretText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl Drop for SecretText {
    fn drop(&mut self) {
        wipe(&mut std::mem::take(&mut self.0).into_bytes());
    }
}

/// Wipes the bytes, and those beyond them that the vector owns.
fn wipe(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.capacity(), 0);
    ffi::wipe(bytes);
}

/// What holds a secret shows nothing of it.
macro_rules! hidden {
    ($($name:ident $(<$life:lifetime>)?,)+) => {$(
        impl fmt::Debug for crate::$name$(<$life>)? {
            fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str(concat!("<otp::", stringify!($name), ">"))
            }
        }
    )+};
}

hidden! { Enrollment<'_>, Key, KeyUri, Keyring, NamedKey<'_>, Request<'_>, Secret, SecretText, }
