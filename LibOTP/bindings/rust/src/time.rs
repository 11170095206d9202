use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds since 1970-01-01 00:00 UTC.
///
/// Functions take anything that is one: a [`SystemTime`], or a number of seconds, which may be negative, as in C.
///
/// ```
/// use otp::{Algorithm, Key, Totp};
/// use std::time::{Duration, SystemTime, UNIX_EPOCH};
///
/// let key = Key::new(Algorithm::Sha1, b"12345678901234567890")?;
/// assert_eq!(key.totp(59, Totp::default())?, "287082");
/// assert_eq!(key.totp(UNIX_EPOCH + Duration::from_secs(59), Totp::default())?, "287082");
/// key.totp(SystemTime::now(), Totp::default())?;
/// # Ok::<(), otp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UnixTime(pub i64);

impl From<i64> for UnixTime {
    fn from(seconds: i64) -> Self {
        Self(seconds)
    }
}

impl From<SystemTime> for UnixTime {
    /// Rounds down to a second.
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self(i64::try_from(after.as_secs()).unwrap_or(i64::MAX)),
            Err(before) => {
                let before = before.duration();
                let seconds = i64::try_from(before.as_secs()).map_or(i64::MIN, |seconds| -seconds);
                Self(seconds.saturating_sub((before.subsec_nanos() > 0).into()))
            }
        }
    }
}

impl UnixTime {
    /// The time as the standard library has it; `None` if it cannot express it.
    pub fn to_system_time(self) -> Option<SystemTime> {
        let distance = Duration::from_secs(self.0.unsigned_abs());
        if self.0 < 0 {
            UNIX_EPOCH.checked_sub(distance)
        } else {
            UNIX_EPOCH.checked_add(distance)
        }
    }
}
