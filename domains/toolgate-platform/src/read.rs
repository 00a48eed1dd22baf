//! `read_ref`: a large text, piece by piece.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::ToolPresence;
use toolgate_core::run::CallKind;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::RefSelection;

use crate::PlatformTools;
use crate::refusal::invalid;

pub(crate) const READ_REF: ToolDefinition = ToolDefinition::reads(
    "toolgate.refs.read",
    "Read a ref",
    "Reads a text that a result holds as ref_id, piece by piece.",
)
.wire("read_ref")
.presence(ToolPresence::Always)
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReadRefArguments {
    ref_id: String,
    /// Bytes: 0-4000, or 4000-
    #[schemars(regex(pattern = r"^[0-9]+-[0-9]*$"))]
    range: Option<String>,
    /// Text to find instead
    query: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadRefOutput {
    ref_id: String,
    start: u64,
    end: u64,
    total: u64,
    more: bool,
    matches: Vec<ReadRefMatch>,
}

#[derive(Serialize, JsonSchema)]
struct ReadRefMatch {
    start: u64,
    end: u64,
}

impl ReadRefArguments {
    fn wish(&self) -> Result<RefSelection, Refusal> {
        match (&self.range, &self.query) {
            (Some(_), Some(_)) => Err(invalid("both `range` and `query` are given", "give one of them")),
            (None, Some(text)) => Ok(RefSelection::Query { text: text.clone() }),
            (None, None) => Ok(RefSelection::Range { start: 0, length: None }),
            (Some(range), None) => range_of(range).ok_or_else(|| {
                invalid(
                    format!("{range:?} is no range"),
                    "write two numbers, such as 0-4000, or one and a dash",
                )
            }),
        }
    }
}

/// `0-4000`, the end not included, or `4000-`.
fn range_of(range: &str) -> Option<RefSelection> {
    let (start, end) = range.split_once('-')?;
    let start: u64 = start.parse().ok()?;
    let length = match end {
        "" => None,
        end => Some(end.parse::<u64>().ok()?.checked_sub(start).filter(|length| *length > 0)?),
    };
    Some(RefSelection::Range { start, length })
}

pub(crate) async fn read_ref(
    tools: Arc<PlatformTools>,
    context: ToolContext,
    arguments: ReadRefArguments,
) -> Result<ToolReply<ReadRefOutput>, Refusal> {
    let piece = tools.files.read_ref(&context.holder, &arguments.ref_id, arguments.wish()?).await?;
    let data = ReadRefOutput {
        ref_id: arguments.ref_id,
        start: piece.start,
        end: piece.end,
        total: piece.total,
        more: piece.more,
        matches: piece.matches.iter().map(|one| ReadRefMatch { start: one.start, end: one.end }).collect(),
    };
    Ok(ToolReply::new(data).text(piece.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_two_numbers_or_an_open_end() {
        assert_eq!(range_of("0-4000"), Some(RefSelection::Range { start: 0, length: Some(4_000) }));
        assert_eq!(range_of("4000-"), Some(RefSelection::Range { start: 4_000, length: None }));
        for bad in ["", "-", "4-4", "5-4", "a-b", "1", "1-99999999999999999999999"] {
            assert_eq!(range_of(bad), None, "{bad}");
        }
    }
}
