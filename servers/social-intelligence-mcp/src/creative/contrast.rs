//! The contrast of text in a picture with its ground, by the formula of WCAG 2.

use capability_ocr::{Bounds, Picture};

/// The contrast of a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LineContrast {
    /// From 1 to 21.
    pub ratio: f64,
    pub ink: [u8; 3],
    pub ground: [u8; 3],
}

/// A sample of the pixels of a line is enough.
const SAMPLES_MAX: usize = 20_000;
/// Steps of lightness in which pixels are counted.
const STEPS: usize = 64;
/// Fewer pixels than this share are noise, or the edges of letters.
const INK_SHARE_MIN: f64 = 0.04;

/// `None` where the box is empty or has one colour only. The ground is the most frequent lightness; the ink is the
/// one farthest from it that enough pixels have.
pub fn line_contrast(picture: &Picture, bounds: Bounds) -> Option<LineContrast> {
    let pixels = pixels_in(picture, bounds);
    let mut bins = vec![(0u64, [0u64; 3]); STEPS];
    for pixel in &pixels {
        let step = (luminance(*pixel).sqrt() * (STEPS - 1) as f64) as usize;
        bins[step].0 += 1;
        for (sum, channel) in bins[step].1.iter_mut().zip(pixel) {
            *sum += u64::from(*channel);
        }
    }
    let mean = |bin: &(u64, [u64; 3])| bin.1.map(|sum| u8::try_from(sum / bin.0.max(1)).unwrap_or(u8::MAX));
    let most = bins.iter().enumerate().max_by_key(|(_, bin)| bin.0)?.0;
    let least = ((pixels.len() as f64 * INK_SHARE_MIN) as u64).max(1);
    let far = |step: usize| step.abs_diff(most);
    // Anti-aliased letters spread over several steps; a step and its neighbours count together.
    let around = |step: usize| -> u64 {
        let range = step.saturating_sub(1)..(step + 2).min(STEPS);
        bins[range].iter().map(|bin| bin.0).sum()
    };
    let ink = (0..STEPS)
        .filter(|step| bins[*step].0 > 0 && around(*step) >= least)
        .max_by_key(|step| far(*step))?;
    if far(ink) <= 1 {
        return None;
    }
    let (ink, ground) = (mean(&bins[ink]), mean(&bins[most]));
    Some(LineContrast { ratio: contrast_ratio(ink, ground), ink, ground })
}

/// From 1 (the same) to 21 (black on white).
pub fn contrast_ratio(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The relative luminance of WCAG 2, from 0 to 1.
fn luminance(colour: [u8; 3]) -> f64 {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = colour.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn pixels_in(picture: &Picture, bounds: Bounds) -> Vec<[u8; 3]> {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let cell = |place: f32, most: usize| (place.max(0.0) as usize).min(most);
    let (left, right) = (cell(bounds.left, width), cell(bounds.right, width));
    let (top, bottom) = (cell(bounds.top, height), cell(bounds.bottom, height));
    let area = right.saturating_sub(left) * bottom.saturating_sub(top);
    let step = ((area / SAMPLES_MAX) as f64).sqrt() as usize + 1;
    let mut pixels = Vec::new();
    for y in (top..bottom).step_by(step) {
        for x in (left..right).step_by(step) {
            let at = (y * width + x) * 3;
            pixels.extend(picture.rgb().get(at..at + 3).map(|pixel| [pixel[0], pixel[1], pixel[2]]));
        }
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn striped(ink: u8, ground: u8) -> Picture {
        let pixel = |at: usize| [if at.is_multiple_of(5) { ink } else { ground }; 3];
        Picture::from_rgb(50, 20, (0..1000).flat_map(pixel).collect()).expect("a picture")
    }

    const ALL: Bounds = Bounds { left: 0.0, top: 0.0, right: 50.0, bottom: 20.0 };

    #[test]
    fn black_on_white_has_the_full_contrast() {
        let found = line_contrast(&striped(0, 255), ALL).expect("two colours");
        assert!((found.ratio - 21.0).abs() < 0.01, "{found:?}");
        assert_eq!((found.ink, found.ground), ([0; 3], [255; 3]));
    }

    #[test]
    fn grey_on_grey_has_little_and_one_colour_none() {
        let found = line_contrast(&striped(150, 120), ALL).expect("two colours");
        assert!(found.ratio < 2.0, "{found:?}");
        assert_eq!(line_contrast(&striped(99, 99), ALL), None);
        let outside = Bounds { left: 90.0, top: 90.0, right: 80.0, bottom: -5.0 };
        assert_eq!(line_contrast(&striped(0, 255), outside), None);
    }
}
