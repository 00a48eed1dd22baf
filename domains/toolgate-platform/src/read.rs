//! `read_ref`: a large text, piece by piece.

use serde::Deserialize;
use serde_json::json;
use toolgate_core::Refusal;
use toolgate_core::platform::{PlatformAnswer, PlatformCall};
use toolgate_files::RefSelection;

use crate::PlatformTools;
use crate::answering::{arguments, done, invalid};

#[derive(Deserialize)]
struct ReadRefArguments {
    ref_id: String,
    range: Option<String>,
    query: Option<String>,
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

pub(crate) async fn run(tools: &PlatformTools, call: &PlatformCall<'_>) -> Result<PlatformAnswer, Refusal> {
    let arguments: ReadRefArguments = arguments(call.arguments)?;
    let piece = tools.files.read_ref(call.holder, &arguments.ref_id, arguments.wish()?).await?;
    let data = json!({
        "ref_id": arguments.ref_id, "start": piece.start, "end": piece.end, "total": piece.total,
        "more": piece.more, "matches": piece.matches,
    });
    Ok(done(piece.text, data))
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
