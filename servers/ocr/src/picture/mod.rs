//! A picture: decoded within limits, upright according to its camera, with the metadata of its file.

mod frames;

#[cfg(test)]
mod tests;

use std::io::Cursor;

use image::metadata::Orientation;
use image::{
    DynamicImage, ExtendedColorType, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage, imageops,
};

use crate::error::OcrError;

pub use frames::Animation;

/// The limits that are checked before memory is spent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PictureLimits {
    /// For each side.
    pub dimension_max: u32,
    pub pixels_max: u64,
}

impl Default for PictureLimits {
    /// A sheet of A4 at 600 dots per inch has 35 million pixels.
    fn default() -> Self {
        Self { dimension_max: 20_000, pixels_max: 50_000_000 }
    }
}

impl PictureLimits {
    /// A decoder may need more than one copy of a picture, at up to eight bytes a pixel.
    const DECODER_BYTES_PER_PIXEL: u64 = 12;

    fn check(&self, width: u64, height: u64) -> Result<(), OcrError> {
        let longest = width.max(height);
        if longest > u64::from(self.dimension_max) || width.saturating_mul(height) > self.pixels_max {
            let Self { dimension_max, pixels_max } = *self;
            return Err(OcrError::TooLarge { width, height, dimension_max, pixels_max });
        }
        Ok(())
    }

    fn for_decoder(&self) -> Limits {
        let mut limits = Limits::no_limits();
        limits.max_image_width = Some(self.dimension_max);
        limits.max_image_height = Some(self.dimension_max);
        limits.max_alloc = Some(self.pixels_max * Self::DECODER_BYTES_PER_PIXEL);
        limits
    }
}

/// Pixels in red, green and blue, and where they come from.
#[derive(Clone, Debug)]
pub struct Picture {
    pixels: RgbImage,
    facts: PictureFacts,
}

/// The metadata of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureFacts {
    /// After rotation to upright, as displayed.
    pub width: u32,
    pub height: u32,
    /// Such as `image/png`; detected from the content, regardless of the file's name.
    pub media_type: &'static str,
    pub colour: ColourModel,
    /// For each channel.
    pub bits: u8,
    pub has_alpha: bool,
    /// The camera's rotation of the pixels. It is applied already.
    pub turn: PictureTurn,
    pub animation: Animation,
    /// True if the end of the file is missing; the missing part is grey or black.
    pub cut_off: bool,
}

/// The colour model of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourModel {
    Grey,
    Rgb,
    Cmyk,
    Other,
}

/// The rotation that makes the pixels of a file upright.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PictureTurn {
    None,
    Quarter,
    Half,
    ThreeQuarters,
    /// Mirrored, and perhaps turned too.
    Mirrored,
}

impl Picture {
    /// Reads a PNG, JPEG, WebP, TIFF, GIF or BMP picture; of one with several pages or frames, the first.
    pub fn decode(bytes: &[u8]) -> Result<Self, OcrError> {
        Self::decode_within(bytes, &PictureLimits::default())
    }

    pub fn decode_within(bytes: &[u8], limits: &PictureLimits) -> Result<Self, OcrError> {
        if bytes.is_empty() {
            return Err(OcrError::Empty);
        }
        let format = image::guess_format(bytes).map_err(|_| OcrError::NotAPicture)?;
        let damaged = |error: image::ImageError| refusal(format, &error, limits);
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        // The limits are checked after the header is read, so that the error can state the image's size.
        reader.limits(limits_of_header());
        let mut decoder = reader.into_decoder().map_err(damaged)?;
        let (width, height) = decoder.dimensions();
        limits.check(width.into(), height.into())?;
        decoder.set_limits(limits.for_decoder()).map_err(damaged)?;
        let colour = decoder.original_color_type();
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let mut image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
        image.apply_orientation(orientation);
        let facts = PictureFacts {
            width: image.width(),
            height: image.height(),
            media_type: format.to_mime_type(),
            colour: model_of(colour),
            bits: bits_of(colour),
            has_alpha: image.color().has_alpha(),
            turn: turn_of(orientation),
            animation: frames::count(format, bytes),
            cut_off: frames::is_cut_off(format, bytes),
        };
        Ok(Self { pixels: on_paper(image), facts })
    }

    /// From pixels of another source, such as a rendered page: three bytes each, row by row.
    pub fn from_rgb(width: u32, height: u32, pixels: Vec<u8>) -> Result<Self, OcrError> {
        PictureLimits::default().check(width.into(), height.into())?;
        let pixels = RgbImage::from_raw(width, height, pixels).ok_or(OcrError::Damaged {
            format: "RGB".into(),
            reason: format!("{width} × {height} pixels need more bytes than there are"),
        })?;
        Ok(Self::from_pixels(pixels))
    }

