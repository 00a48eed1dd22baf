//! The refs that the calls of a run left, and its approvals, also those that were decided, as the ledger has them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::data::{RunApprovalData, RunRefData};
use crate::address::PageAddress;
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The number of events of each kind that are looked through, the newest first.
const EVENTS_MAX: usize = 500;
/// The maximum number of refs of one run on a page.
const REFS_MAX: usize = 96;

#[derive(Deserialize)]
struct RunEventsData {
    events: Vec<RunEventData>,
}

#[derive(Default, Deserialize)]
struct RunEventData {
    #[serde(default)]
    at: String,
    #[serde(default)]
    call: Option<String>,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    approval: Option<String>,
    #[serde(default)]
    detail: Value,
}

#[derive(Default)]
pub(super) struct RunRecord {
    /// By the call that brought them.
    refs: BTreeMap<String, Vec<RunRefData>>,
    approvals: Vec<RunApprovalData>,
}

impl RunRecord {
    pub(super) async fn of(visit: &PageVisit, run: &str) -> PageResult<Self> {
        // Auditors see on the page of a call that there is a ref, and may not read it.
        let ends = match visit.operates() {
            true => events(visit, run, "tool.call.completed").await?,
            false => Vec::new(),
        };
        let asked = events(visit, run, "approval.requested").await?;
        let resolved = match asked.is_empty() {
            true => Vec::new(),
            false => events(visit, run, "approval.resolved").await?,
        };
        Ok(Self { refs: refs(ends), approvals: approvals(asked, &resolved) })
    }

    /// The refs of a call.
    pub(super) fn take_refs(&mut self, call: &str) -> Vec<RunRefData> {
        self.refs.remove(call).unwrap_or_default()
    }

    /// With those that wait, which the ledger may no longer have.
    pub(super) fn take_approvals(&mut self, waiting: Vec<RunApprovalData>) -> Vec<RunApprovalData> {
        let mut all = std::mem::take(&mut self.approvals);
        for one in waiting {
            if !all.iter().any(|known| known.id == one.id) {
                all.push(one);
            }
        }
        all
    }
}

async fn events(visit: &PageVisit, run: &str, kind: &str) -> PageResult<Vec<RunEventData>> {
    let asked = PageAddress::of(["ledger"]).with("run", run).with("kind", kind).with("limit", EVENTS_MAX);
    Ok(visit.find::<RunEventsData>(asked).await?.map(|found| found.events).unwrap_or_default())
}

fn refs(ends: Vec<RunEventData>) -> BTreeMap<String, Vec<RunRefData>> {
    let mut found: BTreeMap<String, Vec<RunRefData>> = BTreeMap::new();
    let mut left = REFS_MAX;
    for end in ends {
        let Some(call) = end.call else { continue };
        let all = end.detail["refs"].as_array().map(Vec::as_slice).unwrap_or_default();
        // Objects that a result is about have a type, and are no refs.
        for one in all.iter().filter_map(|one| RunRefData::deserialize(one).ok()).take(left) {
            left -= 1;
            found.entry(call.clone()).or_default().push(one);
        }
    }
    found
}

fn approvals(asked: Vec<RunEventData>, resolved: &[RunEventData]) -> Vec<RunApprovalData> {
    let known = |event: RunEventData| {
        let id = event.approval?;
        let end = resolved.iter().find(|end| end.approval.as_deref() == Some(&id));
        let state = end.map_or("pending", |end| end.detail["state"].as_str().unwrap_or("decided"));
        Some(RunApprovalData {
            state: state.to_owned(),
            call: event.call,
            tool: event.tool.unwrap_or_default(),
            created_at: event.at,
            resolved_at: end.map(|end| end.at.clone()),
            id,
        })
    };
    asked.into_iter().filter_map(known).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn end(call: &str, refs: Value) -> RunEventData {
        RunEventData {
            call: Some(call.to_owned()),
            detail: json!({ "refs": refs }),
            ..RunEventData::default()
        }
    }

    fn one(id: &str) -> Value {
        json!({ "ref_id": id, "media_type": "image/png", "size": 10 })
    }

    #[test]
    fn refs_stand_with_their_call_and_objects_do_not() {
        let refs = json!([one("ref_1"), { "type": "run", "id": "run_1" }]);
        let mut record = RunRecord {
            refs: super::refs(vec![end("tc_1", refs), end("tc_2", json!(null))]),
            ..RunRecord::default()
        };
        let taken: Vec<String> = record.take_refs("tc_1").into_iter().map(|one| one.ref_id).collect();
        assert_eq!(taken, ["ref_1"]);
        assert!(record.take_refs("tc_1").is_empty() && record.take_refs("tc_2").is_empty());
    }

    #[test]
    fn a_page_has_a_limited_number_of_refs() {
        let many = (0..REFS_MAX + 5).map(|number| one(&format!("ref_{number}"))).collect();
        let found = refs(vec![end("tc_1", many), end("tc_2", json!([one("ref_x")]))]);
        assert_eq!((found["tc_1"].len(), found.len()), (REFS_MAX, 1));
    }

    #[test]
    fn an_approval_that_was_decided_says_when_and_one_that_waits_is_there_once() {
        let event = |id: &str, at: &str, detail: Value| RunEventData {
            approval: Some(id.to_owned()),
            at: at.to_owned(),
            detail,
            ..RunEventData::default()
        };
        let asked = vec![event("apr_1", "12:00", json!({})), event("apr_2", "12:01", json!({}))];
        let resolved = [event("apr_1", "12:05", json!({ "state": "denied" }))];
        let known = approvals(asked, &resolved);
        let waiting = known[1].clone();
        let mut record = RunRecord { approvals: known, ..RunRecord::default() };
        let all = record.take_approvals(vec![waiting]);
        let told: Vec<_> =
            all.iter().map(|one| (one.id.as_str(), one.state.as_str(), one.resolved_at.as_deref())).collect();
        assert_eq!(told, [("apr_1", "denied", Some("12:05")), ("apr_2", "pending", None)]);
    }
}
