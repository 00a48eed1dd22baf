//! The verification of the chain: its last result, and what it found.

use maud::{Markup, html};
use serde::Deserialize;

use crate::layout::csrf;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, number, text};
use crate::visit::PageVisit;

/// The number of damaged files that are shown.
const FAULTS_MAX: usize = 20;

#[derive(Deserialize)]
pub(super) struct LedgerSummaryData {
    events: u64,
    /// True if days that are over are archived.
    #[serde(default)]
    pub(super) archive: bool,
    #[serde(default)]
    verified: Option<VerificationData>,
}

/// The result of a verification.
#[derive(Deserialize)]
pub(super) struct VerificationData {
    /// The time, if it was not just now.
    #[serde(default)]
    at: Option<String>,
    intact: bool,
    events: u64,
    #[serde(default)]
    fault: Option<LedgerFaultData>,
    #[serde(default)]
    archive: Option<ArchiveVerificationData>,
    /// The number of signed checkpoints that the ledger was held against.
    #[serde(default)]
    checkpoints: u64,
    #[serde(default)]
    checkpoint_faults: Vec<AdvisedFaultData>,
}

impl VerificationData {
    /// True if nothing is wrong, or only with the archive or with files of checkpoints.
    fn is_chain_intact(&self) -> bool {
        let has_archive_faults = self.archive.as_ref().is_some_and(|archive| !archive.faults.is_empty());
        self.intact || (self.fault.is_none() && (has_archive_faults || !self.checkpoint_faults.is_empty()))
    }
}

/// The result for the archive, where there is one.
#[derive(Deserialize)]
struct ArchiveVerificationData {
    segments: u64,
    events: u64,
    faults: Vec<AdvisedFaultData>,
}

/// A damaged or missing file of the archive or of a checkpoint.
#[derive(Deserialize)]
pub(super) struct AdvisedFaultData {
    message: String,
    hint: String,
}

/// The first event that differs from what was written.
#[derive(Deserialize)]
struct LedgerFaultData {
    stream: String,
    number: i64,
    what: String,
}

/// The state of the chain, as of the last verification. `fields` go along with the request for another one.
pub(super) fn chain(
    visit: &PageVisit,
    fields: &Markup,
    ledger: Option<&LedgerSummaryData>,
    found: Option<&VerificationData>,
) -> Markup {
    let last = found.or(ledger.and_then(|ledger| ledger.verified.as_ref()));
    html! {
        section.card #chain aria-labelledby="chain-title" {
            h2 #chain-title { "Chain" }
            div.row {
                div.grow role="status" {
                    @match last {
                        Some(found) => { (verdict(visit, found)) (checkpoint_verdict(found)) (archive_verdict(found)) },
                        None => p { "Every event holds the hash of the one before it. The chain has not been verified since this gateway started." },
                    }
                    @if let Some(ledger) = ledger { p.help { (number(ledger.events)) " events in all." } }
                }
                form method="post" action="/console/ledger/verify" {
                    (csrf(visit))
                    (fields)
                    button.button type="submit" { "Verify the whole chain" }
                }
            }
        }
    }
}

fn verdict(visit: &PageVisit, found: &VerificationData) -> Markup {
    let when = html! { @match &found.at { Some(at) => (ago(visit, at)), None => "just now" } };
    match &found.fault {
        _ if found.is_chain_intact() => html! {
            p { (parts::badge("intact", BadgeTone::Good)) " All " (number(found.events)) " events were intact, " (when) "." }
        },
        Some(fault) => html! {
            p { (parts::badge("not intact", BadgeTone::Bad)) " Found " (when) ":" }
            p.error { (said(fault)) }
            p.help { (advice(fault)) }
        },
        None => {
            html! { p { (parts::badge("not intact", BadgeTone::Bad)) " Found " (when) "; verify again to see where." } }
        }
    }
}

/// The files of the archive that are damaged or missing.
fn archive_verdict(found: &VerificationData) -> Markup {
    let Some(archive) = &found.archive else { return html! {} };
    html! {
        @if archive.faults.is_empty() {
            p { "In the archive, all " (number(archive.events)) " events in " (number(archive.segments)) " segments were intact." }
        }
        (advised(&archive.faults))
    }
}

/// The checkpoints of the configured folder that the ledger was held against.
fn checkpoint_verdict(found: &VerificationData) -> Markup {
    html! {
        @if found.checkpoints > 0 && found.is_chain_intact() {
            p { "Matching signed checkpoints: " (number(found.checkpoints)) "." }
        }
        (advised(&found.checkpoint_faults))
    }
}

pub(super) fn advised(faults: &[AdvisedFaultData]) -> Markup {
    html! {
        @for fault in faults.iter().take(FAULTS_MAX) {
            p.error { (text::long(&fault.message)) }
            p.help { (text::long(&fault.hint)) }
        }
    }
}

fn advice(fault: &LedgerFaultData) -> &'static str {
    match fault.what.as_str() {
        "edited" | "dropped" | "reordered" | "inserted" | "block_forged" | "tail_removed" => {
            "Everything before it in its stream is intact. Compare the rest with an export or a backup."
        }
        "body_edited" | "body_missing" | "body_forged" => {
            "The events are intact. Compare the bodies with a backup."
        }
        "term_forged" => {
            "The events of its stream are intact. Searches may not find all of them; an export without a filter has them."
        }
        _ => "Compare the whole ledger with an export or a backup.",
    }
}

fn said(fault: &LedgerFaultData) -> Markup {
    let what = match fault.what.as_str() {
        "edited" => "it was changed after it was written",
        "dropped" => "it is missing",
        "reordered" => "it is out of order",
        "inserted" => "it was not written by a gateway",
        "head_forged" => "the sealed end of its stream is missing or forged",
        "block_forged" => "the entry of its block is missing or forged",
        "term_forged" => "an entry by which searches find the events of its block is missing or forged",
        "rewritten" => "its stream up to here differs from a signed checkpoint",
        "tail_removed" => "a signed checkpoint includes it, but its stream ends earlier",
        "stream_removed" => "a signed checkpoint includes its stream, but the stream is missing",
        "older_database" => "a signed checkpoint includes it, but the database has nothing newer",
        "body_edited" => "its arguments or its result were changed after it was written",
        "body_missing" => "its arguments or its result are missing",
        "cut_forged" => "the record of the removed beginning of its stream is forged",
        "body_forged" => {
            return html! { "A stored body does not match its digest, and no event names it." };
        }
        other => other,
    };
    html! {
        "Event " (fault.number) " of stream " (text::short(&fault.stream))
        ": " (text::short(what)) "."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_plainly() {
        let fault = LedgerFaultData { stream: "gate-1".into(), number: 7, what: "dropped".into() };
        let shown = said(&fault).into_string();
        assert!(shown.starts_with("Event 7 of stream <bdi>gate-1</bdi>: "), "{shown}");
        assert!(shown.contains("it is missing"), "{shown}");
    }

    #[test]
    fn a_file_that_is_no_checkpoint_is_told_beside_an_intact_chain() {
        let found: VerificationData = serde_json::from_value(serde_json::json!({
            "intact": false, "events": 3, "checkpoints": 2,
            "checkpoint_faults": [{ "message": "<it> is no checkpoint", "hint": "look at it" }],
        }))
        .expect("a verification");
        assert!(found.is_chain_intact());
        let shown = checkpoint_verdict(&found).into_string();
        assert!(
            shown.contains("Matching signed checkpoints: 2.")
                && shown.contains("&lt;it&gt; is no checkpoint"),
            "{shown}"
        );
    }
}