    pub(crate) fn from_pixels(pixels: RgbImage) -> Self {
        let facts = PictureFacts {
            width: pixels.width(),
            height: pixels.height(),
            media_type: "image/x-portable-pixmap",
            colour: ColourModel::Rgb,
            bits: 8,
            has_alpha: false,
            turn: PictureTurn::None,
            animation: Animation::Still { pages: 1 },
            cut_off: false,
        };
        Self { pixels, facts }
    }

    /// The same picture, at most so wide.
    pub fn narrowed(&self, width_max: u32) -> Self {
        let (width, height) = (self.width(), self.height());
        if width <= width_max.max(1) {
            return self.clone();
        }
        let narrow = width_max.max(1);
        let low = u64::from(height) * u64::from(narrow) / u64::from(width);
        let low = u32::try_from(low).unwrap_or(height).max(1);
        Self::from_pixels(imageops::thumbnail(&self.pixels, narrow, low))
    }

    /// The pixels as a PNG.
    pub fn png(&self) -> Result<Vec<u8>, OcrError> {
        let mut bytes = Cursor::new(Vec::new());
        let written = self.pixels.write_to(&mut bytes, ImageFormat::Png);
        written.map_err(|error| OcrError::Damaged { format: "PNG".into(), reason: error.to_string() })?;
        Ok(bytes.into_inner())
    }

    pub fn width(&self) -> u32 {
        self.pixels.width()
    }

    pub fn height(&self) -> u32 {
        self.pixels.height()
    }

    /// Three bytes for each pixel, row by row; transparent parts lie on paper.
    pub fn rgb(&self) -> &[u8] {
        self.pixels.as_raw()
    }

    pub fn facts(&self) -> &PictureFacts {
        &self.facts
    }

    pub(crate) fn pixels(&self) -> &RgbImage {
        &self.pixels
    }
}

/// Some decoders look at their limits as soon as they have the size; ours are checked right after, and say more.
fn limits_of_header() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(HEADER_BYTES_MAX);
    limits
}

/// Tables of palettes and codes, and everything else that a decoder builds before the first pixel.
const HEADER_BYTES_MAX: u64 = 64 << 20;

fn refusal(format: ImageFormat, error: &image::ImageError, limits: &PictureLimits) -> OcrError {
    match error {
        image::ImageError::Limits(_) => OcrError::TooLarge {
            width: 0,
            height: 0,
            dimension_max: limits.dimension_max,
            pixels_max: limits.pixels_max,
        },
        other => {
            OcrError::Damaged { format: format!("{format:?}").to_uppercase(), reason: other.to_string() }
        }
    }
}

fn model_of(colour: ExtendedColorType) -> ColourModel {
    use ExtendedColorType as E;
    match colour {
        E::L1 | E::La1 | E::L2 | E::La2 | E::L4 | E::La4 | E::L8 | E::La8 | E::L16 | E::La16 => {
            ColourModel::Grey
        }
        E::Cmyk8 | E::Cmyk16 => ColourModel::Cmyk,
        E::A8 | E::Unknown(_) => ColourModel::Other,
        _ => ColourModel::Rgb,
    }
}

fn bits_of(colour: ExtendedColorType) -> u8 {
    let channels = u16::from(colour.channel_count().max(1));
    u8::try_from(colour.bits_per_pixel() / channels).unwrap_or(u8::MAX)
}

fn turn_of(orientation: Orientation) -> PictureTurn {
    match orientation {
        Orientation::NoTransforms => PictureTurn::None,
        Orientation::Rotate90 => PictureTurn::Quarter,
        Orientation::Rotate180 => PictureTurn::Half,
        Orientation::Rotate270 => PictureTurn::ThreeQuarters,
        Orientation::FlipHorizontal
        | Orientation::FlipVertical
        | Orientation::Rotate90FlipH
        | Orientation::Rotate270FlipH => PictureTurn::Mirrored,
    }
}

/// Transparent pictures lie on white paper, or on black if their content is light.
fn on_paper(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let pixels = image.into_rgba8();
    let (mut light, mut weight) = (0u64, 0u64);
    for pixel in pixels.pixels() {
        let [red, green, blue, alpha] = pixel.0.map(u64::from);
        light += (red + green + blue) / 3 * alpha;
        weight += alpha;
    }
    let has_holes = weight < u64::from(pixels.width()) * u64::from(pixels.height()) * 255;
    let paper = if has_holes && light > weight * LIGHT { 0u32 } else { 255 };
    let mut flat = RgbImage::new(pixels.width(), pixels.height());
    for (target, pixel) in flat.pixels_mut().zip(pixels.pixels()) {
        let [.., alpha] = pixel.0.map(u32::from);
        for (channel, value) in target.0.iter_mut().zip(pixel.0) {
            let mixed = (u32::from(value) * alpha + paper * (255 - alpha)) / 255;
            *channel = u8::try_from(mixed).expect("a mean of bytes is a byte");
        }
    }
    flat
}

/// Pixels that are lighter than this on average would be hard to see on white.
const LIGHT: u64 = 200;
