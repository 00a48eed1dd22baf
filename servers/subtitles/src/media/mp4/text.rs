//! Samples as cues: `tx3g`, `wvtt` and `stpp`.

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};

use crate::cue::{Cue, RunStyle, push_run};
use crate::error::SubtitleError;
use crate::markup::{self, TagDialect};
use crate::{decode, ttml};

use super::boxes::{ByteCursor, boxes, find};

/// Style records of one sample that are followed.
const STYLES_MAX: usize = 1000;

/// A sample of 3GPP timed text: a length, text, and boxes with styles. An empty one is a pause.
pub(super) fn timed_text(sample: &[u8], start: i64, end: i64) -> Option<Cue> {
    let mut cursor = ByteCursor(sample);
    let length = cursor.u16()?;
    let bytes = cursor.take(usize::from(length).min(cursor.0.len()))?;
    let encoding = match bytes {
        [0xfe, 0xff, ..] => UTF_16BE,
        [0xff, 0xfe, ..] => UTF_16LE,
        _ => UTF_8,
    };
    let text = encoding.decode_with_bom_removal(bytes).0.replace("\r\n", "\n").replace('\r', "\n");
    if text.trim().is_empty() {
        return None;
    }
    let styles = find(cursor.0, &[b"styl"]).map_or(Vec::new(), |styl| styles(styl.content));
    let mut runs = Vec::new();
    let mut buffer = [0; 4];
    for (index, letter) in text.chars().enumerate() {
        let style =
            styles.iter().find(|(from, to, _)| (*from..*to).contains(&index)).map(|(.., style)| *style);
        push_run(&mut runs, letter.encode_utf8(&mut buffer), style.unwrap_or_default());
    }
    Some(Cue { start, end, runs, ..Cue::default() })
}

/// From, to (in letters), and the style.
fn styles(content: &[u8]) -> Vec<(usize, usize, RunStyle)> {
    let mut cursor = ByteCursor(content);
    let count = usize::from(cursor.u16().unwrap_or(0)).min(STYLES_MAX);
    let records = std::iter::from_fn(|| cursor.take(12)).take(count);
    records
        .map(|record| {
            let number = |at: usize| usize::from(u16::from_be_bytes([record[at], record[at + 1]]));
            let face = record[6];
            let style = RunStyle {
                bold: face & 1 != 0,
                italic: face & 2 != 0,
                underline: face & 4 != 0,
                colour: None,
            };
            (number(0), number(2), style)
        })
        .collect()
}

/// A sample of WebVTT: a box for each cue that is active, or an empty one.
pub(super) fn web_vtt(sample: &[u8], start: i64, end: i64) -> Vec<Cue> {
    let active = boxes(sample).filter(|part| &part.kind == b"vttc");
    let cue = |content: &[u8]| {
        let text = |kind: &[u8; 4]| {
            find(content, &[kind]).map(|part| String::from_utf8_lossy(part.content).into_owned())
        };
        let marked = markup::parse(&text(b"payl")?, TagDialect::WebVtt);
        // The same number in the next sample means that the cue goes on.
        let source = find(content, &[b"vsid"])
            .map(|part| part.content.iter().map(|byte| format!("{byte:02x}")).collect());
        let id = text(b"iden").or(source);
        Some(Cue { start, end, runs: marked.runs, id, speaker: marked.speaker, ..Cue::default() })
    };
    active.filter_map(|part| cue(part.content)).collect()
}

/// A sample that is a whole TTML document, whose times are those of the track. What reaches beyond the sample is cut.
pub(super) fn ttml(sample: &[u8], start: i64, end: i64) -> Result<Vec<Cue>, SubtitleError> {
    let (text, _) = decode::decode(sample);
    let read = ttml::parse(&text)?;
    let inside = read.cues.into_iter().filter(|cue| cue.start < end && cue.end > start);
    Ok(inside.map(|cue| Cue { start: cue.start.max(start), end: cue.end.min(end), ..cue }).collect())
}
