//! The tags that SubRip and WebVTT share: `<b>`, `<i>`, `<u>`, `<font color>`, `<v Speaker>`, and character references.

use crate::cue::{CueRun, RunStyle, push_run, trim_runs};

/// Marked text, taken apart.
#[derive(Default)]
pub(crate) struct MarkedText {
    pub(crate) runs: Vec<CueRun>,
    pub(crate) speaker: Option<String>,
    /// From `{\an8}`, which many SubRip files have.
    pub(crate) place: Option<u8>,
    /// Names of tags that have no meaning here.
    pub(crate) ignored: Vec<String>,
}

/// The meaning of text between angle brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagDialect {
    SubRip,
    WebVtt,
}

/// Styles of open tags; more are not followed.
const OPEN_TAGS_MAX: usize = 64;

pub(crate) fn parse(text: &str, dialect: TagDialect) -> MarkedText {
    let mut marked = MarkedText::default();
    let mut open: Vec<(String, RunStyle)> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let style = open.last().map_or(RunStyle::default(), |(_, style)| *style);
        let end = rest.find(['<', '{', '&']).unwrap_or(rest.len());
        push_run(&mut marked.runs, &rest[..end], style);
        rest = &rest[end..];
        let Some(first) = rest.chars().next() else { break };
        rest = match first {
            '<' => tag(rest, &mut open, &mut marked, dialect),
            '{' if dialect == TagDialect::SubRip => braces(rest, style, &mut marked),
            '&' => reference(rest, style, &mut marked.runs),
            _ => literal(rest, style, &mut marked.runs),
        };
    }
    trim_runs(&mut marked.runs);
    marked
}

/// The first character stands for itself.
fn literal<'a>(rest: &'a str, style: RunStyle, runs: &mut Vec<CueRun>) -> &'a str {
    let length = rest.chars().next().map_or(0, char::len_utf8);
    push_run(runs, &rest[..length], style);
    &rest[length..]
}

fn tag<'a>(
    rest: &'a str,
    open: &mut Vec<(String, RunStyle)>,
    marked: &mut MarkedText,
    dialect: TagDialect,
) -> &'a str {
    let style = open.last().map_or(RunStyle::default(), |(_, style)| *style);
    let Some(end) = rest.find('>') else { return literal(rest, style, &mut marked.runs) };
    let inside = &rest[1..end];
    let is_tag = inside.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        || (dialect == TagDialect::WebVtt && inside.starts_with(|first: char| first.is_ascii_digit()));
    if !is_tag || (dialect == TagDialect::SubRip && inside.contains('\n')) {
        return literal(rest, style, &mut marked.runs);
    }
    match inside.strip_prefix('/') {
        Some(name) => close(name.trim(), open),
        None => begin(inside, style, open, marked),
    }
    &rest[end + 1..]
}

fn close(name: &str, open: &mut Vec<(String, RunStyle)>) {
    if let Some(at) = open.iter().rposition(|(opened, _)| opened.eq_ignore_ascii_case(name)) {
        open.truncate(at);
    }
}

fn begin(inside: &str, style: RunStyle, open: &mut Vec<(String, RunStyle)>, marked: &mut MarkedText) {
    let (head, annotation) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let name = head.split('.').next().unwrap_or(head).to_ascii_lowercase();
    let mut style = style;
    match name.as_str() {
        "b" => style.bold = true,
        "i" => style.italic = true,
        "u" => style.underline = true,
        "font" => style.colour = font_colour(annotation).or(style.colour),
        "c" => style.colour = head.split('.').skip(1).find_map(named_colour).or(style.colour),
        "v" if marked.speaker.is_none() && !annotation.trim().is_empty() => {
            marked.speaker = Some(annotation.trim().to_owned());
        }
        _ => {
            let said = if name.starts_with(|first: char| first.is_ascii_digit()) {
                "timestamps".into()
            } else {
                name.clone()
            };
            if !marked.ignored.contains(&said) {
                marked.ignored.push(said);
            }
        }
    }
    let stands_alone = name.starts_with(|first: char| first.is_ascii_digit()) || name == "br";
    if !stands_alone && open.len() < OPEN_TAGS_MAX {
        open.push((name, style));
    }
}

/// Commands of ASS in a SubRip file.
fn braces<'a>(rest: &'a str, style: RunStyle, marked: &mut MarkedText) -> &'a str {
    let Some(end) = rest.find('}').filter(|_| rest.starts_with("{\\")) else {
        return literal(rest, style, &mut marked.runs);
    };
    let place = rest[..end].split('\\').find_map(|command| command.strip_prefix("an"));
    marked.place =
        place.and_then(|place| place.parse().ok()).filter(|place| (1..=9).contains(place)).or(marked.place);
    &rest[end + 1..]
}

