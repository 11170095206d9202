use crate::ffi::sys::{self, Error, ErrorInfo, Reason};
use std::fmt;

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(sys::status_string(self.number()))
    }
}

impl std::error::Error for Error {}

/// As a log calls it, such as "used up".
impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(sys::reason_string(self.number()))
    }
}

/// Why a text was refused, and where: what reading base32 and reading or writing a key URI returns.
///
/// ```
/// use otp::{base32, Error};
///
/// let refused = base32::decode("AAA?AAAA").unwrap_err();
/// assert_eq!((refused.error, refused.position), (Error::InvalidBase32Character, Some(3)));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct TextError {
    /// What is wrong.
    pub error: Error,
    /// The part of a URI, such as "secret".
    pub part: Option<&'static str>,
    /// The offset of the offending byte.
    pub position: Option<usize>,
}

impl TextError {
    /// The error that a function reports, with its details.
    pub(crate) fn of<T>(call: impl FnOnce(&mut ErrorInfo) -> Result<T, Error>) -> Result<T, Self> {
        let mut info = ErrorInfo::INIT;
        let result = call(&mut info);
        let position = Some(info.position).filter(|&position| position != usize::MAX);
        result.map_err(|error| Self { error, part: info.part.get(), position })
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(to)?;
        if let Some(part) = self.part {
            write!(to, " ({part})")?;
        }
        if let Some(position) = self.position {
            write!(to, " at byte {position}")?;
        }
        Ok(())
    }
}

impl std::error::Error for TextError {}

impl From<TextError> for Error {
    fn from(refused: TextError) -> Self {
        refused.error
    }
}

impl From<Error> for TextError {
    fn from(error: Error) -> Self {
        Self { error, part: None, position: None }
    }
}
