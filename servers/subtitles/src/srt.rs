//! SubRip (`.srt`): numbered blocks of a line with times and lines of text.

use crate::cue::{Cue, SourceCue, Subtitles};
use crate::error::SubtitleError;
use crate::kind::SubtitleFormat;
use crate::limits::CUES_MAX;
use crate::markup::{self, TagDialect};
use crate::time::{clock, parse_clock};

pub(crate) fn parse(text: &str) -> Result<Subtitles, SubtitleError> {
    let mut subtitles = Subtitles::default();
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<(usize, (i64, i64))> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, times(line)?))).collect();
    if starts.len() > CUES_MAX {
        return Err(SubtitleError::TooMany { what: "cues", limit: CUES_MAX });
    }
    for (index, (at, (start, end))) in starts.iter().enumerate() {
        let next = starts.get(index + 1).map_or(lines.len(), |(next, _)| *next);
        subtitles.cues.push(cue(*start, *end, body(&lines[at + 1..next], index + 1 < starts.len())));
    }
    let damaged = lines.iter().filter(|line| line.contains("-->") && times(line).is_none()).count();
    if damaged > 0 {
        subtitles.remarks.push(format!("{damaged} lines with damaged times were taken as text"));
    }
    Ok(subtitles)
}

fn cue(start: i64, end: i64, text: String) -> Cue {
    let marked = markup::parse(&text, TagDialect::SubRip);
    let source = SourceCue { format: SubtitleFormat::Srt, settings: String::new(), text };
    Cue { start, end, runs: marked.runs, place: marked.place, source: Some(source), ..Cue::default() }
}

/// Lines up to the next number. Blank lines inside a text are real in some files, so a number that stands alone before
/// the next times ends it, not a blank line.
fn body(lines: &[&str], has_next: bool) -> String {
    let mut lines = lines;
    while let [rest @ .., last] = lines {
        if !last.trim().is_empty() {
            break;
        }
        lines = rest;
    }
    if let ([rest @ .., last], true) = (lines, has_next)
        && last.trim().bytes().all(|byte| byte.is_ascii_digit())
        && rest.last().is_none_or(|before| before.trim().is_empty())
    {
        lines = rest;
    }
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

/// The times of a line such as `00:00:01,000 --> 00:00:02,000 X1:0`.
pub(crate) fn times(line: &str) -> Option<(i64, i64)> {
    let (start, rest) = line.split_once("-->")?;
    let end = rest.split_whitespace().next()?;
    Some((parse_clock(start)?, parse_clock(end)?))
}

pub(crate) fn write(subtitles: &Subtitles) -> String {
    let mut out = String::new();
    for (index, cue) in subtitles.cues.iter().enumerate() {
        let text = match &cue.source {
            Some(source) if source.format == SubtitleFormat::Srt => source.text.clone(),
            _ => body_of(cue),
        };
        let (start, end) = (clock(cue.start, ','), clock(cue.end, ','));
        out.push_str(&format!("{}\n{start} --> {end}\n{text}\n\n", index + 1));
    }
    out
}

fn body_of(cue: &Cue) -> String {
    let place = cue.place.filter(|place| *place != 2).map(|place| format!("{{\\an{place}}}"));
    let text = markup::tagged(&cue.runs, TagDialect::SubRip, str::to_owned);
    // A blank line would end the cue for most readers.
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    format!("{}{}", place.unwrap_or_default(), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_as_files_in_the_wild_have_them() {
        let text = "1\n00:00:01,000 --> 00:00:02,500\n<i>One</i>\ntwo\n\n2\n00:00:03.000-->00:00:04,000 X1:1\n\n2024\n\nend\n\n3\n00:00:05,000 --> 00:00:06,000\n42\n";
        let read = parse(text).unwrap();
        let texts: Vec<String> = read.cues.iter().map(Cue::text).collect();
        assert_eq!(texts, ["One\ntwo", "2024\n\nend", "42"]);
        assert_eq!((read.cues[0].start, read.cues[0].end), (1000, 2500));
        assert!(read.cues[0].runs[0].style.italic);
    }

    #[test]
    fn writing_and_reading_again_changes_nothing() {
        let text = "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}<i>One</i>\n\n2\n00:00:03,000 --> 00:00:04,000\ntwo\n\n";
        let read = parse(text).unwrap();
        assert_eq!(write(&read), text);
    }
}
