//! The colours of a picture.

use std::collections::BTreeMap;

/// A colour and how much of the picture has it, or one like it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ColourShare {
    pub(crate) colour: [u8; 3],
    /// From 0 to 1.
    pub(crate) share: f64,
}

/// More colours than these say little.
const COLOURS_MAX: usize = 6;
/// A colour with less is an accident.
const SHARE_MIN: f64 = 0.01;
/// Colours that differ by less, in the sum of their channels, are taken for one.
const ALIKE: u32 = 72;
/// A sample of the pixels of a large picture is enough.
const SAMPLES_MAX: usize = 400_000;

/// Pixels of about one colour.
#[derive(Clone, Copy, Default)]
struct ColourHeap {
    count: u64,
    sums: [u64; 3],
}

impl ColourHeap {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum += more;
        }
    }

    fn mean(&self) -> [u8; 3] {
        self.sums.map(|sum| u8::try_from(sum / self.count.max(1)).expect("a mean of bytes is a byte"))
    }
}

/// The largest first. `rgb` has three bytes for each pixel.
pub(crate) fn dominant(rgb: &[u8]) -> Vec<ColourShare> {
    let heaps = heaps(rgb);
    let all: u64 = heaps.iter().map(|heap| heap.count).sum();
    let mut gathered: Vec<ColourHeap> = Vec::new();
    for heap in heaps {
        let nearest = gathered.iter_mut().min_by_key(|other| difference(other.mean(), heap.mean()));
        match nearest {
            Some(other) if difference(other.mean(), heap.mean()) < ALIKE => other.add(&heap),
            _ => gathered.push(heap),
        }
    }
    gathered.sort_by_key(|heap| std::cmp::Reverse(heap.count));
    gathered
        .iter()
        .map(|heap| ColourShare { colour: heap.mean(), share: heap.count as f64 / all.max(1) as f64 })
        .filter(|share| share.share >= SHARE_MIN)
        .take(COLOURS_MAX)
        .collect()
}

/// The average lightness, from 0 to 1.
pub(crate) fn brightness(rgb: &[u8]) -> f64 {
    let pixels = samples(rgb);
    let (mut sum, mut count) = (0.0, 0u32);
    for [red, green, blue] in pixels.map(|pixel| pixel.map(f64::from)) {
        sum += 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / f64::from(count) / 255.0 }
}

/// Sixteen steps for each channel; the largest heap first, so that others are gathered around it.
fn heaps(rgb: &[u8]) -> Vec<ColourHeap> {
    let mut heaps: BTreeMap<[u8; 3], ColourHeap> = BTreeMap::new();
    for pixel in samples(rgb) {
        let one = ColourHeap { count: 1, sums: pixel.map(u64::from) };
        heaps.entry(pixel.map(|channel| channel >> 4)).or_default().add(&one);
    }
    let mut heaps: Vec<ColourHeap> = heaps.into_values().collect();
    heaps.sort_by_key(|heap| std::cmp::Reverse(heap.count));
    heaps
}

fn samples(rgb: &[u8]) -> impl Iterator<Item = [u8; 3]> {
    let step = (rgb.len() / 3).div_ceil(SAMPLES_MAX).max(1);
    rgb.chunks_exact(3).step_by(step).map(|pixel| [pixel[0], pixel[1], pixel[2]])
}

fn difference(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_colour_comes_first() {
        let mut rgb = [250, 250, 250].repeat(60);
        rgb.extend([252, 255, 250].repeat(10));
        rgb.extend([200, 10, 20].repeat(30));
        let shares = dominant(&rgb);
        assert_eq!(shares.len(), 2, "{shares:?}");
        assert_eq!(shares[0].colour, [250, 250, 250]);
        assert!((shares[0].share - 0.7).abs() < 1e-9);
        assert_eq!(shares[1], ColourShare { colour: [200, 10, 20], share: 0.3 });
    }

    #[test]
    fn black_is_dark_and_white_is_light() {
        assert_eq!(brightness(&[0; 300]), 0.0);
        assert!((brightness(&[255; 300]) - 1.0).abs() < 1e-9);
        assert!(dominant(&[]).is_empty());
    }
}
