//! `split_merge`: cues of another form, a document in parts, or documents joined.

use capability_kit::{Trouble, Work};
use capability_subtitles::{CueLayout, join, lay_out, split_at};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{SubtitleInput, format};
use crate::output::{SubtitleOutput, output};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SplitMergeArguments {
    /// The subtitles themselves.
    #[serde(default)]
    text: Option<String>,
    /// Or a file with them, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its type, such as srt.
    #[serde(default)]
    file_type: Option<String>,
    /// Or the ref_id that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Cut the document at these times in milliseconds; each part begins at zero.
    #[serde(default)]
    split_at_ms: Vec<i64>,
    /// Join these documents behind the first.
    #[serde(default)]
    append: Vec<AppendedPart>,
    /// Letters of a line: cues are merged and split to fit.
    #[serde(default)]
    line_chars: Option<usize>,
    /// Lines of a cue; 2 if omitted.
    #[serde(default)]
    lines: Option<usize>,
    /// The longest cue in milliseconds; 7000 if omitted.
    #[serde(default)]
    duration_ms_max: Option<i64>,
    /// The format of the answer; that of the input if omitted.
    #[serde(default)]
    to: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AppendedPart {
    /// The subtitles themselves, or source_ref_id.
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    source_ref_id: Option<String>,
    /// The time in the joined document at which this one begins, in milliseconds.
    start_ms: i64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SplitMergeOutput {
    /// One document, or several if it was cut.
    parts: Vec<SubtitleOutput>,
}

const PARTS_MAX: usize = 100;
/// Cues with a shorter pause between them may become one.
const MERGE_GAP_MS: i64 = 250;

pub(crate) fn split_merge(arguments: SplitMergeArguments, work: &Work) -> Result<SplitMergeOutput, Trouble> {
    let layout = layout(&arguments)?;
    if arguments.split_at_ms.is_empty() && arguments.append.is_empty() && layout.is_none() {
        return Err(Trouble::bad_arguments("nothing to do").hint("pass split_at_ms, append or line_chars"));
    }
    if arguments.split_at_ms.len().max(arguments.append.len()) > PARTS_MAX {
        return Err(Trouble::bad_arguments(format!("more than {PARTS_MAX} parts"))
            .hint("pass fewer times or documents"));
    }
    let SplitMergeArguments { text, file_data, file_type, source_ref_id, split_at_ms, append, to, .. } =
        arguments;
    let (from, mut subtitles) = SubtitleInput { text, file_data, file_type, source_ref_id }.load(work)?;
    let to = format(to.as_deref(), from)?;
    if !append.is_empty() {
        let mut parts = vec![(0, subtitles)];
        for part in append {
            let input = SubtitleInput {
                text: part.text,
                file_data: None,
                file_type: None,
                source_ref_id: part.source_ref_id,
            };
            parts.push((part.start_ms, input.load(work)?.1));
        }
        subtitles = join(&parts);
    }
    if let Some(layout) = layout {
        subtitles = lay_out(&subtitles, &layout);
    }
    let parts = if split_at_ms.is_empty() { vec![subtitles] } else { split_at(&subtitles, &split_at_ms) };
    let parts: Result<Vec<SubtitleOutput>, Trouble> =
        parts.iter().map(|part| output(part, to, work)).collect();
    Ok(SplitMergeOutput { parts: parts? })
}

fn layout(arguments: &SplitMergeArguments) -> Result<Option<CueLayout>, Trouble> {
    let Some(line_chars) = arguments.line_chars else { return Ok(None) };
    let (lines, duration_ms_max) = (arguments.lines.unwrap_or(2), arguments.duration_ms_max.unwrap_or(7000));
    if !(5..=500).contains(&line_chars)
        || !(1..=10).contains(&lines)
        || !(500..=60_000).contains(&duration_ms_max)
    {
        return Err(Trouble::bad_arguments("the form of the cues is out of range")
            .hint("line_chars 5 to 500, lines 1 to 10, duration_ms_max 500 to 60000"));
    }
    Ok(Some(CueLayout { line_chars, lines, duration_ms_max, merge_gap_ms: MERGE_GAP_MS }))
}
