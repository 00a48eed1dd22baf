//! Secrets from the environment. They are never printed.

use std::fmt;

use capability_kit::{Trouble, environment};

/// The value of a secret.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ProviderSecret(String);

impl ProviderSecret {
    /// `None` if the variable is not set, or empty.
    pub(crate) fn of_variable(name: &'static str) -> Option<Self> {
        let value = environment::variable(name)?.into_string().ok()?;
        (!value.is_empty()).then_some(Self(value))
    }

    /// The same for a secret without which nothing works.
    pub(crate) fn required(name: &'static str) -> Result<Self, Trouble> {
        Self::of_variable(name).ok_or_else(|| {
            Trouble::unavailable(format!("the environment variable {name} is not set")).hint(format!(
                "the operator sets it for this server, such as env = {{ {name} = \"${{vault:NAME}}\" }}"
            ))
        })
    }

    /// For the provider alone.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with this secret taken out, wherever it stands in it.
    pub(crate) fn masked(&self, text: &str) -> String {
        text.replace(&self.0, capability_kit::ShownRequest::MASK)
    }
}

impl fmt::Debug for ProviderSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderSecret")
    }
}
