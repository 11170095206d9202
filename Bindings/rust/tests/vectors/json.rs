//! JSON as vectors/README.md has it: numbers are integers, no name occurs twice, anything not understood is an error.

use std::collections::BTreeMap;
use std::str::{Chars, FromStr};

pub enum Json {
    Null,
    Integer(i64),
    Text(String),
    List(Vec<Json>),
    Object(Fields),
}

/// The fields of an object, each of which must be taken.
pub struct Fields(BTreeMap<String, Json>);

impl Fields {
    pub fn optional(&mut self, name: &str) -> Option<Json> {
        self.0.remove(name)
    }

    pub fn take(&mut self, name: &str) -> Result<Json, String> {
        self.optional(name).ok_or_else(|| format!("no {name}"))
    }

    pub fn text(&mut self, name: &str) -> Result<String, String> {
        match self.take(name)? {
            Json::Text(text) => Ok(text),
            _ => Err(format!("{name} is not a text")),
        }
    }

    pub fn text_or_null(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.take(name)? {
            Json::Null => Ok(None),
            Json::Text(text) => Ok(Some(text)),
            _ => Err(format!("{name} is not a text")),
        }
    }

    /// A JSON integer.
    pub fn integer<T: TryFrom<i64>>(&mut self, name: &str) -> Result<T, String> {
        match self.take(name)? {
            Json::Integer(number) => T::try_from(number).map_err(|_| format!("{name} is {number}")),
            _ => Err(format!("{name} is not an integer")),
        }
    }

    /// A 64-bit number, which is written as a text.
    pub fn number<T: FromStr + ToString>(&mut self, name: &str) -> Result<T, String> {
        number(&self.text(name)?)
    }

    pub fn number_or_null<T: FromStr + ToString>(&mut self, name: &str) -> Result<Option<T>, String> {
        self.text_or_null(name)?.map(|text| number(&text)).transpose()
    }

    pub fn hex(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let text = self.text(name)?;
        let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()),
            _ => Err(format!("{name} is not hexadecimal")),
        }
    }

    pub fn list(&mut self, name: &str) -> Result<Vec<Json>, String> {
        match self.take(name)? {
            Json::List(list) => Ok(list),
            _ => Err(format!("{name} is not a list")),
        }
    }

    pub fn objects(&mut self, name: &str) -> Result<Vec<Fields>, String> {
        self.list(name)?.into_iter().map(Json::object).collect()
    }

    pub fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        let texts = self.list(name)?.into_iter().map(|item| match item {
            Json::Text(text) => Ok(text),
            _ => Err(format!("{name} has something else than texts")),
        });
        texts.collect()
    }

    pub fn end(self) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("an unknown field {name}")),
        }
    }
}

fn number<T: FromStr + ToString>(text: &str) -> Result<T, String> {
    // In this form only: no sign, no leading zero.
    T::from_str(text).ok().filter(|number| number.to_string() == text).ok_or_else(|| format!("not a number: {text}"))
}

impl Json {
    pub fn object(self) -> Result<Fields, String> {
        match self {
            Self::Object(fields) => Ok(fields),
            _ => Err("not an object".into()),
        }
    }

    pub fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: text.chars() };
        let value = reader.value().ok_or_else(|| format!("not JSON, at: {:.40}", reader.rest.as_str()))?;
        reader.skip_space();
        match reader.rest.next() {
            None => Ok(value),
            Some(_) => Err("something follows the JSON".into()),
        }
    }
}

struct Reader<'a> {
    rest: Chars<'a>,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        self.rest = self.rest.as_str().trim_start_matches([' ', '\n', '\r', '\t'].as_slice()).chars();
    }

    /// Reads this text, if it is what comes next.
    fn skip(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.as_str().strip_prefix(text)?.chars();
        Some(())
    }

    fn value(&mut self) -> Option<Json> {
        self.skip_space();
        match self.rest.as_str().chars().next()? {
            '{' => {
                let mut fields = BTreeMap::new();
                self.items('{', '}', |reader| {
                    reader.skip_space();
                    let name = reader.string()?;
                    reader.skip_space();
                    reader.skip(":")?;
                    let value = reader.value()?;
                    // A name that is there already is an error.
                    if fields.insert(name, value).is_none() {
                        Some(())
                    } else {
                        None
                    }
                })?;
                Some(Json::Object(Fields(fields)))
            }
            '[' => {
                let mut list = Vec::new();
                self.items('[', ']', |reader| {
                    list.push(reader.value()?);
                    Some(())
                })?;
                Some(Json::List(list))
            }
            '"' => self.string().map(Json::Text),
            'n' => self.skip("null").map(|()| Json::Null),
            _ => self.integer(),
        }
    }

    fn items(&mut self, first: char, last: char, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.skip(&first.to_string())?;
        self.skip_space();
        if self.skip(&last.to_string()).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            self.skip_space();
            if self.skip(&last.to_string()).is_some() {
                return Some(());
            }
            self.skip(",")?;
        }
    }

    fn integer(&mut self) -> Option<Json> {
        let text = self.rest.as_str();
        let length = text.find(|letter: char| !matches!(letter, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        let (text, rest) = text.split_at(length.unwrap_or(text.len()));
        self.rest = rest.chars();
        number(text).ok().map(Json::Integer)
    }

    fn string(&mut self) -> Option<String> {
        self.skip("\"")?;
        let mut units = Vec::new();
        loop {
            match self.rest.next()? {
                '"' => return String::from_utf16(&units).ok(),
                '\\' => units.push(match self.rest.next()? {
                    'u' => {
                        let (digits, rest) = (self.rest.as_str().get(..4)?, self.rest.as_str().get(4..)?);
                        self.rest = rest.chars();
                        u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?
                    }
                    'b' => 8,
                    'f' => 12,
                    'n' => 10,
                    'r' => 13,
                    't' => 9,
                    letter @ ('"' | '\\' | '/') => letter as u16,
                    _ => return None,
                }),
                letter @ ' '..='~' => units.push(letter as u16),
                // The files are plain ASCII.
                _ => return None,
            }
        }
    }
}

#[test]
fn only_what_is_json_is_read() {
    let read = |text: &str| Json::read(text).and_then(Json::object);
    let mut object =
        read(r#" {"a": "\u0000\ud83d\ude00\"", "b": [-1, 9007199254740993], "c": {}, "d": null} "#).unwrap();
    assert_eq!(object.text("a").unwrap(), "\0\u{1f600}\"");
    assert!(matches!(object.list("b").unwrap()[..], [Json::Integer(-1), Json::Integer(9007199254740993)]));
    assert!(object.text("c").is_err());
    assert!(object.end().is_err());
    for fault in [
        r#"{"a": 1, "a": 1}"#,
        r#"{"a": 1.0}"#,
        r#"{"a": 01}"#,
        r#"{"a": +1}"#,
        r#"{"a": 1,}"#,
        r#"{"a": "\ud83d"}"#,
        r#"{"a": "é"}"#,
        r#"{"a": true}"#,
        r#"{} {}"#,
        r#"{"a": "\u+012"}"#,
        r#"{"a": 9223372036854775808}"#,
        "[]",
        "",
    ] {
        assert!(read(fault).is_err(), "{fault}");
    }
}
