//! Keeps users' second factors in a column of a table: see factors.rs and ../README.md.
//!
//!     own-table DATABASE KEYRING WORKERS < requests

mod database;
mod factors;

use factors::Factors;
use otp::{Keyring, Outcome};
use std::time::{Duration, SystemTime};
use std::{env, error::Error, io};

/// Answers a request: its number, `enroll`, `confirm` or `sign-in`, the user, and the code.
fn serve(factors: &Factors<'_>, request: &str) -> String {
    let (number, request) = request.split_once(' ').unwrap_or((request, ""));
    match answer(factors, request) {
        Ok(text) => format!("{number} {text}"),
        Err(error) => format!("{number} error {error}"),
    }
}

fn answer(factors: &Factors<'_>, request: &str) -> Result<String, Box<dyn Error>> {
    let offset = env::var("CLOCK_OFFSET").unwrap_or_default();
    let now = SystemTime::now() + Duration::from_secs(offset.trim_end_matches('s').parse().unwrap_or(0));
    let words: Vec<&str> = request.split(' ').collect();
    let outcome = match words[..] {
        ["enroll", user] => {
            let uri = factors.enroll(user.parse()?, now)?;
            return Ok(uri.map_or(String::new(), |uri| uri.to_string()));
        }
        ["confirm", user, code] => factors.confirm(user.parse()?, code, now)?,
        ["sign-in", user, code] => factors.sign_in(user.parse()?, code, now)?,
        _ => return Err("not a request".into()),
    };
    let text = match outcome {
        Outcome::Accepted { .. } => "accepted",
        Outcome::Enrolled { .. } => "enrolled",
        Outcome::Rejected(_) => "rejected",
        Outcome::Wait { .. } => "wait",
        Outcome::Locked { .. } => "locked",
    };
    Ok(text.into())
}

/// Serves requests, as many at once as there are workers, each with a connection and a thread of its own.
fn main() {
    let arguments: Vec<String> = env::args().collect();
    let (database, keyring, workers) = match &arguments[..] {
        [_, database, keyring, workers] => (database, keyring, workers),
        _ => panic!("usage: own-table DATABASE KEYRING WORKERS < requests"),
    };
    let keyring = Keyring::open(keyring).expect("the keyring");
    let workers: usize = workers.parse().expect("the number of workers");
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let factors = Factors { database: database::open(database).expect("the database"), keyring: &keyring };
                let mut request = String::new();
                while io::stdin().read_line(&mut request).expect("the requests") > 0 {
                    println!("{}", serve(&factors, request.trim_end()));
                    request.clear();
                }
            });
        }
    });
}
