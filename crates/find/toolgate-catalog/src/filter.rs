//! The selection of a server's tools that are shown at all.

use wildmatch::WildMatch;

/// Patterns over the server's own tool names: `*` for any run of characters, `?` for one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolNameFilter {
    allow: Vec<WildMatch>,
    deny: Vec<WildMatch>,
}

impl ToolNameFilter {
    pub fn new<'a>(
        allow: impl IntoIterator<Item = &'a str>,
        deny: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self {
            allow: allow.into_iter().map(WildMatch::new).collect(),
            deny: deny.into_iter().map(WildMatch::new).collect(),
        }
    }

    /// An empty allow list allows everything; a denied name stays denied.
    pub fn shows(&self, name: &str) -> bool {
        let allowed = self.allow.is_empty() || self.allow.iter().any(|pattern| pattern.matches(name));
        allowed && !self.deny.iter().any(|pattern| pattern.matches(name))
    }
}
