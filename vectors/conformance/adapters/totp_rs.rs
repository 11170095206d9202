//! totp-rs: Debian's librust-totp-rs-dev. Its window is one number for both sides.
mod adapter;
use adapter::{bytes, hex, serve, text};
use totp_rs::{Algorithm, TOTP};

fn hash(word: &str) -> Algorithm {
    match word { "SHA256" => Algorithm::SHA256, "SHA512" => Algorithm::SHA512, _ => Algorithm::SHA1 }
}

fn key(words: &[&str], skew: u8) -> Option<TOTP<Vec<u8>>> {
    let (digits, period) = (words[1].parse().unwrap(), words[2].parse().unwrap());
    TOTP::new(hash(words[0]), digits, skew, period, bytes(words[4]), None, "alice".to_string()).ok()
}

fn answer(name: &str, w: &[&str]) -> String {
    let refused = "refused".to_string();
    match name {
        "hello" => format!("ok totp-rs {}", env!("PEER_VERSION")),
        "totp" | "verify-totp" if w[3] != "0" || w[w.len() - if name == "totp" { 1 } else { 4 }].starts_with('-') => "cannot".into(),
        "totp" => key(w, 1).map_or(refused, |totp| format!("ok {}", totp.generate(w[5].parse().unwrap()))),
        "verify-totp" if w[7] != w[8] || w[9] != "-" => "cannot".into(),
        "verify-totp" => key(w, w[7].parse().unwrap()).map_or(refused, |totp| {
            let accepted = totp.check(&text(w[5]), w[6].parse().unwrap());
            (if accepted { "ok accepted" } else { "ok rejected" }).into()
        }),
        "uri-parse" if text(w[0]).to_lowercase().starts_with("otpauth://hotp") => "cannot".into(),
        "uri-parse" => TOTP::<Vec<u8>>::from_url(text(w[0])).map_or(refused, |totp| {
            let issuer = totp.issuer.as_ref().map_or("-".to_string(), |issuer| hex(issuer.as_bytes()));
            format!("ok type=totp algorithm={} digits={} period={} secret={} account={} issuer={}", totp.algorithm,
                totp.digits, totp.step, hex(&totp.secret), hex(totp.account_name.as_bytes()), issuer)
        }),
        "uri-code" if w[1] == "-" => "cannot".into(),
        "uri-code" => TOTP::<Vec<u8>>::from_url(text(w[0]))
            .map_or(refused, |totp| format!("ok {}", totp.generate(w[1].parse().unwrap()))),
        "uri-build" if w[0] == "hotp" => "cannot".into(),
        "uri-build" => {
            let issuer = if w[1] == "-" { None } else { Some(text(w[1])) };
            TOTP::new(hash(w[4]), w[5].parse().unwrap(), 1, w[6].parse().unwrap(), bytes(w[3]), issuer, text(w[2]))
                .map_or(refused, |totp| format!("ok {}", hex(totp.get_url().as_bytes())))
        }
        _ => "cannot".into(),
    }
}

fn main() {
    serve(answer);
}
