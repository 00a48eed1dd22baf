//! Tools by their names: exactly, and by how a name begins.

use std::sync::Arc;

use super::Subset;
use super::analysis::Analysis;
use crate::words;

/// No name is longer; a longer text is a sentence.
const CHARS_MAX: usize = 200;

/// The keys of all names, sorted, each with the slot of its tool.
#[derive(Default)]
pub(super) struct NameIndex(Vec<(Arc<str>, u32)>);

/// The similarity of a query to a name, the nearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Nearness {
    /// It is the name, letter for letter.
    Same,
    /// It is the name in another spelling: `create issue` for `createIssue`.
    SameWords,
    Beginning,
    None,
}

impl NameIndex {
    /// The names of tools in the order of their slots.
    pub(super) fn of(tools: &[&Analysis]) -> Self {
        let slots = (0..).zip(tools);
        let keys = slots.flat_map(|(slot, tool)| tool.keys.iter().map(move |key| (Arc::clone(key), slot)));
        let mut keys: Vec<(Arc<str>, u32)> = keys.filter(|(key, _)| !key.is_empty()).collect();
        keys.sort_unstable();
        keys.dedup();
        Self(keys)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(name, slot)| (&**name, *slot as usize))
    }

    /// All whose key begins like this, including equal ones.
    fn beginning<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (&'a str, usize)> {
        let start = self.0.partition_point(|(name, _)| **name < *key);
        let same = self.0[start..].iter().take_while(move |(name, _)| name.starts_with(key));
        same.map(|(name, slot)| (&**name, *slot as usize))
    }
}

/// The tools of a subset with names near a query. A tool may occur several times.
pub(super) fn near(subset: &Subset, query: &str) -> Vec<(usize, Nearness)> {
    let query = query.trim();
    let key = if query.len() > CHARS_MAX { String::new() } else { words::name_key(query) };
    if key.is_empty() {
        return Vec::new();
    }
    let inside_word = may_end_inside_word(subset, query, &key);
    let allowed = subset.index.names.beginning(&key).filter(|(_, slot)| subset.has(*slot));
    let near = allowed.filter_map(|(name, slot)| match name[key.len()..].chars().next() {
        None if subset.index.documents[slot].names().any(|name| name == query) => {
            Some((slot, Nearness::Same))
        }
        None => Some((slot, Nearness::SameWords)),
        Some('_') => Some((slot, Nearness::Beginning)),
        Some(_) => inside_word.then_some((slot, Nearness::Beginning)),
    });
    near.collect()
}

/// `create_iss` is half a name; `map` is a word, and not the beginning of `maple`, if it is known as a word.
fn may_end_inside_word(subset: &Subset, query: &str, key: &str) -> bool {
    let is_name = key.contains('_') && !query.contains(char::is_whitespace);
    let last = key.rsplit('_').next().unwrap_or(key);
    is_name || !subset.index.term(&words::stem(last)).is_some_and(|term| subset.knows(term))
}
