//! The colours of a picture.

use std::collections::BTreeMap;

use capability_ocr::Picture;

/// A colour and its share of the picture, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PaletteColour {
    pub colour: [u8; 3],
    pub share: f64,
}

const COLOURS_MAX: usize = 5;
const SHARE_MIN: f64 = 0.03;
/// A sample of the pixels of a large picture is enough.
const SAMPLES_MAX: usize = 200_000;

/// The most frequent colours, in eight steps a channel.
pub fn palette(picture: &Picture) -> Vec<PaletteColour> {
    let mut bins: BTreeMap<[u8; 3], (u64, [u64; 3])> = BTreeMap::new();
    let mut all = 0u64;
    for pixel in samples(picture) {
        let bin = bins.entry(pixel.map(|channel| channel >> 5)).or_default();
        bin.0 += 1;
        all += 1;
        for (sum, channel) in bin.1.iter_mut().zip(pixel) {
            *sum += u64::from(channel);
        }
    }
    let colour = |(count, sums): (u64, [u64; 3])| PaletteColour {
        colour: sums.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX)),
        share: count as f64 / all.max(1) as f64,
    };
    let mut colours: Vec<PaletteColour> = bins.into_values().map(colour).collect();
    colours.sort_by(|a, b| b.share.total_cmp(&a.share));
    colours.retain(|colour| colour.share >= SHARE_MIN);
    colours.truncate(COLOURS_MAX);
    colours
}

/// The measure of Hasler and Süsstrunk (2003): about 0 for grey, 33 moderate, 109 extreme.
pub fn colourfulness(picture: &Picture) -> f64 {
    let (mut count, mut sums, mut squares) = (0.0, [0.0; 2], [0.0; 2]);
    for [red, green, blue] in samples(picture).map(|pixel| pixel.map(f64::from)) {
        let opponents = [red - green, (red + green) / 2.0 - blue];
        count += 1.0;
        for ((sum, square), value) in sums.iter_mut().zip(&mut squares).zip(opponents) {
            *sum += value;
            *square += value * value;
        }
    }
    if count == 0.0 {
        return 0.0;
    }
    let [one, other]: [f64; 2] = sums.map(|sum: f64| sum / count);
    let squared: f64 = squares.iter().sum::<f64>() / count;
    (squared - one * one - other * other).max(0.0).sqrt() + 0.3 * one.hypot(other)
}

fn samples(picture: &Picture) -> impl Iterator<Item = [u8; 3]> {
    let step = (picture.rgb().len() / 3).div_ceil(SAMPLES_MAX).max(1);
    picture.rgb().chunks_exact(3).step_by(step).map(|pixel| [pixel[0], pixel[1], pixel[2]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(colour: [u8; 3]) -> Picture {
        Picture::from_rgb(10, 10, colour.repeat(100)).expect("a picture")
    }

    #[test]
    fn grey_has_no_colour_and_red_has_much() {
        assert_eq!(colourfulness(&plain([90, 90, 90])), 0.0);
        assert!(colourfulness(&plain([255, 0, 0])) > 80.0);
        assert_eq!(palette(&plain([1, 2, 3])), [PaletteColour { colour: [1, 2, 3], share: 1.0 }]);
    }
}
