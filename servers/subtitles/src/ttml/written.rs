//! A new IMSC text document of cues.

use quick_xml::escape::escape;

use crate::cue::{Cue, RunStyle, Subtitles};
use crate::markup::hex;
use crate::time::clock;

const HEAD: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text" ttp:timeBase="media""##;

/// Regions for the nine places on the screen.
fn region(place: u8) -> String {
    let (row, column) = ((place - 1) / 3, (place - 1) % 3);
    let display = ["after", "center", "before"][usize::from(row)];
    let text = ["start", "center", "end"][usize::from(column)];
    format!(
        "      <region xml:id=\"place{place}\" tts:origin=\"10% 10%\" tts:extent=\"80% 80%\" tts:displayAlign=\"{display}\" tts:textAlign=\"{text}\"/>\n"
    )
}

pub(super) fn document(subtitles: &Subtitles) -> String {
    let language = escape(subtitles.language.as_deref().unwrap_or_default());
    let place_of = |cue: &Cue| cue.place.filter(|place| (1..=9).contains(place)).unwrap_or(2);
    let mut places: Vec<u8> = subtitles.cues.iter().map(place_of).collect();
    places.sort_unstable();
    places.dedup();
    let regions: String = places.into_iter().map(region).collect();
    let mut out = format!(
        "{HEAD} xml:lang=\"{language}\">\n  <head>\n    <layout>\n{regions}    </layout>\n  </head>\n  <body>\n    <div>\n"
    );
    for cue in &subtitles.cues {
        let (begin, end) = (clock(cue.start, '.'), clock(cue.end, '.'));
        out.push_str(&format!(
            "      <p region=\"place{}\" begin=\"{begin}\" end=\"{end}\" xml:space=\"preserve\">{}</p>\n",
            place_of(cue),
            content(cue)
        ));
    }
    out.push_str("    </div>\n  </body>\n</tt>\n");
    out
}

fn content(cue: &Cue) -> String {
    let mut out = String::new();
    for run in &cue.runs {
        let clean: String =
            run.text.chars().filter(|letter| !letter.is_control() || *letter == '\n').collect();
        let text = escape(clean.as_str()).replace('\n', "<br/>");
        match attributes(run.style) {
            attributes if attributes.is_empty() => out.push_str(&text),
            attributes => out.push_str(&format!("<span{attributes}>{text}</span>")),
        }
    }
    out
}

fn attributes(style: RunStyle) -> String {
    let mut out = String::new();
    if style.bold {
        out.push_str(" tts:fontWeight=\"bold\"");
    }
    if style.italic {
        out.push_str(" tts:fontStyle=\"italic\"");
    }
    if style.underline {
        out.push_str(" tts:textDecoration=\"underline\"");
    }
    if let Some(colour) = style.colour {
        out.push_str(&format!(" tts:color=\"{}\"", hex(colour)));
    }
    out
}
