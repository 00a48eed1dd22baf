//! The mounts of a session: the servers and data that it may use.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::ServerName;

/// The mounts of a session. If it names no server, servers are not restricted; every other kind that a tool
/// needs must be named.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mounts {
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub servers: BTreeSet<ServerName>,
    /// Providers that connectors reach, such as `slack`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub providers: BTreeSet<String>,
    /// Patterns over namespaces, such as `project/*`; with a colon, over the names in them too: `project/a:draft`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub pointers: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub knowledge_bases: BTreeSet<String>,
}

impl Mounts {
    /// Mounts of each kind.
    pub const NAMES_MAX: usize = 1000;

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Mounts add up.
    pub fn add(&mut self, other: Mounts) {
        self.servers.extend(other.servers);
        self.providers.extend(other.providers);
        self.pointers.extend(other.pointers);
        self.knowledge_bases.extend(other.knowledge_bases);
    }

    pub fn satisfy(&self, need: &MountNeed) -> bool {
        match need {
            MountNeed::Provider(name) => self.providers.contains(name),
            MountNeed::Pointer => !self.pointers.is_empty(),
            MountNeed::KnowledgeBase => !self.knowledge_bases.is_empty(),
            // A role, which no mount replaces.
            MountNeed::Operator => false,
        }
    }
}

/// A mount that a tool needs to be useful, or the role: `provider:slack`, `pointer`, `knowledge_base`, `operator`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MountNeed {
    Provider(String),
    /// Some pointer.
    Pointer,
    /// Some knowledge base.
    KnowledgeBase,
    /// The role of those who run the gateway. For others, the tool does not exist.
    Operator,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is nothing that a tool can need: `provider:NAME`, `pointer`, `knowledge_base` or `operator`")]
pub struct BadNeed(String);

const PROVIDER: &str = "provider:";

impl FromStr for MountNeed {
    type Err = BadNeed;

    fn from_str(text: &str) -> Result<Self, BadNeed> {
        match (text, text.strip_prefix(PROVIDER)) {
            ("pointer", _) => Ok(MountNeed::Pointer),
            ("knowledge_base", _) => Ok(MountNeed::KnowledgeBase),
            ("operator", _) => Ok(MountNeed::Operator),
            (_, Some(name)) if !name.is_empty() && !name.contains(char::is_whitespace) => {
                Ok(MountNeed::Provider(name.to_owned()))
            }
            _ => Err(BadNeed(text.to_owned())),
        }
    }
}

impl fmt::Display for MountNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MountNeed::Provider(name) => write!(f, "{PROVIDER}{name}"),
            MountNeed::Pointer => f.write_str("pointer"),
            MountNeed::KnowledgeBase => f.write_str("knowledge_base"),
            MountNeed::Operator => f.write_str("operator"),
        }
    }
}

impl serde::Serialize for MountNeed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for MountNeed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
