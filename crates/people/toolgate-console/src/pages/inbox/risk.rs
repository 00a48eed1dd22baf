//! The order of the list: calls that may destroy come first, then external ones, then writes, then reads;
//! within a kind the newest first. A question changes nothing by itself, and counts as a read.

use maud::{Markup, html};
use toolgate_core::Effects;

use super::data::InboxEntryData;
use crate::parts::{BadgeTone, badge};

/// From the least to the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Risk {
    Reads,
    Writes,
    ReachesOutside,
    Destroys,
}

impl Risk {
    /// Unknown effects may be anything.
    pub(super) fn of(effects: Option<Effects>) -> Self {
        let effects = effects.unwrap_or(Effects::ALL);
        let has = |one| effects.contains(one);
        match () {
            () if has(Effects::DESTRUCTIVE) => Risk::Destroys,
            () if has(Effects::EXTERNAL) => Risk::ReachesOutside,
            () if has(Effects::WRITE) => Risk::Writes,
            () => Risk::Reads,
        }
    }

    /// For people.
    pub(super) fn said(self) -> &'static str {
        match self {
            Risk::Reads => "Only reads",
            Risk::Writes => "Changes data",
            Risk::ReachesOutside => "Acts outside",
            Risk::Destroys => "May destroy data",
        }
    }

    fn of_entry(entry: &InboxEntryData) -> Self {
        match entry {
            InboxEntryData::Approval(approval) => Risk::of(approval.effects),
            InboxEntryData::Input(_) => Risk::Reads,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Risk::Reads => "reads",
            Risk::Writes => "writes",
            Risk::ReachesOutside => "external",
            Risk::Destroys => "destroys",
        }
    }
}

/// Greatest risk first, then newest.
pub(super) fn order(entries: &mut [InboxEntryData]) {
    entries.sort_by(|one, other| {
        let risk = Risk::of_entry(other).cmp(&Risk::of_entry(one));
        risk.then_with(|| other.created_at().cmp(one.created_at()))
    });
}

/// The possible effects of a call, in words.
pub(super) fn effects(effects: Option<Effects>) -> Markup {
    let Some(known) = effects else { return badge("unknown effects", BadgeTone::Bad) };
    let words = Effects::NAMES.into_iter().filter(|(one, _)| known.contains(*one));
    html! {
        ul.chips aria-label="Possible effects" {
            @for (one, word) in words { li { (badge(word, tone(one))) } }
            @if known == Effects::NONE { li { (badge("no effects", BadgeTone::Plain)) } }
        }
    }
}

fn tone(effect: Effects) -> BadgeTone {
    match effect {
        Effects::DESTRUCTIVE => BadgeTone::Bad,
        Effects::EXTERNAL => BadgeTone::Waiting,
        _ => BadgeTone::Plain,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn approval(id: &str, effects: Value, created_at: &str) -> InboxEntryData {
        let requirement = json!({ "gates": [], "approvers": [], "quorum": 1 });
        serde_json::from_value(json!({ "kind": "approval", "id": id, "state": "pending", "tool": "a:b",
            "principal": "p", "call": "tc_1", "effects": effects, "effective": "sha256:0", "requirement": requirement,
            "created_at": created_at, "expires_at": created_at }))
        .expect("an entry")
    }

    fn question(id: &str, created_at: &str) -> InboxEntryData {
        serde_json::from_value(
            json!({ "kind": "input", "id": id, "state": "pending", "run": "run_1", "principal": "p",
            "slot_type": "text", "slot_id": "s", "prompt_key": "Why?", "created_at": created_at }),
        )
        .expect("an entry")
    }

    fn ids(entries: &[InboxEntryData]) -> Vec<&str> {
        entries
            .iter()
            .map(|entry| match entry {
                InboxEntryData::Approval(approval) => approval.id.as_str(),
                InboxEntryData::Input(input) => input.id.as_str(),
            })
            .collect()
    }

    #[test]
    fn what_may_destroy_comes_before_what_reaches_outside_writes_and_reads() {
        let mut entries = [
            approval("reads", json!(["read"]), "2026-01-05T00:00:00Z"),
            question("asks", "2026-01-06T00:00:00Z"),
            approval("writes", json!(["read", "write"]), "2026-01-04T00:00:00Z"),
            approval("old", json!(["destructive"]), "2026-01-01T00:00:00Z"),
            approval("external", json!(["read", "external"]), "2026-01-03T00:00:00Z"),
            approval("new", json!(["read", "destructive"]), "2026-01-02T00:00:00Z"),
        ];
        order(&mut entries);
        assert_eq!(ids(&entries), ["new", "old", "external", "writes", "asks", "reads"]);
    }

    #[test]
    fn what_is_not_known_may_do_anything() {
        assert_eq!(Risk::of(None), Risk::Destroys);
        assert_eq!(Risk::of(Some(Effects::NONE)), Risk::Reads);
    }
}
