//! Advanced SubStation Alpha and its predecessor (`.ass`, `.ssa`): sections of lines, and text with commands in braces.

use crate::cue::{Cue, CueRun, RunStyle, SourceCue, Subtitles, push_run, trim_runs};
use crate::error::SubtitleError;
use crate::kind::SubtitleFormat;
use crate::limits::CUES_MAX;
use crate::time::parse_clock;

/// The fields of an event where the file does not say.
const FIELDS: &str = "Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text";

const HEAD: &str = "[Script Info]\nScriptType: v4.00+\nWrapStyle: 0\nScaledBorderAndShadow: yes\nPlayResX: 1920\nPlayResY: 1080\n\n\
[V4+ Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding\n\
Style: Default,Arial,54,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,2,1,2,40,40,40,1";

pub(crate) fn parse(text: &str) -> Result<Subtitles, SubtitleError> {
    let mut subtitles = Subtitles::default();
    let mut head = String::new();
    let mut fields = names(FIELDS);
    let mut is_events = false;
    let mut damaged = 0;
    for line in text.lines() {
        if line.trim_start().starts_with('[') {
            is_events = line.trim().eq_ignore_ascii_case("[events]");
        }
        if !is_events {
            head.push_str(line);
            head.push('\n');
        } else if let Some(format) = line.trim_start().strip_prefix("Format:") {
            fields = names(format);
        } else if let Some(event) = line.trim_start().strip_prefix("Dialogue:") {
            match event_cue(event, &fields) {
                Some(_) if subtitles.cues.len() == CUES_MAX => {
                    return Err(SubtitleError::TooMany { what: "cues", limit: CUES_MAX });
                }
                Some(cue) => subtitles.cues.push(cue),
                None => damaged += 1,
            }
        }
    }
    if damaged > 0 {
        subtitles.remarks.push(format!("{damaged} damaged events were ignored"));
    }
    subtitles.head = Some((SubtitleFormat::Ass, head.trim_end().to_owned()));
    // Events may stand in any order.
    subtitles.cues.sort_by_key(|cue| cue.start);
    Ok(subtitles)
}

fn names(format: &str) -> Vec<String> {
    format.split(',').map(|name| name.trim().to_ascii_lowercase()).collect()
}

fn event_cue(event: &str, fields: &[String]) -> Option<Cue> {
    let values: Vec<&str> = event.trim_start().splitn(fields.len(), ',').collect();
    let value =
        |name: &str| fields.iter().position(|field| field == name).and_then(|at| values.get(at).copied());
    let (start, end) = (parse_clock(value("start")?)?, parse_clock(value("end")?)?);
    let kept = |name: &str, without: &str| value(name).map_or(without, str::trim).to_owned();
    let settings = [
        kept("layer", "0"),
        kept("style", "Default"),
        kept("name", ""),
        kept("marginl", "0"),
        kept("marginr", "0"),
        kept("marginv", "0"),
        kept("effect", ""),
    ];
    event_of(start, end, &settings, value("text")?)
}

/// The cue of an event: layer, style, name, three margins, effect, and its text.
pub(crate) fn event_of(start: i64, end: i64, settings: &[String; 7], text: &str) -> Option<Cue> {
    let (runs, place) = commands(text);
    let speaker = Some(settings[2].clone()).filter(|name| !name.is_empty());
    let source =
        SourceCue { format: SubtitleFormat::Ass, settings: settings.join(","), text: text.to_owned() };
    Some(Cue { start, end, runs, id: None, speaker, place, source: Some(source) })
}

/// Text with its commands carried out as far as styles go.
pub(crate) fn commands(text: &str) -> (Vec<CueRun>, Option<u8>) {
    let (mut runs, mut place, mut style) = (Vec::new(), None, RunStyle::default());
    let mut is_drawing = false;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find('{').unwrap_or(rest.len());
        if !is_drawing {
            let plain = rest[..end].replace("\\N", "\n").replace("\\n", "\n").replace("\\h", "\u{a0}");
            push_run(&mut runs, &plain, style);
        }
        let Some(close) = rest[end..].find('}') else { break };
        for command in rest[end + 1..end + close].split('\\').skip(1) {
            obey(command.trim(), &mut style, &mut place, &mut is_drawing);
        }
        rest = &rest[end + close + 1..];
    }
    trim_runs(&mut runs);
    (runs, place)
}

