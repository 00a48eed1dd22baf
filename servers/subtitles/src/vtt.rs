//! WebVTT: a header, blocks of styles, regions and notes, and cues with settings.

use crate::cue::{Cue, SourceCue, Subtitles};
use crate::error::SubtitleError;
use crate::kind::SubtitleFormat;
use crate::limits::CUES_MAX;
use crate::markup::{self, MarkedText, TagDialect};
use crate::time::{clock, parse_clock};

pub(crate) fn parse(text: &str) -> Result<Subtitles, SubtitleError> {
    let mut subtitles = Subtitles::default();
    let mut head: Vec<String> = Vec::new();
    let mut ignored: Vec<String> = Vec::new();
    let text = text.replace('\0', "\u{fffd}");
    for (index, block) in blocks(&text).into_iter().enumerate() {
        match block.iter().take(2).position(|line| line.contains("-->")) {
            Some(at) => match cue(&block, at, &mut ignored) {
                Some(_) if subtitles.cues.len() == CUES_MAX => {
                    return Err(SubtitleError::TooMany { what: "cues", limit: CUES_MAX });
                }
                Some(cue) => subtitles.cues.push(cue),
                None => subtitles
                    .remarks
                    .push(format!("a cue with damaged times was ignored: {:?}", short(block[at]))),
            },
            None if index == 0 => subtitles.language = language(&block),
            None => head.push(block.join("\n")),
        }
    }
    if !head.is_empty() {
        subtitles.head = Some((SubtitleFormat::Vtt, head.join("\n\n")));
    }
    if !ignored.is_empty() {
        subtitles.remarks.push(format!("tags without a meaning in other formats: {}", ignored.join(", ")));
    }
    subtitles.remarks.truncate(REMARKS_MAX);
    Ok(subtitles)
}

/// A file of damaged cues needs no remark for each.
const REMARKS_MAX: usize = 20;

fn short(line: &str) -> String {
    line.chars().take(60).collect()
}

/// Runs of lines that are not blank. A line with times begins a block even without a blank line before it.
fn blocks(text: &str) -> Vec<Vec<&str>> {
    let mut blocks: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        let begins = line.contains("-->")
            && blocks.last().is_some_and(|block| block.iter().any(|line| line.contains("-->")));
        if line.is_empty() || begins {
            blocks.push(Vec::new());
        }
        if let Some(block) = blocks.last_mut().filter(|_| !line.is_empty()) {
            block.push(line);
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn language(header: &[&str]) -> Option<String> {
    let line = header.iter().find_map(|line| line.strip_prefix("Language:"))?;
    Some(line.trim().to_owned())
}

fn cue(block: &[&str], at: usize, ignored: &mut Vec<String>) -> Option<Cue> {
    let (start, rest) = block[at].split_once("-->")?;
    let rest = rest.trim();
    let (end, settings) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (start, end) = (parse_clock(start)?, parse_clock(end)?);
    let text = block[at + 1..].join("\n");
    let MarkedText { runs, speaker, ignored: tags, .. } = markup::parse(&text, TagDialect::WebVtt);
    for tag in tags {
        if !ignored.contains(&tag) {
            ignored.push(tag);
        }
    }
    let settings = settings.trim().to_owned();
    let place = place(&settings);
    let source = Some(SourceCue { format: SubtitleFormat::Vtt, settings, text });
    let id = (at == 1).then(|| block[0].to_owned());
    Some(Cue { start, end, runs, id, speaker, place, source })
}

/// The place on a number pad that settings mean, if they are simple.
fn place(settings: &str) -> Option<u8> {
    let value = |name: &str| {
        settings
            .split_whitespace()
            .find_map(|setting| setting.split_once(':').filter(|(key, _)| *key == name))
            .map(|(_, value)| value)
    };
    let column = match value("align") {
        Some("start" | "left") => 1,
        Some("end" | "right") => 3,
        _ => 2,
    };
    let row = match value("line")
        .and_then(|line| line.split(',').next()?.trim_end_matches('%').parse::<f64>().ok())
    {
        Some(line) if (0.0..30.0).contains(&line) => 6,
        Some(line) if value("line").is_some_and(|line| line.contains('%')) && line < 70.0 => 3,
        _ => 0,
    };
    (settings.contains("line:") || settings.contains("align:")).then_some(column + row)
}

pub(crate) fn write(subtitles: &Subtitles) -> String {
    let mut out = String::from("WEBVTT\n");
    if let Some(language) = &subtitles.language {
        out.push_str(&format!("Language: {}\n", language.replace(['\n', '\r'], " ")));
    }
    out.push('\n');
    if let Some((SubtitleFormat::Vtt, head)) = &subtitles.head {
        out.push_str(&format!("{head}\n\n"));
    }
    for cue in &subtitles.cues {
        let (settings, text) = match &cue.source {
            Some(source) if source.format == SubtitleFormat::Vtt => {
                (source.settings.clone(), source.text.clone())
            }
            _ => (settings_of(cue.place), body_of(cue)),
        };
        if let Some(id) = cue.id.as_deref().filter(|id| !id.contains("-->")) {
            out.push_str(&format!("{}\n", id.replace('\n', " ")));
        }
        let line = format!("{} --> {} {settings}", clock(cue.start, '.'), clock(cue.end, '.'));
        out.push_str(&format!("{}\n{text}\n\n", line.trim_end()));
    }
    out
}

fn settings_of(place: Option<u8>) -> String {
    let Some(place) = place.filter(|place| *place != 2) else { return String::new() };
    let line = match place {
        7..=9 => "line:0 ",
        4..=6 => "line:50% ",
        _ => "",
    };
    let align = match place % 3 {
        1 => "align:start",
        0 => "align:end",
        _ => "",
    };
    format!("{line}{align}").trim().to_owned()
}

fn body_of(cue: &Cue) -> String {
    let text = markup::tagged(&cue.runs, TagDialect::WebVtt, escaped);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let text = lines.join("\n");
    match &cue.speaker {
        Some(speaker) => format!("<v {}>{text}</v>", escaped(&speaker.replace(['\n', '>'], " "))),
        None => text,
    }
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "WEBVTT\nLanguage: en\n\nSTYLE\n::cue { color: red }\n\nNOTE a remark\n\nfirst\n00:01.000 --> 00:00:02.500 line:0 align:end\n<v Ann>Hi <i>there</i> &amp; you</v>\n\n00:00:03.000 --> 00:00:04.000\n1 &lt; 2\n\n";

    #[test]
    fn settings_styles_and_voices_are_kept() {
        let read = parse(TEXT).unwrap();
        assert_eq!(read.language.as_deref(), Some("en"));
        let first = &read.cues[0];
        assert_eq!((first.start, first.end, first.place), (1000, 2500, Some(9)));
        assert_eq!((first.id.as_deref(), first.speaker.as_deref()), (Some("first"), Some("Ann")));
        assert_eq!(first.text(), "Hi there & you");
        assert_eq!(read.cues[1].text(), "1 < 2");
        assert_eq!(write(&read), TEXT.replace("\n00:01.000", "\n00:00:01.000"));
    }

    #[test]
    fn a_damaged_cue_is_told_and_the_others_are_read() {
        let read = parse("WEBVTT\n\n00:99.000 --> 00:01.000\nx\n\n00:01.000 --> 00:02.000\ny\n").unwrap();
        assert_eq!((read.cues.len(), read.remarks.len()), (1, 1));
    }
}
