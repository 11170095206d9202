use crate::ffi::{sys, Bytes};
use crate::{Error, Key, Totp, UnixTime, Verification, Window};

/// One verification of a batch.
#[derive(Clone, Copy)]
pub enum Request<'a> {
    /// See [`Key::verify_totp`].
    Totp {
        /// The user's key.
        key: &'a Key,
        /// What was submitted.
        code: &'a str,
        /// The verifier's time.
        time: UnixTime,
        /// How codes are made.
        how: Totp,
        /// Which steps are accepted.
        window: Window,
    },
    /// See [`Key::verify_hotp`].
    Hotp {
        /// The user's key.
        key: &'a Key,
        /// What was submitted.
        code: &'a str,
        /// The expected counter.
        counter: u64,
        /// How many digits a code has: 6 to 8.
        digits: u32,
        /// How many more counters are tried: 0 to 1000.
        look_ahead: u32,
    },
}

/// Verifies many requests at once, for different keys, times and windows, packed side by side into vector registers.
///
/// Each result is the same as that of the function for a single request, in the order of the requests. If two requests
/// have the same key and code, both are accepted: let in only one of them.
///
/// ```
/// use otp::{verify_batch, Algorithm, Key, Request, Totp, Verification, Window};
///
/// let key = Key::new(Algorithm::Sha1, b"12345678901234567890")?;
/// let (time, how, window) = (59.into(), Totp::default(), Window::default());
/// let request = |code| Request::Totp { key: &key, code, time, how, window };
/// let found = verify_batch(&[request("287082"), request("287083")])?;
/// assert_eq!(found, [Ok(Verification::Accepted { step: 1, offset: 0 }), Ok(Verification::Rejected)]);
/// # Ok::<(), otp::Error>(())
/// ```
pub fn verify_batch(requests: &[Request<'_>]) -> Result<Vec<Result<Verification, Error>>, Error> {
    // What the requests point to.
    let kept: Vec<(sys::TotpParams, sys::Window)> = requests
        .iter()
        .map(|request| match *request {
            Request::Totp { how, window, .. } => (how.into(), window.into()),
            Request::Hotp { .. } => (sys::TotpParams::INIT, sys::Window::INIT),
        })
        .collect();
    let asked: Vec<sys::Request<'_>> = requests.iter().zip(&kept).map(|(request, kept)| asked(request, kept)).collect();
    let mut found = vec![sys::Match::INIT; requests.len()];
    sys::verify_batch(&asked, &mut found)?;
    Ok(found
        .into_iter()
        .map(|found| if found.status == 0 { Ok(found.into()) } else { Err(found.status.into()) })
        .collect())
}

fn asked<'a>(request: &Request<'a>, (how, window): &'a (sys::TotpParams, sys::Window)) -> sys::Request<'a> {
    let with = |key: &'a Key, code: &'a str, of| sys::Request {
        r#type: of,
        key: Some(&key.handle),
        code: Bytes::from(code.as_bytes()),
        params: Some(how),
        window: Some(window),
        ..sys::Request::INIT
    };
    match *request {
        Request::Totp { key, code, time, .. } => sys::Request { unix_time: time.0, ..with(key, code, sys::TOTP) },
        Request::Hotp { key, code, counter, digits, look_ahead } => {
            sys::Request { counter, digits, look_ahead, ..with(key, code, sys::HOTP) }
        }
    }
}