fn reference<'a>(rest: &'a str, style: RunStyle, runs: &mut Vec<CueRun>) -> &'a str {
    const NAMED: [(&str, &str); 7] = [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", "\u{a0}"),
        ("&lrm;", "\u{200e}"),
        ("&rlm;", "\u{200f}"),
        ("&quot;", "\""),
    ];
    if let Some((name, meaning)) = NAMED.iter().find(|(name, _)| rest.starts_with(name)) {
        push_run(runs, meaning, style);
        return &rest[name.len()..];
    }
    let number =
        rest.strip_prefix("&#").and_then(|rest| rest.split_once(';')).filter(|(digits, _)| digits.len() <= 8);
    let character = number.and_then(|(digits, after)| Some((numbered(digits)?, after)));
    match character {
        Some((character, after)) => {
            push_run(runs, character.encode_utf8(&mut [0; 4]), style);
            after
        }
        None => literal(rest, style, runs),
    }
}

fn numbered(digits: &str) -> Option<char> {
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    char::from_u32(code).filter(|character| *character != '\0')
}

fn font_colour(attributes: &str) -> Option<[u8; 3]> {
    let value = attributes.split_once("color")?.1.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_matches(['"', '\'']);
    colour(value.split(['"', '\'', ' ']).next()?)
}

/// `#rrggbb` or one of the names of WebVTT.
pub(crate) fn colour(text: &str) -> Option<[u8; 3]> {
    match text.strip_prefix('#') {
        Some(hex) if hex.is_ascii() && matches!(hex.len(), 6 | 8) => {
            let channel = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
            Some([channel(0)?, channel(2)?, channel(4)?])
        }
        Some(_) => None,
        None => named_colour(text),
    }
}

fn named_colour(name: &str) -> Option<[u8; 3]> {
    Some(match name.to_ascii_lowercase().as_str() {
        "white" => [255, 255, 255],
        "lime" => [0, 255, 0],
        "cyan" | "aqua" => [0, 255, 255],
        "red" => [255, 0, 0],
        "yellow" => [255, 255, 0],
        "magenta" | "fuchsia" => [255, 0, 255],
        "blue" => [0, 0, 255],
        "black" => [0, 0, 0],
        "green" => [0, 128, 0],
        _ => return None,
    })
}

/// The colour as `#rrggbb`.
pub(crate) fn hex(colour: [u8; 3]) -> String {
    format!("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2])
}

/// Runs with tags around them; `escape` writes the text between.
pub(crate) fn tagged(runs: &[CueRun], dialect: TagDialect, escape: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for run in runs {
        let style = run.style;
        let mut tags: Vec<(&str, String)> = Vec::new();
        if let (Some(colour), TagDialect::SubRip) = (style.colour, dialect) {
            tags.push(("font", format!("<font color=\"{}\">", hex(colour))));
        }
        for (is_on, name) in [(style.bold, "b"), (style.italic, "i"), (style.underline, "u")] {
            if is_on {
                tags.push((name, format!("<{name}>")));
            }
        }
        out.extend(tags.iter().map(|(_, begin)| begin.as_str()));
        out.push_str(&escape(&run.text));
        for (name, _) in tags.iter().rev() {
            out.push_str(&format!("</{name}>"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_styles_and_other_brackets_stay() {
        let marked = parse(
            "{\\an8}<i>a <b>b</b></i> 1 < 2 &amp; <font color=\"#ff0000\">c</font>",
            TagDialect::SubRip,
        );
        assert_eq!(marked.place, Some(8));
        let texts: Vec<&str> = marked.runs.iter().map(|run| run.text.as_str()).collect();
        assert_eq!(texts, ["a ", "b", " 1 < 2 & ", "c"]);
        assert!(marked.runs[1].style.bold && marked.runs[1].style.italic);
        assert_eq!(marked.runs[3].style.colour, Some([255, 0, 0]));
    }

    #[test]
    fn a_voice_is_a_speaker() {
        let marked = parse("<v.loud Ann Lee>Hi <00:00:02.000>there</v> &#x263a;", TagDialect::WebVtt);
        assert_eq!(marked.speaker.as_deref(), Some("Ann Lee"));
        assert_eq!(marked.runs.iter().map(|run| run.text.as_str()).collect::<String>(), "Hi there ☺");
        assert_eq!(marked.ignored, ["timestamps"]);
    }
}
