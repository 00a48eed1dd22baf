//! The history of a run as the ledger tells it: the digests of its messages, and which of them stand for others.

use std::collections::{BTreeMap, BTreeSet};

use toolgate_core::Digest;
use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::id::RunId;

use super::digest::NumberedDigest;
use crate::ledger::{LEDGER_PAGE_MAX, LedgerOrder};
use crate::{Store, StoreError};

/// The members of events that tell of messages.
#[derive(serde::Deserialize)]
struct ToldMessages {
    #[serde(default)]
    messages: Vec<NumberedDigest>,
    /// The messages that the added one stands for.
    #[serde(default)]
    folded: Option<ToldRange>,
    /// Of a copy: the numbers of folded messages, and of those that stand for them.
    #[serde(default)]
    folded_into: Vec<(u64, u64)>,
}

#[derive(Clone, Copy, serde::Deserialize)]
struct ToldRange {
    from: u64,
    to: u64,
}

#[derive(Default)]
pub(super) struct ToldHistory {
    pub(super) digests: BTreeMap<u64, Digest>,
    /// By the number of the message that stands for the others, which is the order in time.
    folds: BTreeMap<u64, ToldRange>,
    copied: BTreeMap<u64, u64>,
}

impl ToldHistory {
    fn hear(&mut self, told: ToldMessages) {
        if let (Some(range), Some(added)) = (told.folded, told.messages.first()) {
            self.folds.insert(added.number, range);
        }
        self.digests.extend(told.messages.iter().map(|message| (message.number, message.digest)));
        self.copied.extend(told.folded_into);
    }

    /// The number of the first message that it tells of.
    pub(super) fn first(&self) -> u64 {
        self.digests.keys().next().copied().unwrap_or(u64::MAX)
    }

    /// The first of some messages, from 1, that is folded into another one than it should be. If the beginning of the ledger is cut
    /// off, what only that told of is believed.
    pub(super) fn misfolded(&self, found: &[Option<u64>], is_cut: bool) -> Option<u64> {
        let expected = self.stand_ins(found, is_cut);
        let differs = found.iter().zip(expected).zip(1..).find(|((found, expected), _)| **found != *expected);
        differs.map(|(_, number)| number)
    }

    fn stand_ins(&self, found: &[Option<u64>], is_cut: bool) -> Vec<Option<u64>> {
        let first = self.first();
        let is_believed =
            |number: u64, into: u64| is_cut && number < first && !self.folds.contains_key(&into);
        let start = |(found, number): (&Option<u64>, u64)| {
            let copied = self.copied.get(&number).copied();
            copied.or(found.filter(|into| is_believed(number, *into)))
        };
        let mut stand_ins: Vec<Option<u64>> = found.iter().zip(1..).map(start).collect();
        // A fold that was told since the messages were read is not in them.
        for (into, range) in self.folds.range(..=found.len() as u64) {
            fold(&mut stand_ins, *into, *range);
        }
        stand_ins
    }
}

/// Folds as the store does: the messages between two numbers that were still sent, and those that stood for others between them.
fn fold(stand_ins: &mut [Option<u64>], into: u64, range: ToldRange) {
    let is_between = |number: u64| (range.from..=range.to).contains(&number);
    let older = stand_ins.iter().zip(1..).filter(|(_, number)| is_between(*number));
    let older: BTreeSet<u64> = older.filter_map(|(stand_in, _)| *stand_in).collect();
    // Messages that were added later are not concerned.
    for (stand_in, number) in stand_ins.iter_mut().zip(1..into) {
        if stand_in.is_none() && (is_between(number) || older.contains(&number)) {
            *stand_in = Some(into);
        }
    }
}

impl Store {
    pub(super) async fn told_history(&self, id: &RunId) -> Result<ToldHistory, StoreError> {
        let mut told = ToldHistory::default();
        for kind in [EventKind::ModelCalled, EventKind::RunMessages] {
            let filter = EventFilter { kind: Some(kind), run: Some(id.clone()), ..EventFilter::default() };
            let mut after = None;
            loop {
                let order = LedgerOrder::OldestFirst;
                let page = self.ledger_page(&filter, after.as_ref(), LEDGER_PAGE_MAX, order).await?;
                let Some(last) = page.last() else { break };
                after = Some(last.position.clone());
                let details = page.iter().filter_map(|one| one.event.detail.as_ref());
                let messages = details.filter_map(|detail| detail.decode::<ToldMessages>().ok());
                messages.for_each(|messages| told.hear(messages));
            }
        }
        Ok(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages from 1 to `last`, and folds as `(into, from, to)`.
    fn told(last: u64, folds: &[(u64, u64, u64)]) -> ToldHistory {
        let digests = (1..=last).map(|number| (number, Digest::of(number.to_string()))).collect();
        let folds =
            folds.iter().map(|(into, from, to)| (*into, ToldRange { from: *from, to: *to })).collect();
        ToldHistory { digests, folds, copied: BTreeMap::new() }
    }

    #[test]
    fn folds_are_followed_in_their_order() {
        let told = told(8, &[(6, 2, 3), (7, 2, 5)]);
        let folded = [None, Some(6), Some(6), Some(7), Some(7), Some(7), None, None];
        assert_eq!(told.misfolded(&folded, false), None);
        for (place, wrong) in [(0, Some(7)), (1, None), (3, Some(6)), (5, None), (7, Some(7))] {
            let mut changed = folded;
            changed[place] = wrong;
            assert_eq!(told.misfolded(&changed, false), Some(place as u64 + 1), "{place}");
        }
    }

    #[test]
    fn a_range_beyond_the_end_does_not_reach_later_messages() {
        assert_eq!(told(5, &[(4, 2, 100)]).misfolded(&[None, Some(4), Some(4), None, None], false), None);
    }

    #[test]
    fn copies_are_folded_as_they_were_told() {
        let mut told = told(4, &[]);
        told.copied = BTreeMap::from([(2, 4)]);
        assert_eq!(told.misfolded(&[None, Some(4), None, None], false), None);
        assert_eq!(told.misfolded(&[None, None, None, None], false), Some(2));
    }

    #[test]
    fn what_only_a_cut_part_of_the_ledger_told_of_is_believed() {
        let mut told = told(6, &[(6, 2, 5)]);
        told.digests.retain(|number, _| *number > 4);
        let folded = [None, Some(4), Some(4), Some(6), Some(6), None];
        assert_eq!(told.misfolded(&folded, true), None);
        assert_eq!(told.misfolded(&folded, false), Some(2));
        assert_eq!(told.misfolded(&[None, Some(4), Some(4), None, Some(6), None], true), Some(4));
    }
}
