//! One small picture in every supported format.

use std::io::Cursor;

use image::{ImageFormat, RgbImage};

fn picture(format: ImageFormat) -> Vec<u8> {
    let image = RgbImage::from_fn(24, 16, |x, y| image::Rgb([(x * 10) as u8, (y * 15) as u8, 128]));
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).expect("a small picture can be written");
    bytes.into_inner()
}

pub(crate) fn png() -> Vec<u8> {
    picture(ImageFormat::Png)
}

pub(crate) fn jpeg() -> Vec<u8> {
    picture(ImageFormat::Jpeg)
}

pub(crate) fn gif() -> Vec<u8> {
    picture(ImageFormat::Gif)
}

pub(crate) fn tiff() -> Vec<u8> {
    picture(ImageFormat::Tiff)
}

pub(crate) fn webp() -> Vec<u8> {
    picture(ImageFormat::WebP)
}
