//! A page as a picture, for OCR.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use hayro_interpret::InterpreterSettings;

use super::file::{damaged, open, size_of};
use crate::DocumentError;

const POINTS_PER_INCH: f32 = 72.0;
/// Pixels of the longer side, and of all: larger pages are drawn smaller.
const SIDE_MAX: f32 = 12_000.0;
const PIXELS_MAX: f32 = 40_000_000.0;

/// Pixels, row by row, three bytes each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RenderedPage {
    pub width: u32,
    pub height: u32,
    pub rgb: Vec<u8>,
}

/// Draws a page, counted from 1, on white. A page that would be too large is drawn with fewer dots per inch.
pub fn render(
    bytes: &[u8],
    page: u32,
    dpi: f32,
    password: Option<&str>,
) -> Result<RenderedPage, DocumentError> {
    let pdf = open(bytes, password)?;
    let pages = pdf.pages();
    let index = (page as usize).checked_sub(1);
    let Some(found) = index.and_then(|index| pages.get(index)) else {
        return Err(DocumentError::NoSuchPage { asked: page, pages: pages.len() });
    };
    let scale = scale(found.render_dimensions(), dpi);
    let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        let cache = RenderCache::new();
        hayro::render(found, &cache, &InterpreterSettings::default(), &RenderSettings::default(), &settings)
    }));
    let pixmap = drawn.map_err(|_| damaged("the page cannot be drawn"))?;
    let rgb = pixmap.data().iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b]).collect();
    Ok(RenderedPage { width: u32::from(pixmap.width()), height: u32::from(pixmap.height()), rgb })
}

/// The width and height of a page, counted from 1, in points as it is viewed. The places of words are on a page of this size.
pub fn page_size(bytes: &[u8], page: u32, password: Option<&str>) -> Result<(f32, f32), DocumentError> {
    let pdf = open(bytes, password)?;
    let pages = pdf.pages();
    let found = (page as usize).checked_sub(1).and_then(|index| pages.get(index));
    found.map(size_of).ok_or(DocumentError::NoSuchPage { asked: page, pages: pages.len() })
}

fn scale((width, height): (f32, f32), dpi: f32) -> f32 {
    let (width, height) = (width.max(1.0), height.max(1.0));
    let wanted = dpi.clamp(1.0, 1200.0) / POINTS_PER_INCH;
    let by_side = SIDE_MAX / width.max(height);
    let by_pixels = (PIXELS_MAX / (width * height)).sqrt();
    wanted.min(by_side).min(by_pixels)
}
