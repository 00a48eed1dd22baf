//! The formats: telling them apart, reading and writing, and what is lost on the way.

use crate::cue::{Cue, Subtitles};
use crate::error::SubtitleError;
use crate::kind::SubtitleFormat;
use crate::{ass, decode, sbv, srt, ttml, vtt};

/// A document in its format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenSubtitles {
    pub text: String,
    /// What the format cannot say.
    pub lost: Vec<String>,
}

/// Bytes of a subtitle file in any of the formats. The content decides; `hint` counts where it says nothing.
pub fn parse(
    bytes: &[u8],
    hint: Option<SubtitleFormat>,
) -> Result<(SubtitleFormat, Subtitles), SubtitleError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(SubtitleError::Empty);
    }
    let (text, remark) = decode::decode(bytes);
    let format = detect(&text).or(hint).ok_or(SubtitleError::UnknownFormat)?;
    let mut subtitles = match format {
        SubtitleFormat::Srt => srt::parse(&text)?,
        SubtitleFormat::Vtt => vtt::parse(&text)?,
        SubtitleFormat::Ass => ass::parse(&text)?,
        SubtitleFormat::Ttml => ttml::parse(&text)?,
        SubtitleFormat::Sbv => sbv::parse(&text)?,
    };
    // An empty document is one in formats that have a head; in the others it is something else.
    if subtitles.cues.is_empty() && matches!(format, SubtitleFormat::Srt | SubtitleFormat::Sbv) {
        return Err(SubtitleError::NoCues(format));
    }
    subtitles.remarks.extend(remark);
    Ok((format, subtitles))
}

/// Lines that are looked at for times.
const HEAD_LINES: usize = 400;

fn detect(text: &str) -> Option<SubtitleFormat> {
    let start = text.trim_start();
    if start.starts_with("WEBVTT") {
        return Some(SubtitleFormat::Vtt);
    }
    if start.starts_with('<') {
        return Some(SubtitleFormat::Ttml);
    }
    if start.get(..13).is_some_and(|start| start.eq_ignore_ascii_case("[script info]"))
        || text.contains("\nDialogue:")
    {
        return Some(SubtitleFormat::Ass);
    }
    let mut lines = text.lines().take(HEAD_LINES);
    lines.find_map(|line| match () {
        () if srt::times(line).is_some() => Some(SubtitleFormat::Srt),
        () if sbv::times(line).is_some() => Some(SubtitleFormat::Sbv),
        () => None,
    })
}

/// The document in another format, or in its own.
pub fn write(subtitles: &Subtitles, format: SubtitleFormat) -> WrittenSubtitles {
    let text = match format {
        SubtitleFormat::Srt => srt::write(subtitles),
        SubtitleFormat::Vtt => vtt::write(subtitles),
        SubtitleFormat::Ass => ass::write(subtitles),
        SubtitleFormat::Ttml => ttml::write(subtitles),
        SubtitleFormat::Sbv => sbv::write(subtitles),
    };
    WrittenSubtitles { text, lost: lost(subtitles, format) }
}

fn lost(subtitles: &Subtitles, format: SubtitleFormat) -> Vec<String> {
    let count = |has: &dyn Fn(&Cue) -> bool| subtitles.cues.iter().filter(|cue| has(cue)).count();
    let is_own = |cue: &Cue| cue.source.as_ref().is_some_and(|source| source.format == format);
    let has_colour = |cue: &Cue| cue.runs.iter().any(|run| run.style.colour.is_some());
    let mut lost = Vec::new();
    let mut say = |number: usize, what: &str| {
        if number > 0 {
            lost.push(format!("{number} {} {what}", if number == 1 { "cue loses" } else { "cues lose" }));
        }
    };
    if format == SubtitleFormat::Sbv {
        say(count(&|cue| cue.is_styled()), "styles");
        say(count(&|cue| cue.place.is_some_and(|place| place != 2)), "the place on the screen");
    }
    if format == SubtitleFormat::Vtt {
        say(count(&|cue| !is_own(cue) && has_colour(cue)), "colours");
    }
    if matches!(format, SubtitleFormat::Srt | SubtitleFormat::Sbv) {
        say(count(&|cue| !is_own(cue) && cue.speaker.is_some()), "the name of the speaker");
    }
    if format == SubtitleFormat::Ass {
        say(count(&|cue| cue.start % 10 != 0 || cue.end % 10 != 0), "milliseconds (times have hundredths)");
    }
    let has_settings = |cue: &Cue| {
        !is_own(cue)
            && cue
                .source
                .as_ref()
                .is_some_and(|source| has_more(cue, source.format, &source.settings, &source.text))
    };
    say(count(&has_settings), "settings or effects of the source format");
    let foreign_head = subtitles.head.as_ref().is_some_and(|(of, _)| *of != format);
    let foreign_tree =
        subtitles.tree.as_ref().is_some_and(|tree| format != SubtitleFormat::Ttml && tree.has_layout());
    if foreign_head || foreign_tree {
        lost.push("styles, regions and metadata of the document".to_owned());
    }
    lost
}