fn obey(command: &str, style: &mut RunStyle, place: &mut Option<u8>, is_drawing: &mut bool) {
    let is_on = |value: &str| value != "0" && !value.is_empty();
    if let Some(value) = command.strip_prefix("an").and_then(|value| value.parse().ok()) {
        *place = Some(value).filter(|value| (1..=9).contains(value)).or(*place);
    } else if let Some(level) = command.strip_prefix('p').and_then(|value| value.parse::<u32>().ok()) {
        *is_drawing = level > 0;
    } else if command == "r" {
        *style = RunStyle::default();
    } else if let Some(value) = command.strip_prefix("1c").or(command.strip_prefix('c')) {
        style.colour = colour(value);
    } else if let Some(value) = switch(command, 'b') {
        style.bold = is_on(value);
    } else if let Some(value) = switch(command, 'i') {
        style.italic = is_on(value);
    } else if let Some(value) = switch(command, 'u') {
        style.underline = is_on(value);
    }
}

/// The number behind a one-letter command: `\b1`, but not `\bord2`.
fn switch(command: &str, name: char) -> Option<&str> {
    command.strip_prefix(name).filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `&HBBGGRR&`.
fn colour(value: &str) -> Option<[u8; 3]> {
    let hex = value.trim_matches('&').strip_prefix('H')?;
    let number = u32::from_str_radix(hex, 16).ok()?;
    let [_, blue, green, red] = number.to_be_bytes();
    Some([red, green, blue])
}

pub(crate) fn write(subtitles: &Subtitles) -> String {
    let head = match &subtitles.head {
        Some((SubtitleFormat::Ass, head)) if head.contains("Styles]") => head.as_str(),
        _ => HEAD,
    };
    let mut out = format!("{head}\n\n[Events]\nFormat: {FIELDS}\n");
    for cue in &subtitles.cues {
        let (settings, text) = match &cue.source {
            Some(source) if source.format == SubtitleFormat::Ass => {
                (source.settings.clone(), source.text.clone())
            }
            _ => (settings_of(cue), body_of(cue)),
        };
        let (layer, rest) = settings.split_once(',').unwrap_or(("0", &settings));
        out.push_str(&format!(
            "Dialogue: {layer},{},{},{rest},{text}\n",
            short_clock(cue.start),
            short_clock(cue.end)
        ));
    }
    out
}

/// Hundredths are all that the format has.
fn short_clock(ms: i64) -> String {
    let hundredths = (ms.max(0) + 5) / 10;
    let (hours, minutes, seconds) = (hundredths / 360_000, hundredths / 6000 % 60, hundredths / 100 % 60);
    format!("{hours}:{minutes:02}:{seconds:02}.{:02}", hundredths % 100)
}

fn settings_of(cue: &Cue) -> String {
    let speaker = cue.speaker.as_deref().unwrap_or_default().replace([',', '\n'], " ");
    format!("0,Default,{speaker},0,0,0,")
}

fn body_of(cue: &Cue) -> String {
    let mut out =
        cue.place.filter(|place| *place != 2).map_or(String::new(), |place| format!("{{\\an{place}}}"));
    let mut now = RunStyle::default();
    for run in &cue.runs {
        let mut commands = String::new();
        for (was, is, name) in [
            (now.bold, run.style.bold, 'b'),
            (now.italic, run.style.italic, 'i'),
            (now.underline, run.style.underline, 'u'),
        ] {
            if was != is {
                commands.push_str(&format!("\\{name}{}", u8::from(is)));
            }
        }
        match run.style.colour {
            Some([red, green, blue]) if now.colour != run.style.colour => {
                commands.push_str(&format!("\\c&H{blue:02X}{green:02X}{red:02X}&"));
            }
            None if now.colour.is_some() => commands.push_str("\\c"),
            _ => {}
        }
        if !commands.is_empty() {
            out.push_str(&format!("{{{commands}}}"));
        }
        now = run.style;
        // Braces would begin a command.
        out.push_str(&run.text.replace('{', "(").replace('}', ")").replace('\n', "\\N"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[Script Info]\nTitle: T\n\n[V4+ Styles]\nFormat: Name\nStyle: Default\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:01.00,0:00:02.50,Default,Ann,0,0,0,,{\\an8\\i1}One{\\i0}, two\\Nthree\n";

    #[test]
    fn events_are_read_and_written_as_they_were() {
        let read = parse(TEXT).unwrap();
        let cue = &read.cues[0];
        assert_eq!((cue.start, cue.end, cue.place), (1000, 2500, Some(8)));
        assert_eq!(cue.text(), "One, two\nthree");
        assert_eq!((cue.speaker.as_deref(), cue.runs[0].style.italic), (Some("Ann"), true));
        assert_eq!(write(&read), TEXT);
    }

    #[test]
    fn drawings_are_no_text_and_colours_are_turned_round() {
        assert_eq!(commands("{\\p1}m 0 0 l 1 1{\\p0}text").0[0].text, "text");
        assert_eq!(commands("{\\c&H0000FF&}x").0[0].style.colour, Some([255, 0, 0]));
        assert!(!commands("{\\bord2}x").0[0].style.bold);
    }
}
