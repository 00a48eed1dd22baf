//! Results of checks that have a form of their own, as findings: for reports of several checks and for SARIF.

use crate::content::PlacedText;
use crate::contract::Checklist;
use crate::licenses::LicenseFound;
use crate::personal::PersonalSpan;
use crate::report::{Finding, FindingList, Severity};
use crate::versions::VersionChange;

/// Personal data, one finding for each kind.
pub(super) fn personal(spans: &[PersonalSpan], text: &PlacedText) -> Vec<Finding> {
    let mut found = FindingList::default();
    for span in spans {
        let kind = serde_json::to_value(span.kind).ok().and_then(|it| it.as_str().map(str::to_owned));
        let finding = Finding::new(
            format!("personal-data {}", kind.unwrap_or_default()),
            Severity::Warning,
            "Personal data is there on purpose only.",
            "remove it with redact, or keep it on purpose",
        );
        let evidence = text.text[span.from..span.to].to_owned();
        found.add(finding.at(text.spot(span.from..span.to)).evidence(evidence));
    }
    found.sorted()
}

/// Clauses: those that were not found first.
pub(super) fn contract(list: &Checklist) -> Vec<Finding> {
    let mut found = FindingList::default();
    for clause in list.clauses.iter().filter(|_| list.known) {
        let rule = format!("contract {}", clause.clause);
        let finding = match &clause.passage {
            Some((passage, spot)) => {
                let asks = "People read what a clause says.";
                let finding = Finding::new(rule, Severity::Note, asks, "read the passage");
                Finding { count: clause.count, ..finding.at(spot.clone()).evidence(passage.as_str()) }
            }
            None => {
                let asks = "A contract has this clause, or lacks it on purpose.";
                let mend = "look for it in other words, or ask for it";
                Finding::new(rule, Severity::Warning, asks, mend).evidence("not found")
            }
        };
        found.add(finding);
    }
    found.sorted()
}

/// Licences, or that there is none.
pub(super) fn licenses(all: &[LicenseFound]) -> Vec<Finding> {
    let mut found = FindingList::default();
    if all.is_empty() {
        let asks = "A work says under which licence it is.";
        let finding =
            Finding::new("license none", Severity::Warning, asks, "name the licence by its SPDX identifier");
        found.add(finding.evidence("no licence that is known here"));
    }
    for license in all {
        let asks = "The terms of this licence are kept.";
        let finding =
            Finding::new(format!("license {}", license.spdx), Severity::Note, asks, "read the licence");
        let by = if license.by_tag { "by its SPDX tag" } else { "by its text" };
        found.add(finding.at(license.spot.clone()).evidence(format!("{}, {by}", license.spdx)));
    }
    found.sorted()
}

/// Changes between versions by their marks, at their places in the newer one.
pub(super) fn versions(changes: &[VersionChange], before: &PlacedText, after: &PlacedText) -> Vec<Finding> {
    let mut found = FindingList::default();
    for change in changes {
        let (rule, severity) = match change.marks.first() {
            Some(mark) => (format!("change {mark}"), Severity::Warning),
            None => ("change text".to_owned(), Severity::Note),
        };
        let finding = Finding::new(rule, severity, "A change is there on purpose.", "compare both versions");
        let spot = match (&change.after_at, &change.before_at) {
            (Some(range), _) => after.spot(range.clone()),
            (None, Some(range)) => before.spot(range.clone()),
            (None, None) => continue,
        };
        let told = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
        found.add(finding.at(spot).evidence(format!("{} → {}", told(&change.before), told(&change.after))));
    }
    found.sorted()
}