/// More than text, styles and a simple place.
fn has_more(cue: &Cue, format: SubtitleFormat, settings: &str, text: &str) -> bool {
    match format {
        SubtitleFormat::Vtt => {
            settings.contains("position:")
                || settings.contains("size:")
                || settings.contains("vertical:")
                || settings.contains("region:")
        }
        SubtitleFormat::Ass => {
            let known = ["\\an", "\\b0", "\\b1", "\\i0", "\\i1", "\\u0", "\\u1", "\\c&", "\\1c&", "\\r"];
            let commands = text.split('{').skip(1).filter_map(|part| part.split('}').next());
            let mut commands = commands.flat_map(|part| part.split('\\').skip(1));
            cue.runs.is_empty()
                || commands
                    .any(|command| !known.iter().any(|known| format!("\\{command}").starts_with(known)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_content() {
        for (text, format) in [
            ("WEBVTT\n\n00:01.000 --> 00:02.000\nx\n", SubtitleFormat::Vtt),
            ("1\n00:00:01,000 --> 00:00:02,000\nx\n", SubtitleFormat::Srt),
            ("0:00:01.000,0:00:02.000\nx\n", SubtitleFormat::Sbv),
            (
                "[Script Info]\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,x\n",
                SubtitleFormat::Ass,
            ),
            (
                "<tt xmlns='http://www.w3.org/ns/ttml'><body><div><p begin='1s' end='2s'>x</p></div></body></tt>",
                SubtitleFormat::Ttml,
            ),
        ] {
            let (found, read) = parse(text.as_bytes(), None).unwrap();
            assert_eq!(
                (found, read.cues[0].start, read.cues[0].text().as_str()),
                (format, 1000, "x"),
                "{text}"
            );
        }
        assert!(matches!(parse(b" \n", None), Err(SubtitleError::Empty)));
        assert!(matches!(parse(b"just words", None), Err(SubtitleError::UnknownFormat)));
        assert!(matches!(parse(b"just words", Some(SubtitleFormat::Srt)), Err(SubtitleError::NoCues(_))));
    }

    #[test]
    fn text_times_and_styles_survive_every_pair_of_formats() {
        let srt = "1\n00:00:01,230 --> 00:00:02,340\n<i>Größe</i> & <b>日本</b>\nline two\n\n";
        let (_, original) = parse(srt.as_bytes(), None).unwrap();
        for one in SubtitleFormat::ALL {
            let first = parse(write(&original, one).text.as_bytes(), Some(one)).unwrap().1;
            for other in SubtitleFormat::ALL {
                let second = parse(write(&first, other).text.as_bytes(), Some(other)).unwrap().1;
                let (was, is) = (&original.cues[0], &second.cues[0]);
                assert_eq!(
                    (was.start, was.end, was.text()),
                    (is.start, is.end, is.text()),
                    "{one} to {other}"
                );
                if one != SubtitleFormat::Sbv && other != SubtitleFormat::Sbv {
                    assert_eq!(was.runs, is.runs, "{one} to {other}");
                }
            }
        }
    }

    #[test]
    fn losses_are_listed() {
        let (_, ass) = parse(
            b"[Script Info]\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,Ann,0,0,0,,{\\pos(1,2)\\i1}x\n",
            None,
        )
        .unwrap();
        let lost = write(&ass, SubtitleFormat::Sbv).lost.join("; ");
        for what in ["styles", "speaker", "effects", "metadata"] {
            assert!(lost.contains(what), "{what}: {lost}");
        }
        assert!(write(&ass, SubtitleFormat::Ass).lost.is_empty());
    }
}
