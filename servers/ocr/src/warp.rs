//! Pictures cut out, scaled and turned.

use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};

use crate::geometry::{Point, Polygon};

/// A piece of `picture`, upright. Beyond the edge, the edge pixels continue.
pub(crate) fn cut_out(picture: &RgbImage, polygon: &Polygon) -> RgbImage {
    let width = (polygon.width().round() as u32).max(1);
    let height = (polygon.height().round() as u32).max(1);
    if let Some(piece) = cut_out_upright(picture, polygon, width, height) {
        return piece;
    }
    RgbImage::from_fn(width, height, |x, y| {
        let place = polygon.at((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        sample(picture, place)
    })
}

/// The pixels of an upright polygon are taken unchanged, and stay sharp.
fn cut_out_upright(picture: &RgbImage, polygon: &Polygon, width: u32, height: u32) -> Option<RgbImage> {
    /// The maximum rise or fall of an upright line from one end to the other.
    const RISE_MAX: f32 = 0.5;
    let [top_left, top_right, bottom_right, bottom_left] = polygon.0;
    let upright = (top_left.y - top_right.y).abs() <= RISE_MAX
        && (bottom_left.y - bottom_right.y).abs() <= RISE_MAX
        && top_left.x < top_right.x
        && top_left.y < bottom_left.y;
    let (left, top) = (top_left.x.round(), top_left.y.round());
    let inside = left >= 0.0
        && top >= 0.0
        && left as u32 + width <= picture.width()
        && top as u32 + height <= picture.height();
    (upright && inside)
        .then(|| imageops::crop_imm(picture, left as u32, top as u32, width, height).to_image())
}

/// The picture rotated clockwise by `degrees`, on a sheet that contains all of it; with the mapping from a
/// position on the new sheet back to the old one.
pub(crate) fn turned(picture: &RgbImage, degrees: f32) -> (RgbImage, impl Fn(Point) -> Point + use<>) {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let (old_width, old_height) = (picture.width() as f32, picture.height() as f32);
    let width = (old_width * cosine.abs() + old_height * sine.abs()).ceil();
    let height = (old_width * sine.abs() + old_height * cosine.abs()).ceil();
    let back = move |place: Point| {
        let (x, y) = (place.x - width / 2.0, place.y - height / 2.0);
        Point::new(x * cosine + y * sine + old_width / 2.0, y * cosine - x * sine + old_height / 2.0)
    };
    let paper = edge_colour(picture);
    let sheet = RgbImage::from_fn(width as u32, height as u32, |x, y| {
        let place = back(Point::new(x as f32 + 0.5, y as f32 + 0.5));
        let inside = place.x >= 0.0 && place.y >= 0.0 && place.x <= old_width && place.y <= old_height;
        if inside { sample(picture, place) } else { paper }
    });
    (sheet, back)
}

/// The median colour of the edge, which is that of the paper in most pictures.
pub(crate) fn edge_colour(picture: &RgbImage) -> Rgb<u8> {
    let (width, height) = picture.dimensions();
    let rows = (0..width).flat_map(|x| [(x, 0), (x, height.saturating_sub(1))]);
    let columns = (0..height).flat_map(|y| [(0, y), (width.saturating_sub(1), y)]);
    let mut channels: [Vec<u8>; 3] = Default::default();
    for (x, y) in rows.chain(columns).filter(|_| width > 0 && height > 0) {
        for (channel, value) in channels.iter_mut().zip(picture.get_pixel(x, y).0) {
            channel.push(value);
        }
    }
    Rgb(channels.map(|mut channel| {
        channel.sort_unstable();
        channel.get(channel.len() / 2).copied().unwrap_or(255)
    }))
}

/// Scaled with every pixel counted, so that thin strokes do not vanish.
pub(crate) fn scaled(picture: &RgbImage, width: u32, height: u32) -> RgbImage {
    imageops::resize(picture, width.max(1), height.max(1), FilterType::Triangle)
}

/// The colour at a place between pixels, by the sixteen around it.
fn sample(picture: &RgbImage, place: Point) -> Rgb<u8> {
    let (x, y) = (place.x - 0.5, place.y - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let across = cubic(x - left);
    let down = cubic(y - top);
    let (last_x, last_y) = (i64::from(picture.width()) - 1, i64::from(picture.height()) - 1);
    let mut sum = [0.0f32; 3];
    for (row, weight_down) in (top as i64 - 1..).zip(down) {
        let row = row.clamp(0, last_y) as u32;
        for (column, weight_across) in (left as i64 - 1..).zip(across) {
            let pixel = picture.get_pixel(column.clamp(0, last_x) as u32, row);
            for (channel, value) in sum.iter_mut().zip(pixel.0) {
                *channel += f32::from(value) * weight_across * weight_down;
            }
        }
    }
    Rgb(sum.map(|channel| channel.round().clamp(0.0, 255.0) as u8))
}

/// Weights of four pixels in a row for a place `t` of the way from the second to the third.
fn cubic(t: f32) -> [f32; 4] {
    /// The sharpness: between a half (soft) and one.
    const SHARPNESS: f32 = -0.75;
    let far = |d: f32| ((SHARPNESS * d - 5.0 * SHARPNESS) * d + 8.0 * SHARPNESS) * d - 4.0 * SHARPNESS;
    let near = |d: f32| ((SHARPNESS + 2.0) * d - (SHARPNESS + 3.0)) * d * d + 1.0;
    [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Bounds;

    #[test]
    fn what_was_turned_is_found_again_by_the_way_back() {
        let mut picture = RgbImage::from_pixel(200, 100, Rgb([255; 3]));
        for (x, y) in [(150, 20), (151, 20), (150, 21), (151, 21)] {
            picture.put_pixel(x, y, Rgb([0; 3]));
        }
        let (sheet, back) = turned(&picture, 30.0);
        let (x, y, _) = sheet.enumerate_pixels().min_by_key(|(.., pixel)| pixel.0[0]).unwrap();
        let place = back(Point::new(x as f32 + 0.5, y as f32 + 0.5));
        assert!(place.distance(Point::new(151.0, 21.0)) < 1.5, "{place:?}");
        assert!(sheet.width() > 200 && sheet.height() > 100);
    }

    #[test]
    fn a_piece_beyond_the_edge_repeats_the_edge() {
        let picture = RgbImage::from_fn(10, 10, |x, _| Rgb([x as u8 * 20; 3]));
        let polygon = Polygon::upright(Bounds { left: 6.0, top: 2.0, right: 14.0, bottom: 6.0 });
        let piece = cut_out(&picture, &polygon);
        assert_eq!(piece.dimensions(), (8, 4));
        assert_eq!(piece.get_pixel(0, 0).0[0], 120);
        assert_eq!(piece.get_pixel(7, 3).0[0], 180);
    }
}
