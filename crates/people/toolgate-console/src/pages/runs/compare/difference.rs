//! The first differences of two runs: in their calls, in the arguments of calls that both made, and in the results of those.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::align::AlignedCalls;
use super::steady::steady;
use crate::address::PageAddress;
use crate::pages::runs::data::RunCallData;
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// Pairs of calls whose arguments and results are read.
pub(super) const PAIRS_MAX: usize = 40;

/// The row of a difference, and both values.
pub(super) struct ValueDifference {
    pub(super) row: usize,
    pub(super) left: Value,
    pub(super) right: Value,
}

#[derive(Default)]
pub(super) struct RunDifferences {
    /// The first row in which only one run has a call, or in which the calls ended differently.
    pub(super) call: Option<usize>,
    pub(super) arguments: Option<ValueDifference>,
    pub(super) result: Option<ValueDifference>,
    /// Later pairs were not read.
    pub(super) is_cut: bool,
    /// A pair whose arguments or results are no longer kept.
    pub(super) has_gaps: bool,
}

#[derive(Default, Deserialize)]
struct CallBodiesData {
    events: Vec<CallBodyEventData>,
    #[serde(default)]
    bodies: Map<String, Value>,
}

#[derive(Deserialize)]
struct CallBodyEventData {
    #[serde(default)]
    input: Option<String>,
    #[serde(default)]
    output: Option<String>,
}

impl CallBodiesData {
    fn arguments(&self) -> Option<Value> {
        let digest = self.events.iter().find_map(|event| event.input.as_deref())?;
        self.bodies.get(digest).map(steady)
    }

    fn result(&self) -> Option<Value> {
        let digest = self.events.iter().rev().find_map(|event| event.output.as_deref())?;
        self.bodies.get(digest).map(steady)
    }
}

pub(super) async fn find(
    visit: &PageVisit,
    rows: &[AlignedCalls],
    left: &[RunCallData],
    right: &[RunCallData],
) -> PageResult<RunDifferences> {
    let differs = |row: &AlignedCalls| match row.both() {
        Some((one, other)) => left[one].state != right[other].state,
        None => true,
    };
    let mut found = RunDifferences { call: rows.iter().position(differs), ..RunDifferences::default() };
    let pairs: Vec<(usize, (usize, usize))> =
        rows.iter().enumerate().filter_map(|(row, pair)| Some((row, pair.both()?))).collect();
    for (row, (one, other)) in pairs.iter().take(PAIRS_MAX) {
        if found.arguments.is_some() && found.result.is_some() {
            return Ok(found);
        }
        let one = bodies(visit, &left[*one].call).await?;
        let other = bodies(visit, &right[*other].call).await?;
        let arguments = (one.arguments(), other.arguments());
        let result = (one.result(), other.result());
        found.has_gaps |= arguments.0.is_none() || arguments.1.is_none();
        note(&mut found.arguments, *row, arguments);
        note(&mut found.result, *row, result);
    }
    found.is_cut = pairs.len() > PAIRS_MAX;
    Ok(found)
}

/// Keeps the first difference. What is no longer kept is none.
fn note(first: &mut Option<ValueDifference>, row: usize, (left, right): (Option<Value>, Option<Value>)) {
    if let (true, Some(left), Some(right)) = (first.is_none(), left, right) {
        *first = (left != right).then_some(ValueDifference { row, left, right });
    }
}

async fn bodies(visit: &PageVisit, call: &str) -> PageResult<CallBodiesData> {
    Ok(visit.find(PageAddress::of(["ledger", call])).await?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_stays_and_what_is_gone_is_none() {
        let mut first = None;
        note(&mut first, 0, (Some(json!(1)), None));
        note(&mut first, 1, (Some(json!(1)), Some(json!(1))));
        assert!(first.is_none());
        note(&mut first, 2, (Some(json!(1)), Some(json!(2))));
        note(&mut first, 3, (Some(json!(1)), Some(json!(3))));
        assert_eq!(first.map(|first| (first.row, first.right)), Some((2, json!(2))));
    }
}
