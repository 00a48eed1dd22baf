//! `shift`: new times, by an offset, two points, or another frame rate.

use capability_kit::{Trouble, Work};
use capability_subtitles::{FrameRate, TimeMap};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::{SubtitleInput, format};
use crate::output::{SubtitleOutput, output};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShiftArguments {
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
    /// Milliseconds to add to every time; negative for earlier.
    #[serde(default)]
    offset_ms: Option<i64>,
    /// Two points as [[from_ms, to_ms], [from_ms, to_ms]]: times between are stretched.
    #[serde(default)]
    points: Option<[[i64; 2]; 2]>,
    /// The frame rate that the times were made for, such as 25 or 23.976.
    #[serde(default)]
    from_rate: Option<String>,
    /// The frame rate of the video.
    #[serde(default)]
    to_rate: Option<String>,
    /// The format of the answer; that of the input if omitted.
    #[serde(default)]
    to: Option<String>,
}

/// Longer than any video.
const OFFSET_MS_MAX: i64 = 100 * 24 * 3_600_000;

pub(crate) fn shift(arguments: ShiftArguments, work: &Work) -> Result<SubtitleOutput, Trouble> {
    let map = map(&arguments)?;
    let ShiftArguments { text, file_data, file_type, source_ref_id, to, .. } = arguments;
    let (from, subtitles) = SubtitleInput { text, file_data, file_type, source_ref_id }.load(work)?;
    output(&map.apply(&subtitles), format(to.as_deref(), from)?, work)
}

fn map(arguments: &ShiftArguments) -> Result<TimeMap, Trouble> {
    let fits = |ms: i64| (-OFFSET_MS_MAX..=OFFSET_MS_MAX).contains(&ms);
    let too_far =
        || Trouble::bad_arguments("a time is out of range").hint("pass milliseconds within 100 days");
    let rates = (&arguments.from_rate, &arguments.to_rate);
    match (arguments.offset_ms, arguments.points, rates) {
        (Some(offset), None, (None, None)) if fits(offset) => Ok(TimeMap::shift(offset)),
        (None, Some(points), (None, None)) if points.iter().flatten().all(|ms| fits(*ms)) => {
            let [[from, to], [other_from, other_to]] = points;
            TimeMap::through((from, to), (other_from, other_to)).ok_or_else(|| {
                Trouble::bad_arguments("the points do not stretch time")
                    .hint("pass two different times in the same order")
            })
        }
        (offset, None, (Some(from), Some(to))) if fits(offset.unwrap_or(0)) => {
            let (from, to) = (rate(from)?, rate(to)?);
            Ok(TimeMap {
                numerator: from.numerator * to.denominator,
                denominator: from.denominator * to.numerator,
                offset_ms: offset.unwrap_or(0),
            })
        }
        (Some(_), None, (None, None)) | (None, Some(_), (None, None)) => Err(too_far()),
        _ => Err(Trouble::bad_arguments("it is not clear how times shall change")
            .hint("pass offset_ms, or points, or both from_rate and to_rate")),
    }
}

pub(crate) fn rate(text: &str) -> Result<FrameRate, Trouble> {
    text.parse()
        .map_err(|why: String| Trouble::bad_arguments(why).hint("such as 24, 23.976, 30000/1001 or 29.97df"))
}
