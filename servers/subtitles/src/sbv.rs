//! SubViewer as YouTube has it (`.sbv`): `0:00:01.000,0:00:02.000`, then lines of text.

use crate::cue::{Cue, Subtitles};
use crate::error::SubtitleError;
use crate::limits::CUES_MAX;
use crate::time::{clock, parse_clock};

pub(crate) fn parse(text: &str) -> Result<Subtitles, SubtitleError> {
    let mut subtitles = Subtitles::default();
    for block in text.split("\n\n") {
        let block = block.trim_matches('\n');
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        let Some((start, end)) = times(first) else {
            // Text after a blank line belongs to the cue before it.
            match subtitles.cues.last_mut().filter(|_| !block.trim().is_empty()) {
                Some(last) => *last = Cue::plain(last.start, last.end, format!("{}\n\n{block}", last.text())),
                None if block.trim().is_empty() => {}
                None => subtitles.remarks.push("text before the first times was ignored".into()),
            }
            continue;
        };
        if subtitles.cues.len() == CUES_MAX {
            return Err(SubtitleError::TooMany { what: "cues", limit: CUES_MAX });
        }
        subtitles.cues.push(Cue::plain(start, end, rest.replace("[br]", "\n").trim()));
    }
    Ok(subtitles)
}

pub(crate) fn times(line: &str) -> Option<(i64, i64)> {
    let (start, end) = line.trim().split_once(',')?;
    Some((parse_clock(start)?, parse_clock(end)?))
}

pub(crate) fn write(subtitles: &Subtitles) -> String {
    let mut out = String::new();
    for cue in &subtitles.cues {
        let text: Vec<String> =
            cue.text().lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
        let (start, end) = (clock(cue.start, '.'), clock(cue.end, '.'));
        let short = |clock: &str| clock.strip_prefix('0').unwrap_or(clock).to_owned();
        out.push_str(&format!("{},{}\n{}\n\n", short(&start), short(&end), text.join("\n")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_and_written() {
        let text = "0:00:00.599,0:00:04.160\n>> ALICE: Hi!\nsecond\n\n0:00:04.160,0:00:06.770\nyes\n\n";
        let read = parse(text).unwrap();
        assert_eq!((read.cues[0].start, read.cues[0].end), (599, 4160));
        assert_eq!(read.cues[0].text(), ">> ALICE: Hi!\nsecond");
        assert_eq!(write(&read), text);
    }
}
