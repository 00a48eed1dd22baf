//! The names of agents and capabilities.

/// Names that people choose: letters and digits of any script, `-`, `_` and `.`.
macro_rules! plain_name {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            pub const CHARS_MAX: usize = 64;

            pub fn new(name: &str) -> Result<Self, String> {
                let fits = (1..=Self::CHARS_MAX).contains(&name.chars().count())
                    && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
                    // Dots alone lead somewhere else in an address.
                    && name.contains(|c: char| c != '.');
                // It could be confused with a session id where both are allowed.
                if fits && !name.starts_with("ses_") {
                    return Ok(Self(name.into()));
                }
                Err(format!(
                    "{name:?} is no name for {}: 1 to {} letters, digits, `-`, `_` and `.`, not beginning with `ses_`",
                    $what,
                    Self::CHARS_MAX
                ))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text itself, not a copy.
            pub fn shared(&self) -> std::sync::Arc<str> {
                std::sync::Arc::clone(&self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::new(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use plain_name;

plain_name!(
    /// The name of an agent definition.
    AgentName,
    "an agent"
);

plain_name!(
    /// The name of a capability.
    CapabilityName,
    "a capability"
);

impl AgentName {
    /// The definition for credentials without their own: every tool, within the default budget.
    pub fn default_agent() -> Self {
        Self("default".into())
    }
}
