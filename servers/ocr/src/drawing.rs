//! Pictures for tests: pages of text, and characters of strokes where no font at hand has them.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use image::{Rgb, RgbImage};

pub(crate) const WHITE: Rgb<u8> = Rgb([255; 3]);
pub(crate) const BLACK: Rgb<u8> = Rgb([0; 3]);

/// A serif font for text.
fn font() -> FontRef<'static> {
    typst_assets::fonts()
        .filter_map(|bytes| FontRef::try_from_slice(bytes).ok())
        .find(|font| "Aaß0é".chars().all(|letter| font.glyph_id(letter).0 != 0))
        .expect("typst brings fonts with Latin letters")
}

pub(crate) fn page(width: u32, height: u32) -> RgbImage {
    RgbImage::from_pixel(width, height, WHITE)
}

/// Writes a line whose letters are about `size` pixels high, with the top of the line at `top`.
pub(crate) fn write(picture: &mut RgbImage, left: f32, top: f32, size: f32, text: &str) {
    let font = font();
    let font = font.as_scaled(PxScale::from(size * 1.3));
    let mut x = left;
    let mut before = None;
    for letter in text.chars() {
        let id = font.glyph_id(letter);
        x += before.map_or(0.0, |before| font.kern(before, id));
        let glyph = id.with_scale_and_position(font.scale(), point(x, top + font.ascent()));
        x += font.h_advance(id);
        before = Some(id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, cover| {
            darken(picture, corner.x as i64 + i64::from(dx), corner.y as i64 + i64::from(dy), cover)
        });
    }
}

fn darken(picture: &mut RgbImage, x: i64, y: i64, cover: f32) {
    let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
    if let Some(pixel) = picture.get_pixel_mut_checked(x, y) {
        pixel.0 = pixel.0.map(|channel| (f32::from(channel) * (1.0 - cover.min(1.0))) as u8);
    }
}

/// A character of straight strokes, each from one point to another, in hundredths of `size`.
pub(crate) fn strokes(picture: &mut RgbImage, left: u32, top: u32, size: u32, lines: &[[u32; 4]]) {
    let width = (size / 12).max(2);
    let place = |hundredths: u32| hundredths * size / 100;
    for &[from_x, from_y, to_x, to_y] in lines {
        for y in place(from_y)..=place(to_y) + width {
            for x in place(from_x)..=place(to_x) + width {
                picture.put_pixel(left + x, top + y, BLACK);
            }
        }
    }
}
