//! Tools of the registry as a person reads them.

use serde_json::{Value, json};
use toolgate_core::Digest;
use toolgate_core::moment::rfc3339;
use toolgate_core::registry::{DefinitionFinding, FindingKind, ToolRow};
use toolgate_registry::ToolDiff;

use crate::environment;
use crate::output::printable;
use crate::table::{OutputReader, TextTable, clean};

/// The number of characters that distinguish a version.
const SHORT_CHARS: usize = 12;
const PREFIX: &str = "sha256:";

/// The use of colour. The first character of a line has the same meaning in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Colour {
    Yes,
    No,
}

impl Colour {
    /// Colours are for terminals, unless the user disabled them.
    pub(super) fn of(reader: OutputReader) -> Colour {
        if reader == OutputReader::Terminal && !environment::refuses_colours() {
            Colour::Yes
        } else {
            Colour::No
        }
    }
}

pub(super) fn list(rows: &[ToolRow]) -> TextTable {
    let mut table = TextTable::new(["TOOL", "STATUS", "WHY", "FLAGS", "FIRST SEEN", "LAST SEEN"]);
    for row in rows {
        let flags = if row.findings.is_empty() { String::new() } else { row.findings.len().to_string() };
        table.row([
            row.name.to_string(),
            row.status.as_str().to_owned(),
            row.reason.clone().unwrap_or_default(),
            flags,
            rfc3339(row.first_seen_ms),
            rfc3339(row.last_seen_ms),
        ]);
    }
    table
}

/// In the form of the API.
pub(super) fn view(row: &ToolRow) -> Value {
    json!({
        "name": row.name,
        "server": row.server,
        "status": row.status,
        "reason": row.reason,
        "version": row.pinned.version,
        "candidate_version": row.candidate.as_ref().map(|candidate| candidate.version),
        "rejected_version": row.rejected,
        "findings": row.findings,
        "first_seen": rfc3339(row.first_seen_ms),
        "last_seen": rfc3339(row.last_seen_ms),
        "reviewed_by": row.reviewed_by,
        "reviewed_at": row.reviewed_at_ms.map(rfc3339),
    })
}

pub(super) fn difference(diff: &ToolDiff) -> Value {
    let mut view = view(&diff.tool);
    view["diff"] = diff.text.as_str().into();
    view["change_summary"] = diff.summary.as_str().into();
    view["changes"] = json!(diff.changes);
    view
}

/// A tool and its changes.
pub(super) fn diff(diff: &ToolDiff, colour: Colour) -> String {
    let ToolDiff { tool: row, text, summary, .. } = diff;
    let reason = row.reason.as_ref().map(|reason| format!(": {}", clean(reason))).unwrap_or_default();
    let mut shown = format!("{}  {}{reason}\n", clean(row.name.as_str()), row.status.as_str());
    for (name, value) in facts(row) {
        shown.push_str(&format!("  {name:<8} {}\n", clean(&value)));
    }
    if !summary.is_empty() && !text.is_empty() {
        shown.push_str(&format!("  changes  {}\n", clean(summary)));
    }
    if text.is_empty() {
        shown.push_str("  nothing differs from what was pinned\n");
        return shown;
    }
    shown.push('\n');
    shown.push_str(&painted_diff(text, colour));
    shown
}

/// A unified diff, line by line.
pub(super) fn painted_diff(text: &str, colour: Colour) -> String {
    text.lines().map(|line| painted(&printable(line), colour)).collect()
}

fn facts(row: &ToolRow) -> Vec<(&'static str, String)> {
    let mut facts = vec![("pinned", row.pinned.version.to_string())];
    facts.extend(row.candidate.as_ref().map(|candidate| ("offered", candidate.version.to_string())));
    if let (Some(by), Some(at_ms)) = (&row.reviewed_by, row.reviewed_at_ms) {
        facts.push(("reviewed", format!("by {by} at {}", rfc3339(at_ms))));
    }
    facts.extend(row.rejected.map(|version| ("rejected", version.to_string())));
    facts.extend(row.findings.iter().map(|finding| ("flagged", flagged(finding))));
    facts
}

fn flagged(finding: &DefinitionFinding) -> String {
    let what = match finding.kind {
        FindingKind::InvisibleCharacters => "characters that people do not see",
        FindingKind::Instruction => "an instruction to the model",
        FindingKind::ForeignTool => "a tool of another server",
        FindingKind::LookAlikeLetters => "letters that look like others",
    };
    format!("{what} in {}: {}", finding.place, finding.excerpt)
}

fn painted(line: &str, colour: Colour) -> String {
    let code = match line.chars().next() {
        Some('+') => "32",
        Some('-') => "31",
        Some('@') => "36",
        _ => return format!("{line}\n"),
    };
    match colour {
        Colour::Yes => format!("\u{1b}[{code}m{line}\u{1b}[0m\n"),
        Colour::No => format!("{line}\n"),
    }
}

/// The beginning of a version, as people copy it.
pub(super) fn short(version: Digest) -> String {
    version.to_string().chars().take(PREFIX.len() + SHORT_CHARS).collect()
}

/// True if a version begins like this, with or without its kind.
pub(super) fn fits(version: Digest, beginning: &str) -> bool {
    let whole = version.to_string();
    let bare = beginning.strip_prefix(PREFIX).unwrap_or(beginning).trim_end_matches('…');
    bare.len() >= 4 && whole.strip_prefix(PREFIX).unwrap_or(&whole).starts_with(bare)
}

#[cfg(test)]
mod tests;
