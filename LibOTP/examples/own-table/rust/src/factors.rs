use crate::database::Database;
use otp::{replace_under, Enrollment, Keyring, Outcome, Policy, SecretText};
use std::{error::Error, time::SystemTime};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Users' second factors, each in the column `otp` of its user's row, which is empty without one.
pub struct Factors<'a> {
    pub database: Box<dyn Database>,
    pub keyring: &'a Keyring,
}

impl Factors<'_> {
    /// Replaces the record that was read with the new one, if it is still there; answers only if that succeeded;
    /// otherwise reads again.
    fn under_the_rule<T>(&self, user: i64, answer: impl FnMut(&[u8]) -> Result<(Option<Vec<u8>>, T)>) -> Result<T> {
        replace_under(
            || self.database.bytes("SELECT otp FROM users WHERE id = $1", user),
            answer,
            |old, new| {
                let update = "UPDATE users SET otp = $1 WHERE id = $2 AND otp = $3";
                Ok(self.database.change(update, new, user, old)? == 1)
            },
        )
    }

    /// The key URI of a new factor, for a QR code; `None` if the user has a factor.
    pub fn enroll(&self, user: i64, now: SystemTime) -> Result<Option<SecretText>> {
        let subject = format!("user {user}");
        self.under_the_rule(user, |record| {
            let enrollment = Enrollment { previous: record, ..Enrollment::default() };
            let new = match self.keyring.enroll(&subject, &enrollment, now) {
                Err(otp::Error::Enrolled) => return Ok((None, None)),
                new => new?,
            };
            let uri = self.keyring.uri(&subject, &new, "Example", &user.to_string())?;
            Ok((Some(new), Some(uri)))
        })
    }

    /// Confirms the enrollment by a code, which is spent.
    pub fn confirm(&self, user: i64, typed: &str, now: SystemTime) -> Result<Outcome> {
        self.under_the_rule(user, |record| {
            let answer = self.keyring.confirm(format!("user {user}"), record, typed, now, &Policy::default())?;
            Ok((answer.record, answer.outcome))
        })
    }

    /// Verifies a code, after the right password. Tell the client whether it was accepted, or until when to wait; log
    /// the reason.
    pub fn sign_in(&self, user: i64, typed: &str, now: SystemTime) -> Result<Outcome> {
        self.under_the_rule(user, |record| {
            let answer = self.keyring.verify(format!("user {user}"), record, typed, now, &Policy::default())?;
            Ok((answer.record, answer.outcome))
        })
    }
}
