//! A tool as policy, validation and ledger see it.

mod action;
mod extra;
mod files;
mod handling;
mod refill;
mod secrets;
mod traits;

use std::sync::Arc;

use serde_json::Value;

use crate::{CanonicalName, Digest, RawJson, ServerName};

pub use action::Action;
pub use extra::{BadExtra, EXTRA_META, ToolExtra};
pub use files::{BadSlot, FileSlot, FileStrategy, SlotForm};
pub use handling::{BadRate, CacheRule, CacheScope, CallRate, ToolHandling};
pub use refill::TokenBucket;
pub use secrets::{BadSecretSlot, SecretSlot};
pub use traits::ToolTrait;

/// The possible effects of a tool call. Unknown means all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Effects(u8);

impl Effects {
    pub const NONE: Effects = Effects(0);
    pub const READ: Effects = Effects(1);
    pub const WRITE: Effects = Effects(2);
    pub const EXTERNAL: Effects = Effects(4);
    pub const DESTRUCTIVE: Effects = Effects(8);
    pub const ALL: Effects = Effects(15);

    /// Each effect with its name, in the fixed order of output.
    pub const NAMES: [(Effects, &'static str); 4] = [
        (Effects::READ, "read"),
        (Effects::WRITE, "write"),
        (Effects::EXTERNAL, "external"),
        (Effects::DESTRUCTIVE, "destructive"),
    ];

    #[must_use]
    pub const fn and(self, other: Effects) -> Effects {
        Effects(self.0 | other.0)
    }

    pub const fn contains(self, other: Effects) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if a call may change the world: then its start is on disk before it is sent. An external call
    /// that is not declared as a read counts as a change.
    pub const fn changes_something(self) -> bool {
        self.0 & (Effects::WRITE.0 | Effects::DESTRUCTIVE.0) != 0 || self.0 == Effects::EXTERNAL.0
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(effect, _)| self.contains(*effect)).map(|(_, name)| name)
    }

    pub fn named(name: &str) -> Option<Effects> {
        Self::NAMES.into_iter().find(|(_, one)| *one == name).map(|(effect, _)| effect)
    }
}

impl serde::Serialize for Effects {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

impl<'de> serde::Deserialize<'de> for Effects {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = <Vec<String> as serde::Deserialize>::deserialize(deserializer)?;
        names.iter().try_fold(Effects::NONE, |effects, name| {
            let effect = Effects::named(name).ok_or_else(|| {
                serde::de::Error::custom(format!(
                    "{name:?} is not an effect: read, write, external or destructive"
                ))
            })?;
            Ok(effects.and(effect))
        })
    }
}

/// The amount of detail that is recorded of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditLevel {
    /// Nothing for a permitted call that only reads. A call that may change something is always recorded.
    None,
    /// Events, with arguments and results up to a small size.
    Standard,
    /// Events, with arguments and results up to a large size, kept for longer.
    Detailed,
}

impl AuditLevel {
    pub const ALL: [AuditLevel; 3] = [AuditLevel::None, AuditLevel::Standard, AuditLevel::Detailed];

    pub fn as_str(self) -> &'static str {
        match self {
            AuditLevel::None => "none",
            AuditLevel::Standard => "standard",
            AuditLevel::Detailed => "detailed",
        }
    }
}

/// The treatment of a result that breaks the tool's own `outputSchema`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OutputCheck {
    Off,
    /// It is passed on with a warning.
    #[default]
    Warn,
    /// It is withheld, and the call has failed.
    Enforce,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    pub name: CanonicalName,
    pub server: ServerName,
    /// The server's own name for it.
    pub own: Arc<str>,
    /// The digest of name, description, schemas and annotations as the server gave them.
    pub version: Digest,
    pub effects: Effects,
    /// True if only the server claims it: neither the operator nor the gateway confirmed it.
    pub hinted: bool,
    /// True if a call may be sent again without the risk that it counts twice.
    pub idempotent: bool,
    pub audit: AuditLevel,
    pub input_schema: Option<RawJson>,
    pub output_schema: Option<RawJson>,
    /// The operator's setting for this very tool.
    pub output_check: Option<OutputCheck>,
    pub handling: ToolHandling,
}

impl Tool {
    /// A tool known by name only: it may do anything.
    pub fn unread(server: &ServerName, own: &str) -> Self {
        Self {
            name: CanonicalName::of(server, own),
            server: server.clone(),
            own: own.into(),
            version: Digest::of(""),
            effects: Effects::ALL,
            hinted: false,
            idempotent: false,
            audit: AuditLevel::Standard,
            input_schema: None,
            output_schema: None,
            output_check: None,
            handling: ToolHandling::default(),
        }
    }

    /// True if a call with an unknown outcome may be sent once more.
    pub fn may_repeat(&self) -> bool {
        self.idempotent || !self.effects.changes_something()
    }
}

/// The members that define a tool. A change to any of them makes a new version.
const VERSIONED: [&str; 6] = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// The version of a tool from its definition as text. A definition that cannot be decoded has the digest of
/// its bytes.
pub fn version_of_text(definition: &RawJson) -> Digest {
    match definition.decode::<Value>() {
        Ok(value) => version_of(&value),
        Err(_) => Digest::of(definition.as_bytes()),
    }
}

/// The version of a tool: the digest of its definition, independent of the order of members.
pub fn version_of(definition: &Value) -> Digest {
    let mut kept = serde_json::Map::new();
    for key in VERSIONED {
        if let Some(value) = definition.get(key) {
            kept.insert(key.into(), value.clone());
        }
    }
    // A server's statements here about effects, files and secrets count as much as its annotations.
    if let Some(extra) = definition.get("_meta").and_then(|meta| meta.get(EXTRA_META)) {
        kept.insert(EXTRA_META.into(), extra.clone());
    }
    let mut kept = Value::Object(kept);
    kept.sort_all_objects();
    Digest::of(kept.to_string())
}
