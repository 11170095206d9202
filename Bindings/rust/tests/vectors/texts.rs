//! Base32 and key URIs.

use crate::json::Fields;
use crate::{algorithm, equal, is_valid, refused};
use otp::{base32, KeyUri, UriKind};

pub fn base32(decoder: &str, test: &mut Fields) -> Result<(), String> {
    let text = test.text("text")?;
    let decoded = match decoder {
        "lenient" => base32::decode(&text),
        "strict" => base32::decode_strict(&text),
        other => return Err(format!("a decoder {other}")),
    };
    if !is_valid(test)? {
        return refused(decoded);
    }
    let bytes = test.hex("hex")?;
    equal(decoded.map(|bytes| bytes.to_vec()), Ok(bytes.clone()))?;
    equal(base32::encode(&bytes).map(|text| text.to_string()), Ok(test.text("canonical")?))
}

pub fn uri_parse(test: &mut Fields) -> Result<(), String> {
    let read = KeyUri::parse(&test.text("uri")?);
    if !is_valid(test)? {
        return refused(read);
    }
    let mut expected = test.take("expect")?.object()?;
    let read = read.map_err(|error| error.to_string())?;
    is(&read, &mut expected)?;
    equal(&read.label_issuer, &expected.text_or_null("labelIssuer")?)?;
    expected.end()
}

pub fn uri_build(test: &mut Fields) -> Result<(), String> {
    let uri = written(test.take("key")?.object()?)?;
    equal(uri.build().map(|text| text.to_string()), Ok(test.text("uri")?))
}

pub fn uri_round_trip(test: &mut Fields) -> Result<(), String> {
    let uri = written(test.take("key")?.object()?)?;
    let text = uri.build().map_err(|error| error.to_string())?;
    let read = KeyUri::parse(&text).map_err(|error| error.to_string())?;
    equal(shown(&read), shown(&uri))
}

fn written(mut key: Fields) -> Result<KeyUri, String> {
    let kind = match &*key.text("type")? {
        "totp" => UriKind::Totp { period: key.number("period")? },
        "hotp" => UriKind::Hotp { counter: key.number("counter")? },
        other => return Err(format!("a type {other}")),
    };
    let uri = KeyUri {
        kind,
        algorithm: algorithm(&mut key)?,
        digits: key.integer("digits")?,
        secret: key.hex("secretHex")?.into(),
        account: key.text("account")?,
        issuer: key.text_or_null("issuer")?,
        label_issuer: None,
    };
    key.end()?;
    Ok(uri)
}

/// What there is to compare, except the label's issuer.
fn shown(uri: &KeyUri) -> String {
    let parts = (uri.kind, uri.algorithm, uri.digits, uri.secret.to_vec(), &uri.account, &uri.issuer);
    format!("{parts:?}")
}

/// Compares the fields that a test names.
fn is(read: &KeyUri, expected: &mut Fields) -> Result<(), String> {
    let kind = match &*expected.text("type")? {
        "totp" => UriKind::Totp { period: expected.number("period")? },
        "hotp" => UriKind::Hotp { counter: expected.number("counter")? },
        other => return Err(format!("a type {other}")),
    };
    equal(read.kind, kind)?;
    equal(read.algorithm, algorithm(expected)?)?;
    equal(read.digits, expected.integer("digits")?)?;
    equal(read.secret.to_vec(), expected.hex("secretHex")?)?;
    equal(&read.account, &expected.text("account")?)?;
    equal(&read.issuer, &expected.text_or_null("issuer")?)
}
