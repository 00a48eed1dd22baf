//! Names of other servers' tools: a description that mentions them may want to lead the model there.
//!
//! Texts are split into words that are looked up, which needs no preparation when one of five hundred servers
//! changes its list; a search automaton over all names would have to be rebuilt each time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use toolgate_core::{CanonicalName, ServerName};

use crate::naming::wire_name;

/// Shorter names are words of everyday speech, even in quotes.
const DISTINCTIVE_CHARS_MIN: usize = 6;

/// The names of all tools of all servers.
#[derive(Debug, Clone, Default)]
pub struct ToolNames {
    of_server: BTreeMap<ServerName, BTreeSet<String>>,
    /// The owners: canonical and wire names, and own names that are distinctive.
    owners: HashMap<String, BTreeSet<ServerName>>,
}

impl ToolNames {
    /// Sets a server's own names of its tools; no names means no server.
    pub fn set(&mut self, server: &ServerName, own: impl IntoIterator<Item = String>) {
        let names: BTreeSet<String> = own.into_iter().collect();
        let before = self.of_server.remove(server).unwrap_or_default();
        for own in before.difference(&names) {
            known_as(server, own).into_iter().for_each(|name| self.disown(&name, server));
        }
        for own in names.difference(&before) {
            for name in known_as(server, own) {
                self.owners.entry(name).or_default().insert(server.clone());
            }
        }
        if !names.is_empty() {
            self.of_server.insert(server.clone(), names);
        }
    }

    /// The names that are foreign to a server.
    pub fn beside<'a>(&'a self, server: &'a ServerName) -> ForeignNames<'a> {
        ForeignNames(Some((self, server)))
    }

    fn disown(&mut self, name: &str, server: &ServerName) {
        if let Some(owners) = self.owners.get_mut(name) {
            owners.remove(server);
            if owners.is_empty() {
                self.owners.remove(name);
            }
        }
    }
}

fn known_as(server: &ServerName, own: &str) -> Vec<String> {
    let mut names = vec![CanonicalName::of(server, own).as_str().to_owned(), wire_name(server, own)];
    if is_distinctive(own) {
        names.push(own.to_owned());
    }
    names
}

fn is_distinctive(own: &str) -> bool {
    own.contains('_') && own.chars().count() >= DISTINCTIVE_CHARS_MIN
}

/// The names of tools that are not a server's own.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForeignNames<'a>(Option<(&'a ToolNames, &'a ServerName)>);

impl ForeignNames<'_> {
    /// The server whose definitions are scanned.
    pub(super) fn server(&self) -> Option<&ServerName> {
        self.0.map(|(_, server)| server)
    }

    /// The positions, each once. A tool's own name counts only in quotes, and only if it is not an everyday
    /// word.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut seen = BTreeSet::new();
        let foreign = |range: &Range<usize>| {
            let word = &text[range.clone()];
            let whole = word.contains(':') || word.contains("__");
            (whole || (is_distinctive(word) && is_quoted(text, range))) && self.is_foreign(word)
        };
        words(text).filter(foreign).filter(|range| seen.insert(&text[range.clone()])).collect()
    }

    fn is_foreign(&self, word: &str) -> bool {
        let Some((names, server)) = self.0 else { return false };
        names.owners.get(word).is_some_and(|owners| !owners.contains(server))
    }
}

/// Runs of characters that names have, without the full stop or colon after them.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    text.split(move |c| !in_word(c)).filter_map(move |word| {
        let trimmed = word.trim_matches(['.', ':', '-']);
        let start = trimmed.as_ptr() as usize - text.as_ptr() as usize;
        (!trimmed.is_empty()).then(|| start..start + trimmed.len())
    })
}

fn is_quoted(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    before.is_some_and(|c| matches!(c, '`' | '"' | '\'' | '“' | '‘'))
        && after.is_some_and(|c| matches!(c, '`' | '"' | '\'' | '”' | '’' | '('))
}
