//! Patterns over names, as operators write them.

use std::fmt;

use wildmatch::WildMatch;

use crate::ServerName;

/// `*` matches any characters and `?` one; everything else matches itself.
#[derive(Clone, PartialEq, Debug)]
pub struct NamePattern(WildMatch);

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not a pattern: it has 1 to {max} characters, none of them blank or one of []{{}}\\", max = NamePattern::CHARS_MAX)]
pub struct BadPattern(String);

impl NamePattern {
    pub const CHARS_MAX: usize = 256;

    pub fn new(text: &str) -> Result<Self, BadPattern> {
        let foreign =
            |c: char| matches!(c, '[' | ']' | '{' | '}' | '\\') || c.is_control() || c.is_whitespace();
        let fits = !text.is_empty() && text.chars().count() <= Self::CHARS_MAX && !text.contains(foreign);
        fits.then(|| Self(WildMatch::new(text))).ok_or_else(|| BadPattern(text.to_owned()))
    }

    pub fn matches(&self, name: &str) -> bool {
        self.0.matches(name)
    }

    /// True if it matches everything that a server may offer.
    pub fn covers(&self, server: &ServerName) -> bool {
        // A pattern that ends in `*` also matches every longer text.
        self.to_string().ends_with('*') && self.matches(&format!("{server}:"))
    }

    /// True if it matches only its own text.
    pub fn is_name(&self) -> bool {
        !self.to_string().contains(['*', '?'])
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl serde::Serialize for NamePattern {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for NamePattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        NamePattern::new(&text).map_err(serde::de::Error::custom)
    }
}
