//! The four levels of care that ship, from the least to the most strict. Each is a text of gates, like any other.

use crate::source::{Author, Set, Text};

/// A level of care. A later one is stricter, and gates whatever an earlier one gates.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Template {
    /// No gates.
    #[default]
    Exploratory,
    /// Gates promotions and external writes.
    Standard,
    /// Gates schema changes and claim decisions too.
    Regulated,
    /// Gates every move and every external action.
    AuditCritical,
}

const STANDARD: &str = include_str!("templates/standard.cedar");
const REGULATED: &str = include_str!("templates/regulated.cedar");
const AUDIT_CRITICAL: &str = include_str!("templates/audit_critical.cedar");
const GUARD: &str = include_str!("templates/guard.cedar");

impl Template {
    pub const ALL: [Template; 4] =
        [Template::Exploratory, Template::Standard, Template::Regulated, Template::AuditCritical];

    pub fn as_str(self) -> &'static str {
        match self {
            Template::Exploratory => "exploratory",
            Template::Standard => "standard",
            Template::Regulated => "regulated",
            Template::AuditCritical => "audit_critical",
        }
    }

    pub fn parse(name: &str) -> Option<Template> {
        Self::ALL.into_iter().find(|template| template.as_str() == name)
    }

    /// What holds where two scopes meet: strictness never relaxes.
    #[must_use]
    pub fn strictest(a: Template, b: Template) -> Template {
        a.max(b)
    }

    /// The gates of this level, in the words of Cedar.
    pub(crate) fn texts(self) -> Vec<Text> {
        let levels = [
            (Template::Standard, STANDARD),
            (Template::Regulated, REGULATED),
            (Template::AuditCritical, AUDIT_CRITICAL),
        ];
        let held = levels.into_iter().filter(|(level, _)| *level <= self);
        held.map(|(level, text)| {
            let name = format!("built-in/{}.cedar", level.as_str());
            Text::new(&name, Set::Gates, text, Author::BuiltIn)
        })
        .collect()
    }
}

/// What holds while nobody has written a guard.
pub(crate) fn built_in_guard() -> Text {
    Text::new("built-in/guard.cedar", Set::Guard, GUARD, Author::BuiltIn)
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_of_two_levels_holds_whichever_comes_first() {
        for (place, a) in Template::ALL.into_iter().enumerate() {
            for b in Template::ALL.into_iter().skip(place) {
                assert_eq!(Template::strictest(a, b), b);
                assert_eq!(Template::strictest(b, a), b);
            }
            assert_eq!(Template::parse(a.as_str()), Some(a));
            assert_eq!(serde_json::to_string(&a).unwrap(), format!("\"{a}\""));
        }
        assert_eq!(Template::parse("lax"), None);
    }
}
