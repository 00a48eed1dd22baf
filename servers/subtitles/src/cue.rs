//! Subtitles as data: cues with times in milliseconds and text in runs of one style.

use crate::kind::SubtitleFormat;
use crate::ttml::tree::TtmlTree;

/// A document of subtitles.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Subtitles {
    pub cues: Vec<Cue>,
    /// As the document declares it, such as `en`.
    pub language: Option<String>,
    /// Blocks of the source before its cues that only its own format knows: styles, regions, script info.
    pub head: Option<(SubtitleFormat, String)>,
    /// The whole document, if it was TTML.
    pub(crate) tree: Option<TtmlTree>,
    /// Remarks of the reader: repaired or ignored parts.
    pub remarks: Vec<String>,
}

/// Text that is shown for a while.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cue {
    /// In milliseconds.
    pub start: i64,
    pub end: i64,
    pub runs: Vec<CueRun>,
    pub id: Option<String>,
    pub speaker: Option<String>,
    /// The place on the screen as on a number pad: 2 is below, 8 above.
    pub place: Option<u8>,
    /// The text exactly as its source wrote it.
    pub source: Option<SourceCue>,
}

/// The cue in its own format, for writing it in that format again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceCue {
    pub format: SubtitleFormat,
    /// Settings behind the times (WebVTT), or the fields before the text (ASS).
    pub settings: String,
    pub text: String,
}

/// A piece of text in one style. Lines are separated by `\n`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CueRun {
    pub text: String,
    pub style: RunStyle,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunStyle {
    pub bold: bool,
    pub italic: bool,
    pub underline: bool,
    /// Red, green, blue.
    pub colour: Option<[u8; 3]>,
}

impl Subtitles {
    pub fn of(cues: Vec<Cue>, language: Option<String>) -> Self {
        Self { cues, language, ..Self::default() }
    }
}

impl Cue {
    pub fn plain(start: i64, end: i64, text: impl Into<String>) -> Self {
        let runs = vec![CueRun { text: text.into(), style: RunStyle::default() }];
        Self { start, end, runs, ..Self::default() }
    }

    /// The text without styles.
    pub fn text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    pub fn duration(&self) -> i64 {
        self.end - self.start
    }

    /// The same with other text, which the source does not have.
    pub fn with_runs(&self, runs: Vec<CueRun>) -> Self {
        Self { runs, source: None, ..self.clone() }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.runs.iter().all(|run| run.text.trim().is_empty())
    }

    pub(crate) fn is_styled(&self) -> bool {
        self.runs.iter().any(|run| run.style != RunStyle::default())
    }
}

/// Appends text, joining runs of the same style.
pub(crate) fn push_run(runs: &mut Vec<CueRun>, text: &str, style: RunStyle) {
    if text.is_empty() {
        return;
    }
    match runs.last_mut() {
        Some(last) if last.style == style => last.text.push_str(text),
        _ => runs.push(CueRun { text: text.to_owned(), style }),
    }
}

/// Removes white space around the whole text.
pub(crate) fn trim_runs(runs: &mut Vec<CueRun>) {
    while let Some(first) = runs.first_mut() {
        first.text = first.text.trim_start().to_owned();
        if !first.text.is_empty() {
            break;
        }
        runs.remove(0);
    }
    while let Some(last) = runs.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() {
            break;
        }
        runs.pop();
    }
}
