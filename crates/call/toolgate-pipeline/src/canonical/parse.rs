//! Strict parsing of arguments: anything that two readers could understand differently is refused. Examples
//! are a repeated key (the approver would see one value, the server might use the other), a number that loses
//! digits, and endless nesting.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::{SIGNED_MIN, UNSIGNED_END};

/// The maximum nesting depth of arguments.
pub const DEPTH_MAX: usize = 120;

/// serde_json's message for a number outside the range of a double; there is no other way to recognise the
/// error.
const OUT_OF_RANGE: &str = "number out of range";

/// The reason why arguments are refused. Paths are JSON pointers; the empty one is the arguments as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadArguments {
    #[error("the arguments give {path:?} twice")]
    DuplicateKey { path: String },
    #[error("the arguments nest deeper than {DEPTH_MAX} levels")]
    TooDeep,
    #[error("the number at {path:?} in the arguments is too large for a 64-bit floating-point number")]
    NumberTooLarge { path: String },
    #[error("the whole number at {path:?} in the arguments has more than 64 bits")]
    IntegerTooWide { path: String },
    #[error("the arguments cannot be read at {path:?}: {reason}")]
    NotJson { path: String, reason: String },
}

impl BadArguments {
    pub fn hint(&self) -> &'static str {
        match self {
            BadArguments::DuplicateKey { .. } => "give each key once",
            BadArguments::TooDeep => {
                "flatten the arguments, or send the inner part as text if the tool takes it"
            }
            BadArguments::NumberTooLarge { .. } | BadArguments::IntegerTooWide { .. } => {
                "send a smaller number, or a string if the tool takes one"
            }
            BadArguments::NotJson { .. } => "send the arguments as one valid JSON value",
        }
    }
}

/// The value of a JSON text, or the reason why it is ambiguous for different readers.
pub fn parse(text: &str) -> Result<Value, BadArguments> {
    let notes = ParseNotes::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = StrictValue { depth: 0, notes: &notes }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    let value = parsed.map_err(|error| notes.complaint(&error))?;
    if notes.rounded.get() {
        refuse_wide_integers(text)?;
    }
    Ok(value)
}

/// The parser's notes beside the value.
#[derive(Default)]
struct ParseNotes {
    fault: Cell<Option<ParseFault>>,
    /// Filled while an error travels up: the innermost step first.
    path: RefCell<Vec<PathStep>>,
    /// True if a double occurred that may be a rounded integer of more than 64 bits.
    rounded: Cell<bool>,
}

#[derive(Clone, Copy)]
enum ParseFault {
    Duplicate,
    TooDeep,
}

enum PathStep {
    Key(String),
    Index(usize),
}

impl ParseNotes {
    fn passing<E>(&self, step: PathStep, error: E) -> E {
        self.path.borrow_mut().push(step);
        error
    }

    fn fail<E: serde::de::Error>(&self, fault: ParseFault) -> E {
        self.fault.set(Some(fault));
        E::custom("refused")
    }

    fn complaint(&self, error: &serde_json::Error) -> BadArguments {
        let path = pointer(self.path.borrow().iter().rev());
        match self.fault.get() {
            Some(ParseFault::Duplicate) => BadArguments::DuplicateKey { path },
            Some(ParseFault::TooDeep) => BadArguments::TooDeep,
            None if error.to_string().starts_with(OUT_OF_RANGE) => BadArguments::NumberTooLarge { path },
            None => BadArguments::NotJson { path, reason: error.to_string() },
        }
    }
}

fn pointer<'a>(steps: impl Iterator<Item = &'a PathStep>) -> String {
    let mut path = String::new();
    for step in steps {
        path.push('/');
        match step {
            PathStep::Key(key) => path.push_str(&escape_step(key)),
            PathStep::Index(index) => path.push_str(&index.to_string()),
        }
    }
    path
}

/// A key as a step of a JSON pointer.
pub(crate) fn escape_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[derive(Clone, Copy)]
struct StrictValue<'a> {
    depth: usize,
    notes: &'a ParseNotes,
}

impl<'a> StrictValue<'a> {
    fn deeper<E: serde::de::Error>(self) -> Result<StrictValue<'a>, E> {
        if self.depth == DEPTH_MAX {
            return Err(self.notes.fail(ParseFault::TooDeep));
        }
        Ok(StrictValue { depth: self.depth + 1, notes: self.notes })
    }
}

impl<'de> DeserializeSeed<'de> for StrictValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        // The smallest integer itself arrives as one, so a double of its size was rounded, or written as a fraction.
        if value <= SIGNED_MIN || value >= UNSIGNED_END {
            self.notes.rounded.set(true);
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom(OUT_OF_RANGE))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = access
            .next_element_seed(inner)
            .map_err(|error| self.notes.passing(PathStep::Index(items.len()), error))?
        {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut members = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if members.contains_key(&key) {
                let error = self.notes.fail(ParseFault::Duplicate);
                return Err(self.notes.passing(PathStep::Key(key), error));
            }
            match access.next_value_seed(inner) {
                Ok(value) => members.insert(key, value),
                Err(error) => return Err(self.notes.passing(PathStep::Key(key), error)),
            };
        }
        Ok(Value::Object(members))
    }
}

/// Parses the text a second time, which only texts with huge numbers need: a parsed double no longer shows
/// whether it was written as an integer.
fn refuse_wide_integers(text: &str) -> Result<(), BadArguments> {
    let raw: &RawValue = serde_json::from_str(text).expect("the text was just read");
    let mut steps = Vec::new();
    if leads_to_wide_integer(raw, &mut steps) {
        return Err(BadArguments::IntegerTooWide { path: pointer(steps.iter()) });
    }
    Ok(())
}

fn leads_to_wide_integer(raw: &RawValue, steps: &mut Vec<PathStep>) -> bool {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> =
                serde_json::from_str(text).expect("the text was just read");
            members.into_iter().any(|(key, value)| step_leads(PathStep::Key(key), value, steps))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).expect("the text was just read");
            items.into_iter().enumerate().any(|(index, item)| step_leads(PathStep::Index(index), item, steps))
        }
        Some(b'-' | b'0'..=b'9') => is_wide_integer(text),
        _ => false,
    }
}

fn step_leads(step: PathStep, value: &RawValue, steps: &mut Vec<PathStep>) -> bool {
    steps.push(step);
    let found = leads_to_wide_integer(value, steps);
    if !found {
        steps.pop();
    }
    found
}

fn is_wide_integer(text: &str) -> bool {
    let is_whole = text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    // Minus zero is a double to serde_json and an integer to every other reader.
    is_whole && text.parse::<u64>().is_err() && text.parse::<i64>().is_err()
}
