//! Findings as SARIF 2.1.0, for tools that show results of checks.

use serde_json::{Value, json};

use crate::report::{Finding, Severity};

/// The media type of SARIF.
pub(crate) const MEDIA_TYPE: &str = "application/sarif+json";

/// One run with all findings of a file.
pub(crate) fn of(findings: &[Finding], file: &str) -> Value {
    let rules: Vec<Value> = findings
        .iter()
        .map(|it| json!({ "id": it.rule, "shortDescription": { "text": it.asks }, "help": { "text": it.mend } }))
        .collect();
    let results: Vec<Value> =
        findings.iter().enumerate().map(|(index, it)| result(it, index, file)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "results": results,
        }],
    })
}

fn result(finding: &Finding, index: usize, file: &str) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut locations: Vec<Value> = finding
        .spots
        .iter()
        .map(|spot| {
            let mut location = json!({ "artifactLocation": { "uri": file } });
            if let Some(line) = spot.line {
                location["region"] = json!({ "startLine": line });
            }
            if let Some([from, to]) = spot.chars {
                location["region"] = json!({ "charOffset": from, "charLength": to - from });
            }
            let mut place = json!({ "physicalLocation": location });
            if spot.page.is_some() || spot.bounds.is_some() {
                place["properties"] = json!(spot);
            }
            place
        })
        .collect();
    if locations.is_empty() {
        locations.push(json!({ "physicalLocation": { "artifactLocation": { "uri": file } } }));
    }
    json!({
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": level,
        "message": { "text": format!("{} Found: {}", finding.asks, finding.evidence) },
        "locations": locations,
        "occurrenceCount": finding.count,
    })
}
