use crate::ffi::{self, sys, Bytes};
use crate::{Algorithm, Error, Secret, SecretText, TextError};

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
    pub fn build(&self) -> Result<SecretText, TextError> {
        self.build_with(0)
    }

    /// The same, with algorithm, digits and period even if they are SHA1, 6 and 30.
    pub fn build_with_defaults(&self) -> Result<SecretText, TextError> {
        self.build_with(sys::URI_WRITE_DEFAULTS)
    }

    fn build_with(&self, flags: u32) -> Result<SecretText, TextError> {
        let mut given = sys::Uri {
            hash: self.algorithm as _,
            digits: self.digits,
            secret: Bytes::from(&*self.secret),
            account: Bytes::from(self.account.as_bytes()),
            issuer: self.issuer.as_ref().map_or(Bytes::NONE, |issuer| Bytes::from(issuer.as_bytes())),
            ..sys::Uri::INIT
        };
        match self.kind {
            UriKind::Totp { period } => given.period = period,
            UriKind::Hotp { counter } => (given.r#type, given.counter) = (sys::HOTP, counter),
        }
        SecretText::written(sys::URI_MAX, |out| TextError::of(|info| sys::uri_build(&given, flags, out, info)))
    }

    /// Reads a URI. Parameters that the format does not define are ignored.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        Self::parse_with(text, ReadOptions::default())
    }

    /// The same with options.
    pub fn parse_with(text: &str, options: ReadOptions) -> Result<Self, TextError> {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags = flag(options.plus_is_space, sys::URI_PLUS_IS_SPACE)
            | flag(options.missing_counter_is_zero, sys::URI_MISSING_COUNTER_IS_ZERO)
            | flag(options.strict_base32, sys::URI_STRICT_BASE32);
        let mut memory = [0; sys::URI_MEMORY];
        let read = TextError::of(|info| sys::uri_parse(text.as_bytes(), flags, &mut memory, info))
            .and_then(|found| Ok(Self::copied(&found)?));
        ffi::wipe(&mut memory);
        read
    }

    fn copied(found: &sys::Uri<'_>) -> Result<Self, Error> {
        let text = |bytes: Bytes<'_>| {
            let copied = bytes.get().map(|bytes| String::from_utf8(bytes.to_vec()));
            copied.transpose().map_err(|_| Error::InvalidUtf8)
        };
        Ok(Self {
            kind: match found.r#type {
                sys::TOTP => UriKind::Totp { period: found.period },
                _ => UriKind::Hotp { counter: found.counter },
            },
            algorithm: Algorithm::from_number(found.hash).ok_or(Error::InvalidAlgorithm)?,
            digits: found.digits,
            secret: found.secret.get().unwrap_or_default().into(),
            account: text(found.account)?.unwrap_or_default(),
            issuer: text(found.issuer)?,
            label_issuer: text(found.label_issuer)?,
        })
    }
}
