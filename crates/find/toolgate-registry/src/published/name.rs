//! The name of a published server, and the origin of a server that was made from an entry.

use std::fmt;

use toolgate_core::{Digest, ServerName};

/// `io.github.owner/server`: the namespace of the publisher, and the server's name in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublishedName(String);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a published server is named by a namespace, a slash and a name, such as `io.github.owner/server`: letters, digits, `.`, `-` and \
     `_`, at most {} characters",
    PublishedName::CHARS_MAX
)]
pub struct BadPublishedName;

impl PublishedName {
    pub const CHARS_MAX: usize = 200;

    pub fn new(text: &str) -> Result<Self, BadPublishedName> {
        let (namespace, own) = text.split_once('/').ok_or(BadPublishedName)?;
        let begins_well = |part: &str| part.starts_with(|first: char| first.is_ascii_alphanumeric());
        let fits = |part: &str, more: &[char]| {
            begins_well(part) && part.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(&c))
        };
        let is_name =
            text.len() <= Self::CHARS_MAX && fits(namespace, &['.', '-']) && fits(own, &['.', '-', '_']);
        if is_name { Ok(Self(text.to_owned())) } else { Err(BadPublishedName) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The publisher, as the registry has verified it.
    pub fn namespace(&self) -> &str {
        self.0.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    /// The name of the server here, unless the operator gives another one. It has no dot: names with dots may have a meaning
    /// of their own.
    pub fn own_name(&self) -> String {
        let own = self.0.split_once('/').map_or("", |(_, own)| own);
        let legal = own.chars().map(|c| if c == '.' { '-' } else { c });
        let legal: String = legal.take(ServerName::CHARS_MAX).collect();
        if ServerName::new(&legal).is_ok() { legal } else { "server".to_owned() }
    }
}

impl fmt::Display for PublishedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for PublishedName {
    type Error = BadPublishedName;

    fn try_from(text: String) -> Result<Self, BadPublishedName> {
        Self::new(&text)
    }
}

impl From<PublishedName> for String {
    fn from(name: PublishedName) -> Self {
        name.0
    }
}

/// The entry of a registry that a server was made from.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedOrigin {
    /// The address of the registry.
    pub registry: String,
    pub name: PublishedName,
    pub version: String,
    /// Of the entry, as it was read then.
    pub digest: Digest,
}
