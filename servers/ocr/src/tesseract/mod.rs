//! Tesseract as a program: a picture goes in on its standard input, a table of words comes out.

mod child;
mod table;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use image::{ExtendedColorType, ImageEncoder, RgbImage};

use crate::error::OcrError;
use crate::geometry::Polygon;
use crate::options::{Deskew, EngineKind};
use crate::order;
use crate::picture::Picture;
use crate::reading::{OcrReading, TextLine};
use crate::{turn, warp};

/// The program and its languages, which are queried once.
#[derive(Debug)]
pub(crate) struct Tesseract {
    program: PathBuf,
    languages: OnceLock<Vec<String>>,
}

/// Lines with a smaller rotation are read as they are.
const SKEW_MIN: f32 = 0.5;

impl Tesseract {
    /// The program that was said, or the first of its name on the path. Does not start it.
    pub(crate) fn find(said: Option<&Path>) -> Option<Self> {
        let program = match said {
            Some(program) if program.components().count() > 1 => {
                program.is_file().then(|| program.to_owned())?
            }
            Some(name) => on_path(name)?,
            None => on_path(Path::new("tesseract"))?,
        };
        Some(Self { program, languages: OnceLock::new() })
    }

    /// Tesseract's names; empty if it cannot list them.
    pub(crate) fn languages(&self) -> &[String] {
        self.languages.get_or_init(|| {
            let said = child::run(&self.program, &["--list-langs"], Vec::new()).unwrap_or_default();
            // The first line names their folder.
            said.lines()
                .skip(1)
                .map(str::trim)
                .filter(|name| !matches!(*name, "" | "osd"))
                .map(str::to_owned)
                .collect()
        })
    }

    pub(crate) fn read(
        &self,
        picture: &Picture,
        languages: &[String],
        deskew: Deskew,
    ) -> Result<OcrReading, OcrError> {
        let skew = if deskew == Deskew::Auto { turn::skew_of_pixels(picture.pixels()) } else { 0.0 };
        if skew.abs() < SKEW_MIN {
            let lines = self.lines(picture.pixels(), languages)?;
            return Ok(arranged(lines, picture, 0.0, |polygon| polygon));
        }
        let (straight, back) = warp::turned(picture.pixels(), -skew);
        let lines = self.lines(&straight, languages)?;
        Ok(arranged(lines, picture, skew, |polygon| polygon.map(&back)))
    }

    fn lines(&self, pixels: &RgbImage, languages: &[String]) -> Result<Vec<table::TesseractLine>, OcrError> {
        let languages = languages.join("+");
        let said = child::run(&self.program, &["stdin", "stdout", "-l", &languages, "tsv"], as_png(pixels)?)?;
        Ok(table::lines(&said))
    }
}

fn arranged(
    lines: Vec<table::TesseractLine>,
    picture: &Picture,
    angle: f32,
    back: impl Fn(Polygon) -> Polygon,
) -> OcrReading {
    let places: Vec<_> = lines.iter().map(|line| line.bounds).collect();
    let lines = order::arrange(&places).into_iter().map(|placed| {
        let line = &lines[placed.index];
        let polygon = back(Polygon::upright(line.bounds));
        TextLine {
            text: line.text.clone(),
            confidence: line.confidence,
            polygon,
            bounds: polygon.bounds().within(picture.width(), picture.height()),
            before: placed.before,
        }
    });
    OcrReading::new(lines.collect(), angle, EngineKind::Tesseract)
}

/// Hardly compressed: it only goes to the next process.
fn as_png(pixels: &RgbImage) -> Result<Vec<u8>, OcrError> {
    use image::codecs::png::{CompressionType, FilterType, PngEncoder};
    let mut bytes = Vec::new();
    PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Up)
        .write_image(pixels.as_raw(), pixels.width(), pixels.height(), ExtendedColorType::Rgb8)
        .map_err(|error| OcrError::Tesseract { said: error.to_string() })?;
    Ok(bytes)
}

#[expect(clippy::disallowed_methods, reason = "a program is looked for where the shell would find it")]
fn on_path(name: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
