use crate::ffi;
use std::fmt;

/// Makes the enumeration, with its numbers in otp.h.
macro_rules! errors {
    ($($(#[$documentation:meta])* $name:ident = $number:literal,)*) => {
        /// Why a call failed: an `otp_status` other than `OTP_OK`. A wrong code is not an error but a result.
        ///
        /// None repeats an argument. Its text is the library's own.
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[$documentation])* $name,)*
            /// A status that a later version of the library has added.
            Other(u32),
        }

        impl Error {
            #[cfg(test)]
            pub(crate) const NAMED: &'static [(&'static str, u32)] = &[$((stringify!($name), $number)),*];

            pub(crate) fn from_status(status: u32) -> Self {
                match status {
                    $($number => Self::$name,)*
                    other => Self::Other(other),
                }
            }

            /// Its number in otp.h.
            pub fn status(self) -> u32 {
                match self {
                    $(Self::$name => $number,)*
                    Self::Other(status) => status,
                }
            }
        }
    };
}

errors! {
    /// A size or number that is not allowed: a mistake in the calling program.
    InvalidArgument = 1,
    /// There was not enough room for the result.
    OutputTooShort = 2,
    /// The secret has no bytes.
    EmptySecret = 10,
    /// A character that is not in RFC 4648's base32 alphabet.
    InvalidBase32Character = 11,
    /// A number of base32 symbols that no whole number of bytes encodes to.
    InvalidBase32Length = 12,
    /// Base32 padding that is missing, too long, or followed by symbols.
    InvalidBase32Padding = 13,
    /// The unused bits of the last base32 symbol are not zero (only if decoded strictly).
    NonZeroBase32TrailingBits = 14,
    /// The URI names a hash function that RFC 6238 does not use.
    InvalidAlgorithm = 20,
    /// A number of digits outside 6 to 8.
    InvalidDigits = 21,
    /// A period under 1 second, or, in a URI, not a number.
    InvalidPeriod = 22,
    /// The URI's counter is not a number from 0 to 2^64-1.
    InvalidCounter = 23,
    /// A side of a window outside 0 to 10.
    InvalidWindow = 24,
    /// A look-ahead outside 0 to 1000.
    InvalidLookAhead = 25,
    /// The time is before t0, when step 0 begins.
    TimeBeforeT0 = 26,
    /// The typed text is not a code with the expected number of digits (only from [`read_typed`](crate::read_typed)).
    MalformedCode = 27,
    /// A URI of more than 2,048 bytes.
    UriTooLong = 40,
    /// A URI whose scheme is not otpauth.
    InvalidScheme = 41,
    /// A URI whose type is neither totp nor hotp.
    InvalidType = 42,
    /// A URI with user information or a port.
    InvalidAuthority = 43,
    /// A URI with a fragment.
    UnexpectedFragment = 44,
    /// A control character in a URI.
    InvalidCharacter = 45,
    /// A % that is not followed by two hexadecimal digits.
    InvalidPercentEncoding = 46,
    /// Bytes that are not UTF-8.
    InvalidUtf8 = 47,
    /// An issuer that contains a colon.
    InvalidIssuer = 48,
    /// An account that is empty or contains a colon, or, in a URI to be built, begins with a space.
    InvalidAccount = 49,
    /// A URI without a required parameter.
    MissingParameter = 50,
    /// A known parameter given twice.
    DuplicateParameter = 51,
    /// The name of an additional parameter is empty.
    InvalidParameterName = 52,
    /// The random generator failed. There is no fallback.
    RandomnessUnavailable = 60,
    /// A backend that is not available here or failed its known-answer test.
    BackendUnavailable = 61,
    /// libcrypto failed: it ran out of memory, a provider refused the hash, or it was already in use (only from
    /// [`keep_libcrypto_at_exit`](crate::keep_libcrypto_at_exit)).
    CryptographyFailed = 62,
    /// The bytes are not a record: truncated, or something else.
    MalformedRecord = 80,
    /// A later version of the library has written the record.
    LaterRecord = 81,
    /// The record is sealed and the keyring does not seal, or the other way around.
    WrongEncoding = 82,
    /// The record was sealed for another subject.
    AnotherSubject = 83,
    /// The function is not for this kind of record.
    AnotherKind = 84,
    /// The keyring lacks the key that sealed the record.
    UnknownKey = 85,
    /// The record was altered, or sealed by another key of the same name.
    NotAuthentic = 86,
    /// A subject that is empty, or longer than 1,024 bytes.
    InvalidSubject = 87,
    /// A secret longer than 1,024 bytes.
    InvalidSecret = 88,
    /// The enrollment was confirmed already.
    NotPending = 89,
    /// An issuer or account that cannot be in a key URI, or makes it too long.
    InvalidName = 90,
    /// A time outside 2000 to 2199, as if it were in milliseconds (only for records).
    InvalidTime = 91,
    /// The keyring's file is not there, not a regular file, or cannot be read.
    KeyringUnreadable = 100,
    /// The group or others may read or write the keyring's file.
    KeyringReadableByOthers = 101,
    /// The file is not a keyring.
    KeyringMalformed = 102,
    /// The keyring's file was damaged, or changed by hand: its checksum is wrong.
    KeyringCorrupt = 103,
    /// A key's name that is not 1 to 32 characters of A-Z, a-z, 0-9, '.', '_' and '-'.
    InvalidKeyName = 104,
    /// A key that is not 32 bytes long.
    InvalidKey = 105,
    /// Two keys of the same name.
    DuplicateKeyName = 106,
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(ffi::status_string(self.status()))
    }
}

impl std::error::Error for Error {}

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
