//! libotp from Rust (LibOTP/bindings/rust).
mod adapter;
use adapter::{bytes, hex, serve, text};
use otp::{
    base32, verify_batch, Algorithm, Enrollment, Factor, Key, KeyUri, Keyring, Outcome, Policy, Request, Totp,
    UnixTime, UriKind, Verification, Window,
};
use std::fmt::Display;
use std::str::FromStr;

const SUBJECT: &str = "user 42";

fn number<T: FromStr>(word: &str) -> T {
    word.parse().ok().expect("a number")
}

fn optional<T: FromStr>(word: &str) -> Option<T> {
    (word != "-").then(|| number(word))
}

fn named(text: &Option<String>) -> String {
    text.as_ref().map_or("-".into(), |text| hex(text.as_bytes()))
}

fn said<T: Display, E>(result: Result<T, E>) -> String {
    result.map_or("refused".into(), |value| format!("ok {value}"))
}

fn algorithm(word: &str) -> Algorithm {
    match word {
        "SHA1" => Algorithm::Sha1,
        "SHA256" => Algorithm::Sha256,
        _ => Algorithm::Sha512,
    }
}

fn key(hash: &str, secret: &str) -> Key {
    Key::new(algorithm(hash), &bytes(secret)).expect("a key")
}

fn how(words: &[&str]) -> Totp {
    Totp { digits: number(words[0]), period: number(words[1]), t0: number(words[2]) }
}

fn outcome(result: Verification, separator: &str) -> String {
    match result {
        Verification::Rejected => "rejected".into(),
        Verification::Replayed => "replayed".into(),
        Verification::Accepted { step, offset } => format!("accepted{separator}{step}{separator}{offset}"),
    }
}

fn one(request: Request<'_>) -> String {
    let result = match request {
        Request::Totp { key, code, time, how, window } => key.verify_totp(code, time, how, window),
        Request::Hotp { key, code, counter, digits, look_ahead } => {
            key.verify_hotp(code, counter, digits, look_ahead)
        }
    };
    said(result.map(|result| outcome(result, " ")))
}

fn described(uri: KeyUri) -> String {
    let (kind, factor) = match uri.kind {
        UriKind::Totp { period } => ("totp", format!("period={period}")),
        UriKind::Hotp { counter } => ("hotp", format!("counter={counter}")),
    };
    let algorithm = match uri.algorithm {
        Algorithm::Sha1 => "SHA1",
        Algorithm::Sha256 => "SHA256",
        Algorithm::Sha512 => "SHA512",
    };
    let (issuer, label_issuer) = (named(&uri.issuer), named(&uri.label_issuer));
    let (account, secret, digits) = (hex(uri.account.as_bytes()), hex(&uri.secret), uri.digits);
    format!(
        "ok type={kind} issuer={issuer} labelIssuer={label_issuer} account={account} secret={secret} \
         algorithm={algorithm} digits={digits} {factor}"
    )
}

fn build(w: &[&str]) -> String {
    let kind = match w[0] {
        "hotp" => UriKind::Hotp { counter: number(w[6]) },
        _ => UriKind::Totp { period: number(w[6]) },
    };
    let issuer = (w[1] != "-").then(|| text(w[1]));
    let (algorithm, digits, secret) = (algorithm(w[4]), number(w[5]), bytes(w[3]).into());
    let uri = KeyUri { kind, algorithm, digits, secret, account: text(w[2]), issuer, label_issuer: None };
    said(uri.build().map(|uri| hex(uri.as_bytes())))
}

/// The factor of a sequence, and its policy.
struct Sequence {
    keyring: Keyring,
    policy: Policy,
    record: Vec<u8>,
}

impl Sequence {
    fn new(name: &str, w: &[&str]) -> Self {
        let rest = &w[if name == "record-totp" { 6 } else { 5 }..];
        let mut policy = Policy {
            failures_until_lock: number(rest[0]),
            lock_seconds: number(rest[1]),
            first_delayed_failure: number(rest[2]),
            initial_delay_seconds: number(rest[3]),
            ..Policy::STRICT
        };
        let (factor, secret) = if name == "record-totp" {
            policy.adjacent_steps = number(w[5]);
            (Factor::Totp { period: number(w[2]), t0: number(w[3]), after: optional(rest[4]) }, bytes(w[4]))
        } else {
            (policy.look_ahead, policy.resynchronization_look_ahead) = (number(w[3]), number(w[4]));
            (Factor::Hotp { counter: optional(rest[4]).map_or(0, |last: u64| last + 1) }, bytes(w[2]))
        };
        let (algorithm, digits, secret) = (algorithm(w[0]), number(w[1]), Some(&secret[..]));
        let enrollment =
            Enrollment { factor, algorithm, digits, secret, is_confirmed: true, ..Enrollment::default() };
        let keyring = Keyring::unsealed().expect("a keyring");
        let record = keyring.enroll(SUBJECT, &enrollment, number::<i64>(rest[5])).expect("a record");
        Self { keyring, policy, record }
    }

