//! Names that people and policies use. The names agents see on the wire are made in `toolgate-catalog`.

use std::fmt;
use std::sync::Arc;

/// The server that policies and the ledger know the gateway's own tools by. No other may be called so.
pub const OWN_SERVER: &str = "toolgate";

/// The beginning of the names of servers that are connectors.
const CONNECTOR: &str = "connector.";

/// The name of a server, as the operator wrote it: the first half of a canonical name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(Arc<str>);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadServerName {
    #[error("a server name may not be empty")]
    Empty,
    #[error("a server name has at most {max} characters", max = ServerName::CHARS_MAX)]
    TooLong,
    #[error("a server name may not contain {0:?}")]
    Character(char),
}

impl ServerName {
    pub const CHARS_MAX: usize = 64;

    /// Letters and digits of any script, `-`, `_` and `.`; the colon belongs to canonical names.
    pub fn new(name: &str) -> Result<Self, BadServerName> {
        if name.is_empty() {
            return Err(BadServerName::Empty);
        }
        if name.chars().count() > Self::CHARS_MAX {
            return Err(BadServerName::TooLong);
        }
        match name.chars().find(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.')) {
            Some(c) => Err(BadServerName::Character(c)),
            None => Ok(Self(name.into())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The provider of a server called `connector.PROVIDER` or `connector.PROVIDER.CONNECTION`, such as `slack`. Sessions see
    /// its tools only if they mount that provider.
    pub fn provider(&self) -> Option<&str> {
        let rest = self.0.strip_prefix(CONNECTOR)?;
        rest.split('.').next().filter(|provider| !provider.is_empty())
    }

    /// The text itself, not a copy.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl serde::Serialize for ServerName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for ServerName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

/// `{server}:{tool}`: the name of a tool for policy, ledger, CLI, API and console.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct CanonicalName(Arc<str>);

impl CanonicalName {
    pub fn of(server: &ServerName, own: &str) -> Self {
        Self(format!("{server}:{own}").into())
    }

    /// Takes a name that was canonical when it was written down.
    pub fn recorded(name: &str) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text itself, not a copy.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl fmt::Display for CanonicalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `{domain}.{resource}.{action}`: a name for what a tool does, independent of its server.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize)]
#[serde(transparent)]
pub struct DomainName(Arc<str>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name such as `documents.text.extract` has three parts of a-z, 0-9 and _ with dots between them")]
pub struct BadDomainName;

impl DomainName {
    pub const CHARS_MAX: usize = 128;
    const PARTS: usize = 3;

    pub fn new(name: &str) -> Result<Self, BadDomainName> {
        let part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        let fits = name.len() <= Self::CHARS_MAX
            && name.split('.').count() == Self::PARTS
            && name.split('.').all(part);
        fits.then(|| Self(name.into())).ok_or(BadDomainName)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DomainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
