//! The limits on the size of a definition.

use super::{AgentDefinition, AgentLimits, Capability, Mounts};

/// An invalid part of a definition, and its position: `limits.idle_seconds`, `principals[2]`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}")]
pub struct BadPart {
    pub field: String,
    pub what: String,
}

/// The maximum length of a description, in characters.
const DESCRIPTION_CHARS_MAX: usize = 2000;
/// The maximum length of a principal, a group, a tag or a mount, in characters.
const NAME_CHARS_MAX: usize = 256;
const SECONDS_MAX: u64 = AgentLimits::SECONDS_MAX;

impl AgentDefinition {
    /// Entries of each of its lists.
    pub const ENTRIES_MAX: usize = 1000;

    /// Checks its limits.
    pub fn check(&self) -> Result<(), BadPart> {
        check_description(self.description.as_deref())?;
        let capabilities = self.capabilities.as_ref().map_or(0, Vec::len);
        check_count("capabilities", capabilities, Self::ENTRIES_MAX)?;
        check_count("pinned", self.pinned.len(), Self::ENTRIES_MAX)?;
        check_count("blocked", self.blocked.len(), Self::ENTRIES_MAX)?;
        check_names("principals", &self.principals, Self::ENTRIES_MAX)?;
        check_names("groups", &self.groups, Self::ENTRIES_MAX)?;
        self.mounts.check().map_err(|bad| BadPart { field: format!("mounts.{}", bad.field), ..bad })?;
        self.check_limits()
    }

    fn check_limits(&self) -> Result<(), BadPart> {
        let seconds = |field: &str, seconds: u64| match seconds {
            1..=SECONDS_MAX => Ok(()),
            _ => bad(
                format!("limits.{field}"),
                format!("`{field}` is not a number of seconds from 1 to {SECONDS_MAX}"),
            ),
        };
        seconds("idle_seconds", self.limits.idle_seconds)?;
        self.limits.lifetime_seconds.map_or(Ok(()), |lifetime| seconds("lifetime_seconds", lifetime))?;
        match self.limits.sessions_max {
            0 => bad("limits.sessions_max", "`sessions_max` is not 1 or more"),
            _ => Ok(()),
        }
    }
}

impl Capability {
    /// Checks its limits.
    pub fn check(&self) -> Result<(), BadPart> {
        check_description(self.description.as_deref())?;
        check_count("tools", self.tools.len(), Self::RULES_MAX)?;
        check_names("tags", &self.tags, Self::RULES_MAX)?;
        check_count("servers", self.servers.len(), Self::RULES_MAX)?;
        // A canonical name has a colon and the name of a server has none, so the rule would never fit anything.
        match self.servers.iter().position(|one| one.to_string().contains(':')) {
            Some(at) => {
                bad(format!("servers[{at}]"), "the name of a server has no `:`; tools stand in `tools`")
            }
            None => Ok(()),
        }
    }
}

impl Mounts {
    /// Checks their limits.
    pub fn check(&self) -> Result<(), BadPart> {
        check_count("servers", self.servers.len(), Self::NAMES_MAX)?;
        check_names("providers", &self.providers, Self::NAMES_MAX)?;
        check_names("pointers", &self.pointers, Self::NAMES_MAX)?;
        check_names("knowledge_bases", &self.knowledge_bases, Self::NAMES_MAX)
    }
}

fn bad<T>(field: impl Into<String>, what: impl Into<String>) -> Result<T, BadPart> {
    Err(BadPart { field: field.into(), what: what.into() })
}

fn check_description(description: Option<&str>) -> Result<(), BadPart> {
    match description {
        Some(text) if text.chars().count() > DESCRIPTION_CHARS_MAX => {
            bad("description", format!("a description has at most {DESCRIPTION_CHARS_MAX} characters"))
        }
        _ => Ok(()),
    }
}

fn check_count(field: &str, count: usize, count_max: usize) -> Result<(), BadPart> {
    if count > count_max {
        return bad(field, format!("`{field}` has {count} entries; {count_max} are allowed"));
    }
    Ok(())
}

fn check_names<'a>(
    field: &str,
    names: impl IntoIterator<Item = &'a String, IntoIter: ExactSizeIterator>,
    count_max: usize,
) -> Result<(), BadPart> {
    let names = names.into_iter();
    check_count(field, names.len(), count_max)?;
    let fits = |name: &String| {
        let text = name.trim();
        !text.is_empty()
            && text.len() == name.len()
            && name.chars().count() <= NAME_CHARS_MAX
            && !name.contains(char::is_control)
    };
    match names.enumerate().find(|(_, name)| !fits(name)) {
        Some((at, _)) => bad(
            format!("{field}[{at}]"),
            format!("a name in `{field}` has 1 to {NAME_CHARS_MAX} characters and no blanks around it"),
        ),
        None => Ok(()),
    }
}
