//! By how much a page is turned: from the lines that were found on it, or from its dark pixels.

use image::{GrayImage, RgbImage, imageops};

use crate::geometry::Polygon;

/// Lines that are shorter than this many times their height say little about the angle of a page.
const SLENDER: f32 = 3.0;

/// The angle of the lines in degrees, clockwise: the median, where long lines count for more.
pub(crate) fn skew_of_lines(lines: &[Polygon]) -> f32 {
    let mut angles: Vec<(f32, f32)> = lines
        .iter()
        .filter(|line| line.width() >= SLENDER * line.height())
        .map(|line| (line.degrees(), line.width()))
        .collect();
    angles.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = angles.iter().map(|(_, width)| width).sum::<f32>() / 2.0;
    let mut sum = 0.0;
    for (angle, width) in angles {
        sum += width;
        if sum >= half {
            return angle;
        }
    }
    0.0
}

/// True if most of the text is in tall and thin columns: the page lies on its side.
pub(crate) fn lies_on_its_side(lines: &[Polygon]) -> bool {
    let (mut tall, mut wide) = (0.0, 0.0);
    for line in lines {
        let (width, height) = (line.width(), line.height());
        if height >= width * TALL {
            tall += height;
        } else if width >= height * TALL {
            wide += width;
        }
    }
    tall > wide
}

/// From this many times its width on, a piece of text is read from top to bottom.
pub(crate) const TALL: f32 = 1.5;

/// The angle at which the rows of dark pixels stand out most, in degrees clockwise. For engines that do not
/// locate lines before they read them.
pub(crate) fn skew_of_pixels(picture: &RgbImage) -> f32 {
    const SIDE_MAX: u32 = 1_000;
    const DEGREES_MAX: i32 = 10;
    const STEPS_PER_DEGREE: i32 = 4;
    let (width, height) = picture.dimensions();
    let scale = (SIDE_MAX as f32 / width.max(height) as f32).min(1.0);
    let small = imageops::thumbnail(
        &imageops::grayscale(picture),
        ((width as f32 * scale) as u32).max(1),
        ((height as f32 * scale) as u32).max(1),
    );
    let dark = dark_places(&small);
    if dark.is_empty() {
        return 0.0;
    }
    let contrast = |step: i32| row_contrast(&dark, &small, step as f32 / STEPS_PER_DEGREE as f32);
    let straight = contrast(0);
    let steps = -DEGREES_MAX * STEPS_PER_DEGREE..=DEGREES_MAX * STEPS_PER_DEGREE;
    let best = steps.map(|step| (contrast(step), step)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((found, step)) if found > straight => step as f32 / STEPS_PER_DEGREE as f32,
        _ => 0.0,
    }
}

fn dark_places(picture: &GrayImage) -> Vec<(f32, f32)> {
    let mean =
        picture.pixels().map(|pixel| u64::from(pixel.0[0])).sum::<u64>() / (picture.len() as u64).max(1);
    let threshold = mean * 3 / 4;
    picture
        .enumerate_pixels()
        .filter(|(.., pixel)| u64::from(pixel.0[0]) < threshold)
        .map(|(x, y, _)| (x as f32, y as f32))
        .collect()
}

/// The contrast of neighbouring rows if the page is rotated back by `degrees`: rows of text and rows between
/// them differ most if the lines lie along the rows.
fn row_contrast(dark: &[(f32, f32)], picture: &GrayImage, degrees: f32) -> f64 {
    let slope = degrees.to_radians().tan();
    let offset = picture.width() as f32 * slope.abs();
    let mut rows = vec![0i64; picture.height() as usize + 2 * offset as usize + 2];
    for (x, y) in dark {
        let row = (y - x * slope + offset).max(0.0) as usize;
        if let Some(count) = rows.get_mut(row) {
            *count += 1;
        }
    }
    rows.windows(2).map(|pair| ((pair[1] - pair[0]) as f64).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;
    use crate::geometry::{Bounds, Point};
    use crate::warp;

    fn page_of_bars() -> RgbImage {
        RgbImage::from_fn(600, 400, |x, y| {
            let bar = (50..550).contains(&x) && (40..360).contains(&y) && (y / 8) % 3 == 0;
            Rgb([if bar { 0 } else { 255 }; 3])
        })
    }

    #[test]
    fn pixels_say_by_how_much_a_page_is_turned() {
        for degrees in [-7.0, -1.5, 0.0, 3.25] {
            let (page, _) = warp::turned(&page_of_bars(), degrees);
            let found = skew_of_pixels(&page);
            assert!((found - degrees).abs() <= 0.5, "{degrees} was taken for {found}");
        }
    }

    #[test]
    fn a_blank_page_is_straight() {
        assert_eq!(skew_of_pixels(&RgbImage::from_pixel(300, 200, Rgb([255; 3]))), 0.0);
        assert_eq!(skew_of_lines(&[]), 0.0);
        assert!(!lies_on_its_side(&[]));
    }

    #[test]
    fn long_lines_say_more_about_the_angle_than_short_ones() {
        let line = |length: f32, degrees: f32| {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let to = Point::new(length * cosine, length * sine);
            Polygon([Point::new(0.0, 0.0), to, Point::new(to.x, to.y + 10.0), Point::new(0.0, 10.0)])
        };
        let lines = [line(40.0, -9.0), line(500.0, 2.0), line(35.0, 8.0), line(20.0, 30.0)];
        assert!((skew_of_lines(&lines) - 2.0).abs() < 0.01);
    }

    #[test]
    fn a_page_of_tall_lines_lies_on_its_side() {
        let tall = Polygon::upright(Bounds { left: 0.0, top: 0.0, right: 10.0, bottom: 300.0 });
        let wide = Polygon::upright(Bounds { left: 0.0, top: 0.0, right: 80.0, bottom: 10.0 });
        assert!(lies_on_its_side(&[tall, wide]));
        assert!(!lies_on_its_side(&[wide]));
    }
}
