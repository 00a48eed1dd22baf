//! Reads the members of an object, each problem with its place.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Map, Value};
use toolgate_core::Refusal;

use super::invalid::invalid;

const SECONDS_MAX: f64 = 24.0 * 3600.0;
pub(crate) const COUNT_MAX: u64 = 100_000;

pub(crate) struct JsonFields<'a> {
    members: &'a Map<String, Value>,
    place: String,
}

/// The elements of a list, each with its place.
pub(crate) fn elements<'a>(
    value: &'a Value,
    place: &str,
    count_max: usize,
) -> Result<Vec<(String, &'a Value)>, Refusal> {
    let Value::Array(list) = value else {
        return Err(invalid(place, format!("`{place}` is not a list")));
    };
    if list.len() > count_max {
        return Err(invalid(place, format!("`{place}` has {} entries; {count_max} are allowed", list.len())));
    }
    Ok(list.iter().enumerate().map(|(at, value)| (format!("{place}[{at}]"), value)).collect())
}

impl<'a> JsonFields<'a> {
    pub(crate) fn of(value: &'a Value, place: impl Into<String>) -> Result<Self, Refusal> {
        let place = place.into();
        match value {
            Value::Object(members) => Ok(Self { members, place }),
            _ => Err(invalid(&place, format!("`{place}` is not an object"))),
        }
    }

    pub(crate) fn place(&self, key: &str) -> String {
        format!("{}.{key}", self.place)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a String> {
        self.members.keys()
    }

    pub(crate) fn only(&self, known: &[&str]) -> Result<(), Refusal> {
        match self.members.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(invalid(self.place(key), format!("unknown key `{key}`"))
                .hint(format!("known are {}", known.join(", ")))),
        }
    }

    /// A present member; `null` counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn required_text(&self, key: &str) -> Result<&'a str, Refusal> {
        let missing = || invalid(self.place(key), format!("`{key}` is missing"));
        self.text(key)?.ok_or_else(missing)
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, Refusal> {
        self.read(key, "a text", Value::as_str)
    }

    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>, Refusal> {
        self.read(key, "true or false", Value::as_bool)
    }

    pub(crate) fn count(&self, key: &str) -> Result<Option<usize>, Refusal> {
        let read = |value: &Value| {
            let count = value.as_u64().filter(|count| (1..=COUNT_MAX).contains(count))?;
            usize::try_from(count).ok()
        };
        self.read(key, &format!("a whole number from 1 to {COUNT_MAX}"), read)
    }

    /// A whole number within bounds.
    pub(crate) fn within(&self, key: &str, bounds: RangeInclusive<usize>) -> Result<Option<usize>, Refusal> {
        let expected = format!("a whole number from {} to {}", bounds.start(), bounds.end());
        let read = |value: &Value| {
            let count = usize::try_from(value.as_u64()?).ok()?;
            bounds.contains(&count).then_some(count)
        };
        self.read(key, &expected, read)
    }

    pub(crate) fn seconds(&self, key: &str) -> Result<Option<Duration>, Refusal> {
        let read = |value: &Value| {
            let seconds = value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= SECONDS_MAX)?;
            Some(Duration::from_secs_f64(seconds))
        };
        self.read(key, &format!("a number of seconds above 0, at most {SECONDS_MAX}"), read)
    }

    /// One of some words.
    pub(crate) fn word<T: serde::de::DeserializeOwned>(
        &self,
        key: &str,
        words: &str,
    ) -> Result<Option<T>, Refusal> {
        self.read(key, words, |value| serde_json::from_value(value.clone()).ok())
    }

    pub(crate) fn texts(&self, key: &str, count_max: usize) -> Result<Vec<&'a str>, Refusal> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let text = |(place, value): (String, &'a Value)| {
            value.as_str().ok_or_else(|| invalid(&place, format!("`{place}` is not a text")))
        };
        elements(value, &self.place(key), count_max)?.into_iter().map(text).collect()
    }

    fn read<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let wrong = || invalid(self.place(key), format!("`{key}` is not {expected}"));
        read(value).map(Some).ok_or_else(wrong)
    }
}
