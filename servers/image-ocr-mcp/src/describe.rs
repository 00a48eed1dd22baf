//! `describe_image`: the facts about a picture without reading it.

use capability_kit::{Trouble, Work};
use capability_ocr::{Animation, ColourModel, OcrEngine, Picture, PictureTurn, Polygon};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments;
use crate::colours;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DescribeImageArguments {
    /// The picture, in Base64.
    #[serde(default)]
    image_data: Option<String>,
    /// Its media type, such as `image/png`. Detected from the content if omitted.
    #[serde(default)]
    image_type: Option<String>,
    /// Instead of `image_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DescribeImageOutput {
    /// In pixels, upright.
    width: u32,
    height: u32,
    /// Detected from the content, regardless of the declared type.
    media_type: &'static str,
    colour_model: ColourSpace,
    /// For each channel.
    bits: u8,
    has_alpha: bool,
    /// The largest first; similar colours are merged.
    dominant_colours: Vec<Colour>,
    /// From 0 (black) to 1 (white).
    brightness: f64,
    /// Share of the area that is covered by text, from 0 to 1; null if it cannot be measured here.
    text_density: Option<f64>,
    /// The camera's rotation of the file.
    orientation: Orientation,
    animated: bool,
    /// Frames of an animation, or pages.
    frames: u32,
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ColourSpace {
    Grey,
    Rgb,
    Cmyk,
    Other,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Orientation {
    Upright,
    QuarterTurn,
    HalfTurn,
    ThreeQuarterTurn,
    Mirrored,
}

#[derive(Serialize, JsonSchema)]
struct Colour {
    /// Such as `#ffffff`.
    hex: String,
    /// Of all pixels, from 0 to 1.
    share: f64,
}

pub(crate) fn describe_image(
    arguments: DescribeImageArguments,
    work: &Work,
    engine: Option<&OcrEngine>,
) -> Result<DescribeImageOutput, Trouble> {
    let DescribeImageArguments { image_data, image_type, source_ref_id } = arguments;
    let mut given = arguments::load(image_data, image_type, source_ref_id, work)?;
    let text_density = match text_density(&given.picture, engine) {
        Ok(density) => Some(rounded(density)),
        Err(why) => {
            given.warnings.push(format!("text_density is unknown: {why}"));
            None
        }
    };
    let facts = given.picture.facts();
    let (animated, frames) = match facts.animation {
        Animation::Moving { frames } => (true, frames),
        Animation::Still { pages } => (false, pages),
    };
    Ok(DescribeImageOutput {
        width: facts.width,
        height: facts.height,
        media_type: facts.media_type,
        colour_model: model_of(facts.colour),
        bits: facts.bits,
        has_alpha: facts.has_alpha,
        dominant_colours: colours_of(&given.picture),
        brightness: rounded(colours::brightness(given.picture.rgb())),
        text_density,
        orientation: orientation_of(facts.turn),
        animated,
        frames,
        warnings: given.warnings,
    })
}

fn text_density(picture: &Picture, engine: Option<&OcrEngine>) -> Result<f64, String> {
    const OFF: &str = "no OCR engine is installed on this machine; fetch the weights with script/ocr-model";
    let engine = engine.ok_or(OFF)?;
    let lines = engine.detect(picture).map_err(|error| error.to_string())?;
    Ok(share_of(&lines, picture.width(), picture.height()))
}

/// The share of the picture that lies in at least one of the polygons, on a grid.
fn share_of(lines: &[Polygon], width: u32, height: u32) -> f64 {
    const CELLS: usize = 256;
    let (width, height) = (width.max(1) as f32, height.max(1) as f32);
    let mut covered = vec![false; CELLS * CELLS];
    let cell = |place: f32, side: f32| ((place / side * CELLS as f32).round().max(0.0) as usize).min(CELLS);
    for bounds in lines.iter().map(Polygon::bounds) {
        let columns = cell(bounds.left, width)..cell(bounds.right, width);
        for row in cell(bounds.top, height)..cell(bounds.bottom, height) {
            covered[row * CELLS + columns.start..row * CELLS + columns.end].fill(true);
        }
    }
    covered.iter().filter(|covered| **covered).count() as f64 / covered.len() as f64
}

fn colours_of(picture: &Picture) -> Vec<Colour> {
    let shares = colours::dominant(picture.rgb()).into_iter();
    let colour = |share: colours::ColourShare| {
        let [red, green, blue] = share.colour;
        Colour { hex: format!("#{red:02x}{green:02x}{blue:02x}"), share: rounded(share.share) }
    };
    shares.map(colour).collect()
}

fn model_of(colour: ColourModel) -> ColourSpace {
    match colour {
        ColourModel::Grey => ColourSpace::Grey,
        ColourModel::Rgb => ColourSpace::Rgb,
        ColourModel::Cmyk => ColourSpace::Cmyk,
        ColourModel::Other => ColourSpace::Other,
    }
}

fn orientation_of(turn: PictureTurn) -> Orientation {
    match turn {
        PictureTurn::None => Orientation::Upright,
        PictureTurn::Quarter => Orientation::QuarterTurn,
        PictureTurn::Half => Orientation::HalfTurn,
        PictureTurn::ThreeQuarters => Orientation::ThreeQuarterTurn,
        PictureTurn::Mirrored => Orientation::Mirrored,
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use capability_ocr::Point;

    use super::*;

    #[test]
    fn overlapping_lines_count_once() {
        let line = |left: f32, right: f32| {
            let corner = |x, y| Point::new(x, y);
            Polygon([corner(left, 0.0), corner(right, 0.0), corner(right, 50.0), corner(left, 50.0)])
        };
        assert_eq!(share_of(&[line(0.0, 50.0), line(25.0, 50.0)], 100, 100), 0.25);
        assert_eq!(share_of(&[line(-10.0, 200.0)], 100, 100), 0.5);
        assert_eq!(share_of(&[], 100, 100), 0.0);
    }
}