    fn submit(&mut self, now: UnixTime, codes: &[String]) -> String {
        let codes: Vec<&str> = codes.iter().map(|code| &code[..]).collect();
        let answer = match codes[..] {
            [code] => self.keyring.verify(SUBJECT, &self.record, code, now, &self.policy),
            _ => self.keyring.resynchronize(SUBJECT, &self.record, &codes, now, &self.policy),
        };
        let answer = answer.expect("an answer");
        if let Some(record) = answer.record {
            self.record = record;
        }
        match answer.outcome {
            Outcome::Rejected(_) => "ok rejected".into(),
            Outcome::Accepted { step } => format!("ok accepted {step}"),
            Outcome::Enrolled { step } => format!("ok enrolled {step}"),
            Outcome::Wait { until } => format!("ok wait {}", until.0),
            Outcome::Locked { until } => {
                format!("ok locked {}", until.map_or("-".into(), |until| until.0.to_string()))
            }
        }
    }

    fn unlock(&mut self, now: UnixTime) -> String {
        self.record = self.keyring.unlock(SUBJECT, &self.record, now).expect("a record");
        "ok unlocked".into()
    }
}

fn main() {
    let (mut requests, mut sequence): (Vec<Request<'_>>, _) = (Vec::new(), None);
    // What a batch points to lives as long as the process.
    let kept = |hash: &str, secret: &str, code: &str| -> (&'static Key, &'static str) {
        (Box::leak(Box::new(key(hash, secret))), Box::leak(text(code).into_boxed_str()))
    };
    serve(|name, w| match name {
        "hello" => format!("ok libotp {}", otp::version()),
        "hotp" => said(key(w[0], w[2]).hotp(number(w[3]), number(w[1]))),
        "totp" => said(key(w[0], w[4]).totp(number::<i64>(w[5]), how(&w[1..]))),
        "verify-totp" => {
            let (key, code) = kept(w[0], w[4], w[5]);
            let window = Window { behind: number(w[7]), ahead: number(w[8]), after: optional(w[9]) };
            requests.push(Request::Totp { key, code, time: UnixTime(number(w[6])), how: how(&w[1..]), window });
            one(requests[requests.len() - 1])
        }
        "verify-hotp" => {
            let (key, code) = kept(w[0], w[2], w[3]);
            let (counter, digits, look_ahead) = (number(w[4]), number(w[1]), number(w[5]));
            requests.push(Request::Hotp { key, code, counter, digits, look_ahead });
            one(requests[requests.len() - 1])
        }
        "batch" => {
            let results = verify_batch(&requests).expect("a batch");
            requests.clear();
            let texts = results.into_iter().map(|result| outcome(result.expect("an outcome"), ":"));
            format!("ok {}", texts.collect::<Vec<_>>().join(" "))
        }
        "base32" => said(base32::decode(&text(w[0])).map(|bytes| hex(&bytes))),
        "strict-base32" => said(base32::decode_strict(&text(w[0])).map(|bytes| hex(&bytes))),
        "base32-encode" => said(base32::encode(&bytes(w[0])).map(|text| hex(text.as_bytes()))),
        "base32-code" => {
            said(Key::from_base32(algorithm(w[0]), &text(w[3])).and_then(|key| key.hotp(number(w[2]), number(w[1]))))
        }
        "uri-parse" => KeyUri::parse(&text(w[0])).map_or("refused".into(), described),
        "uri-build" => build(w),
        "record-totp" | "record-hotp" => {
            sequence = Some(Sequence::new(name, w));
            "ok".into()
        }
        "submit" | "unlock" => {
            let (sequence, now) = (sequence.as_mut().expect("a sequence"), UnixTime(number(w[0])));
            let codes: Vec<String> = w[1..].iter().map(|code| text(code)).collect();
            if name == "submit" {
                sequence.submit(now, &codes)
            } else {
                sequence.unlock(now)
            }
        }
        _ => "cannot".into(),
    });
}
