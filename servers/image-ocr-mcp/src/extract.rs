//! `extract`: the text of a picture.

use capability_kit::{TextOut, Trouble, Work};
use capability_ocr::{Bounds, Deskew, OcrEngine, OcrError, OcrReading, ReadOptions, TextLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments::{self, GivenPicture};
use crate::trouble::trouble_of;

/// More lines than a page has are in the text only.
const LINES_MAX: usize = 1_000;
/// Below this, a reading is more guessed than read.
const SURE: f32 = 0.75;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractTextArguments {
    /// The picture, in Base64.
    #[serde(default)]
    image_data: Option<String>,
    /// Its media type, such as `image/png`. Detected from the content if omitted.
    #[serde(default)]
    image_type: Option<String>,
    /// Instead of `image_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// The languages of the text, such as `en` or `de`. Needed only for languages that are not read by
    /// default; Latin letters, Chinese and Japanese are.
    #[serde(default)]
    languages: Vec<String>,
    /// Rotate a turned picture upright before reading it.
    #[serde(default)]
    deskew: DeskewArgument,
    /// Omit lines with less confidence, from 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    min_confidence: Option<f32>,
    /// Also list the lines with their boxes and confidence.
    #[serde(default)]
    lines: bool,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DeskewArgument {
    #[default]
    Auto,
    Never,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ExtractTextOutput {
    #[serde(flatten)]
    text: TextOut,
    /// With `lines`: in reading order.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<OcrLine>>,
    /// Of the picture, in pixels.
    width: u32,
    height: u32,
    /// The engine that read it.
    engine: &'static str,
    /// The rotation of the text in degrees, clockwise.
    angle: f32,
    /// Over all characters, from 0 to 1; null if there is no text.
    mean_confidence: Option<f32>,
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct OcrLine {
    text: String,
    confidence: f32,
    /// Its position, in pixels of the picture.
    #[serde(rename = "box")]
    place: OcrBounds,
}

#[derive(Serialize, JsonSchema)]
struct OcrBounds {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

pub(crate) fn extract(
    arguments: ExtractTextArguments,
    work: &Work,
    engine: Option<&OcrEngine>,
) -> Result<ExtractTextOutput, Trouble> {
    let engine = engine.ok_or_else(|| trouble_of(&OcrError::Unavailable))?;
    let confidence_min = checked(arguments.min_confidence)?;
    let ExtractTextArguments { image_data, image_type, source_ref_id, languages, deskew, lines, .. } =
        arguments;
    let given = arguments::load(image_data, image_type, source_ref_id, work)?;
    let deskew = match deskew {
        DeskewArgument::Auto => Deskew::Auto,
        DeskewArgument::Never => Deskew::Never,
    };
    let reading = engine
        .read_with(&given.picture, &ReadOptions { languages, deskew })
        .map_err(|error| trouble_of(&error))?
        .at_least(confidence_min);
    answer(given, &reading, lines, work)
}

fn checked(confidence_min: Option<f32>) -> Result<f32, Trouble> {
    match confidence_min.unwrap_or(0.0) {
        confidence if (0.0..=1.0).contains(&confidence) => Ok(confidence),
        other => Err(Trouble::bad_arguments(format!("min_confidence is {other}"))
            .hint("pass a number from 0 (all lines) to 1")),
    }
}

/// Lines repeat the text, so they come on request.
fn answer(
    given: GivenPicture,
    reading: &OcrReading,
    with_lines: bool,
    work: &Work,
) -> Result<ExtractTextOutput, Trouble> {
    let mut warnings = given.warnings;
    if with_lines && reading.lines.len() > LINES_MAX {
        let rest = reading.lines.len() - LINES_MAX;
        warnings.push(format!("the text has {rest} more lines than the list of lines"));
    }
    if reading.mean_confidence.is_some_and(|confidence| confidence < SURE) {
        warnings.push(
            "much of the picture is hard to read; check the text, or send a sharper or larger picture".into(),
        );
    }
    Ok(ExtractTextOutput {
        text: work.text(reading.text(), "text/plain", "text.txt")?,
        lines: with_lines.then(|| reading.lines.iter().take(LINES_MAX).map(line_of).collect()),
        width: given.picture.width(),
        height: given.picture.height(),
        engine: reading.engine.as_str(),
        angle: rounded(reading.angle, 10.0),
        mean_confidence: reading.mean_confidence.map(|confidence| rounded(confidence, 1_000.0)),
        warnings,
    })
}

fn line_of(line: &TextLine) -> OcrLine {
    let Bounds { left, top, right, bottom } = line.bounds;
    let place = OcrBounds {
        left: left.floor() as u32,
        top: top.floor() as u32,
        right: right.ceil() as u32,
        bottom: bottom.ceil() as u32,
    };
    OcrLine { text: line.text.clone(), confidence: rounded(line.confidence, 1_000.0), place }
}

/// Digits beyond the precision only cost tokens.
fn rounded(value: f32, steps: f32) -> f32 {
    (value * steps).round() / steps
}
