use crate::{ffi, Algorithm, Secret, SecretText, TextError};
use std::fmt;

/// The kind of codes that a key URI is for.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum UriKind {
    /// Time-based.
    Totp {
        /// The length of a step in seconds, 1 or more.
        period: i64,
    },
    /// Counter-based.
    Hotp {
        /// The first counter.
        counter: u64,
    },
}

/// A key as an `otpauth://` URI describes it.
///
/// ```
/// use otp::{Error, KeyUri};
///
/// let uri = KeyUri::totp("Example", "alice", b"12345678901234567890");
/// let text = uri.build()?;
/// assert_eq!(&*text, "otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example");
/// assert_eq!(KeyUri::parse(&text)?.account, "alice");
///
/// let refused = KeyUri::parse("otpauth://totp/alice?digits=6").unwrap_err();
/// assert_eq!((refused.error, refused.part), (Error::MissingParameter, Some("secret")));
/// # Ok::<(), otp::TextError>(())
/// ```
pub struct KeyUri {
    /// Which it is, with what belongs to it.
    pub kind: UriKind,
    /// The hash function.
    pub algorithm: Algorithm,
    /// 6 to 8.
    pub digits: u32,
    /// 1 byte or more.
    pub secret: Secret,
    /// Not empty, without a colon, and without a space at the beginning; readers drop such spaces.
    pub account: String,
    /// To build a URI: without a colon; `None` or empty if there is none. Read: the one in the parameter if there is
    /// one, else the one before the account.
    pub issuer: Option<String>,
    /// Read: the issuer before the account. Ignored when a URI is built.
    pub label_issuer: Option<String>,
}

impl fmt::Debug for KeyUri {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("<otp::KeyUri>")
    }
}

/// What reading a URI accepts beyond the format, and what it does not accept. By default, neither.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct ReadOptions {
    /// Read `+` in a parameter as a space.
    pub plus_is_space: bool,
    /// Read an HOTP URI without a counter as one that begins at 0.
    pub missing_counter_is_zero: bool,
    /// Accept in the secret only what RFC 4648 allows.
    pub strict_base32: bool,
}

impl KeyUri {
    /// What every authenticator app supports: TOTP with SHA-1, six digits and 30 seconds. For anything else, set the
    /// fields.
    pub fn totp(issuer: &str, account: &str, secret: &[u8]) -> Self {
        Self {
            kind: UriKind::Totp { period: 30 },
            algorithm: Algorithm::Sha1,
            digits: 6,
            secret: secret.into(),
            account: account.into(),
            issuer: Some(issuer.into()),
            label_issuer: None,
        }
    }

    /// Writes the URI, including the secret: show it only to the user who enrolls, as a QR code. [`parse`](Self::parse)
    /// reads back the same key.
    ///
    /// Fails, naming the part that is wrong, with one of the errors for URIs, such as
    /// [`Error::InvalidAccount`](crate::Error::InvalidAccount).
    pub fn build(&self) -> Result<SecretText, TextError> {
        ffi::uri_build(self, false)
    }

    /// The same, with algorithm, digits and period even if they are SHA1, 6 and 30.
    pub fn build_with_defaults(&self) -> Result<SecretText, TextError> {
        ffi::uri_build(self, true)
    }

    /// Reads a URI. Parameters that the format does not define are ignored.
    ///
    /// Fails, naming the part that is wrong and the position, with one of the errors for URIs.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        Self::parse_with(text, ReadOptions::default())
    }

    /// The same with options.
    pub fn parse_with(text: &str, options: ReadOptions) -> Result<Self, TextError> {
        ffi::uri_parse(text, options)
    }
}
