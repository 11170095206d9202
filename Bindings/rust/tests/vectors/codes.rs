//! Codes, and their verification.

use crate::json::Fields;
use crate::{algorithm, answer, equal, is_valid, refused};
use otp::{verify_batch, Error, Key, KeyUri, Request, Totp, UnixTime, UriKind, Verification, Window};

pub fn key(group: &mut Fields) -> Result<Key, String> {
    Key::new(algorithm(group)?, &group.hex("secretHex")?).map_err(|error| error.to_string())
}

pub fn how(group: &mut Fields) -> Result<Totp, String> {
    Ok(Totp { digits: group.integer("digits")?, period: group.number("period")?, t0: group.number("t0")? })
}

pub fn hotp(key: &Key, digits: u32, test: &mut Fields) -> Result<(), String> {
    // Of the HMAC by itself, the library says nothing.
    let _ = (test.optional("hmacHex"), test.optional("truncated"));
    equal(key.hotp(test.number("counter")?, digits), Ok(test.text("code")?))
}

pub fn totp(key: &Key, how: Totp, test: &mut Fields) -> Result<(), String> {
    let (time, code) = (UnixTime(test.number("time")?), test.text("code")?);
    equal(key.totp(time, how), Ok(code.clone()))?;
    let window = Window { behind: 0, ahead: 0, after: None };
    let expected = Verification::Accepted { step: test.number("step")?, offset: 0 };
    equal(key.verify_totp(&code, time, how, window), Ok(expected))
}

/// A verification, by itself; `in_a_batch` has all of a group.
pub struct Asked {
    code: String,
    /// The time and the window of TOTP, or the counter and the look-ahead of HOTP.
    place: Result<(UnixTime, Window), (u64, u32)>,
    expected: Result<Verification, Error>,
}

pub fn verify_totp(key: &Key, how: Totp, test: &mut Fields) -> Result<Asked, String> {
    let (code, time) = (test.text("code")?, UnixTime(test.number("time")?));
    let window =
        Window { behind: test.integer("behind")?, ahead: test.integer("ahead")?, after: test.number_or_null("after")? };
    // Another implementation may report this one.
    let _ = test.optional("otherStep");
    let expected = match &*answer(test)? {
        "accepted" => Verification::Accepted { step: test.number("step")?, offset: test.integer("offset")? },
        "replayed" => Verification::Replayed,
        "rejected" => Verification::Rejected,
        other => return Err(format!("a result {other}")),
    };
    equal(key.verify_totp(&code, time, how, window), Ok(expected))?;
    Ok(Asked { code, place: Ok((time, window)), expected: Ok(expected) })
}

pub fn verify_hotp(key: &Key, digits: u32, test: &mut Fields) -> Result<Asked, String> {
    let (code, counter, look_ahead) = (test.text("code")?, test.number("counter")?, test.integer("lookAhead")?);
    let expected = match &*answer(test)? {
        "accepted" => {
            let step: u64 = test.number("matched")?;
            Verification::Accepted { step, offset: step.wrapping_sub(counter) as i64 }
        }
        "rejected" => Verification::Rejected,
        other => return Err(format!("a result {other}")),
    };
    equal(key.verify_hotp(&code, counter, digits, look_ahead), Ok(expected))?;
    Ok(Asked { code, place: Err((counter, look_ahead)), expected: Ok(expected) })
}

pub fn in_a_batch(key: &Key, how: Totp, asked: &[Asked]) -> Result<(), String> {
    let requests: Vec<Request<'_>> = asked
        .iter()
        .map(|Asked { code, place, .. }| match *place {
            Ok((time, window)) => Request::Totp { key, code, time, how, window },
            Err((counter, look_ahead)) => Request::Hotp { key, code, counter, digits: how.digits, look_ahead },
        })
        .collect();
    equal(verify_batch(&requests), Ok(asked.iter().map(|asked| asked.expected).collect()))
}

pub fn base32_code(algorithm: otp::Algorithm, digits: u32, test: &mut Fields) -> Result<(), String> {
    let counter = test.number("counter")?;
    let code = Key::from_base32(algorithm, &test.text("text")?).and_then(|key| key.hotp(counter, digits));
    if is_valid(test)? {
        equal(code, Ok(test.text("code")?))
    } else {
        refused(code)
    }
}

pub fn uri_code(test: &mut Fields) -> Result<(), String> {
    let time: Option<i64> = test.number_or_null("time")?;
    let code = KeyUri::parse(&test.text("uri")?).map_err(Error::from).and_then(|uri| {
        let key = Key::new(uri.algorithm, &uri.secret)?;
        match (uri.kind, time) {
            (UriKind::Hotp { counter }, None) => key.hotp(counter, uri.digits),
            (UriKind::Totp { period }, Some(time)) => key.totp(time, Totp { digits: uri.digits, period, t0: 0 }),
            _ => Err(Error::InvalidType),
        }
    });
    if is_valid(test)? {
        equal(code, Ok(test.text("code")?))
    } else {
        refused(code)
    }
}
