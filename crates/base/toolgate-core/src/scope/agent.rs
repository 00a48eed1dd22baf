//! A kind of agent, as operators define it.

use serde::Deserialize;

use super::mount::Mounts;
use super::name::{AgentName, CapabilityName};
use super::pattern::NamePattern;
use crate::Digest;
use crate::decision::PolicyTemplate;

/// A kind of agent: the starting point of its sessions. Each change makes a new version.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentDefinition {
    pub name: AgentName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `None` means every tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<CapabilityName>>,
    /// Tools that are listed with their schemas even where the rest is searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<NamePattern>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<NamePattern>,
    #[serde(default, skip_serializing_if = "Mounts::is_empty")]
    pub mounts: Mounts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_template: Option<PolicyTemplate>,
    #[serde(default)]
    pub token_budget: TokenBudget,
    /// Lists omit repeated text of schemas.
    #[serde(default)]
    pub schema_diet: bool,
    /// Tools that a client of the older era finds join its list.
    #[serde(default)]
    pub reveal_found: bool,
    #[serde(default)]
    pub limits: AgentLimits,
    /// The principals whose credentials start with this definition, unless the credential names another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub principals: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

impl AgentDefinition {
    /// Everything that a definition may say, wherever it is written.
    pub const KEYS: &[&str] = &[
        "name",
        "description",
        "capabilities",
        "pinned",
        "blocked",
        "mounts",
        "policy_template",
        "token_budget",
        "schema_diet",
        "reveal_found",
        "limits",
        "principals",
        "groups",
    ];

    /// A definition with nothing but a name.
    pub fn named(name: AgentName) -> Self {
        Self {
            name,
            description: None,
            capabilities: None,
            pinned: Vec::new(),
            blocked: Vec::new(),
            mounts: Mounts::default(),
            policy_template: None,
            token_budget: TokenBudget::default(),
            schema_diet: false,
            reveal_found: false,
            limits: AgentLimits::default(),
            principals: Vec::new(),
            groups: Vec::new(),
        }
    }

    pub fn version(&self) -> Digest {
        Digest::of(serde_json::to_vec(self).expect("a definition is text and numbers"))
    }
}

/// The number of tokens that a list may cost before it is replaced by search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenBudget {
    /// 0 is always searched.
    Tokens(u32),
    /// Everything is always listed.
    Off,
}

impl TokenBudget {
    pub const USUAL: u32 = 8_000;
}

impl Default for TokenBudget {
    fn default() -> Self {
        TokenBudget::Tokens(Self::USUAL)
    }
}

impl serde::Serialize for TokenBudget {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TokenBudget::Tokens(tokens) => serializer.serialize_u32(*tokens),
            TokenBudget::Off => serializer.serialize_str("off"),
        }
    }
}

impl<'de> serde::Deserialize<'de> for TokenBudget {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum NumberOrWord {
            Number(i64),
            Word(String),
        }
        let wrong = || serde::de::Error::custom("a budget is a number of tokens, 0 or more, or \"off\"");
        match NumberOrWord::deserialize(deserializer).map_err(|_| wrong())? {
            NumberOrWord::Number(tokens) => {
                u32::try_from(tokens).map(TokenBudget::Tokens).map_err(|_| wrong())
            }
            NumberOrWord::Word(word) if word == "off" => Ok(TokenBudget::Off),
            NumberOrWord::Word(_) => Err(wrong()),
        }
    }
}

/// The limits for sessions of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentLimits {
    /// A session is closed after being idle this long.
    pub idle_seconds: u64,
    /// A session is closed at this age, used or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime_seconds: Option<u64>,
    /// Sessions of this agent that are open at once.
    pub sessions_max: u32,
}

impl AgentLimits {
    /// The maximum lifetime of a session.
    pub const SECONDS_MAX: u64 = 365 * 24 * 3600;
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self { idle_seconds: 24 * 3600, lifetime_seconds: None, sessions_max: 1000 }
    }
}
