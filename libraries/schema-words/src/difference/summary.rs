//! All changes in one sentence.

use super::change::{ChangeKind, SchemaChange, SchemaNoun};
use crate::quoted;

/// Changes that the sentence names; the rest is counted.
const NAMED_MAX: usize = 6;

pub(super) fn of(changes: &[SchemaChange], noun: SchemaNoun) -> String {
    let has = |kind: ChangeKind| changes.iter().any(|change| change.kind == kind);
    let only = |kinds: &[ChangeKind]| changes.iter().all(|change| kinds.contains(&change.kind));
    match () {
        () if changes.is_empty() => "nothing changed".to_owned(),
        () if only(&[ChangeKind::Wording]) => "only descriptions changed".to_owned(),
        () if only(&[ChangeKind::OptionalAdded, ChangeKind::Wording]) => {
            let also = if has(ChangeKind::Wording) { ", and descriptions changed" } else { "" };
            format!("only optional {} were added: {}{also}", noun.many(), added(changes))
        }
        () => named(changes),
    }
}

fn added(changes: &[SchemaChange]) -> String {
    let new: Vec<String> = changes
        .iter()
        .filter(|change| change.kind == ChangeKind::OptionalAdded)
        .map(|change| quoted::name(&change.path))
        .collect();
    quoted::listed(new.into_iter())
}

/// Changes that may break somebody come first.
fn named(changes: &[SchemaChange]) -> String {
    let weight = |change: &&SchemaChange| match change.kind {
        ChangeKind::RequiredAdded | ChangeKind::Removed => 0,
        ChangeKind::Tightened | ChangeKind::Altered => 1,
        ChangeKind::OptionalAdded | ChangeKind::Loosened => 2,
        ChangeKind::Wording => 3,
    };
    let mut sorted: Vec<&SchemaChange> = changes.iter().collect();
    sorted.sort_by_key(weight);
    let more = sorted.len().saturating_sub(NAMED_MAX);
    let mut words: Vec<String> = sorted.iter().take(NAMED_MAX).map(|change| change.words.clone()).collect();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words.join("; ")
}
