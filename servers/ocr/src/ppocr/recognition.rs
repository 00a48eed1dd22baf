//! The recognition of a line: a network gives, for each eighth pixel along it, the probability of each
//! character; equal neighbours are one character, and blanks separate them.

use image::{RgbImage, imageops};
use rten::Model;
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::planes::fill_planes;
use crate::error::OcrError;
use crate::turn::TALL;
use crate::warp;

/// The height of the network's input.
const HEIGHT: u32 = 48;
/// Shorter lines are padded to this.
const WIDTH_MIN: u32 = 320;
/// Longer lines are pressed together.
const WIDTH_MAX: u32 = 4_800;
/// Lines that are read at a time have not more than this together: it bounds the memory for their characters' chances.
const BATCH_WIDTH_MAX: u32 = 4_800;
const BATCH_LINES_MAX: usize = 6;

/// The text of a line and how sure the network is of it, as the mean over its characters.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct RecognisedText {
    pub(super) text: String,
    pub(super) confidence: f32,
}

#[derive(Debug)]
pub(super) struct Recogniser {
    network: Model,
    /// The first is the blank.
    characters: Vec<String>,
}

impl Recogniser {
    /// The network's file lists its characters, one per line; the blank precedes them and the space follows
    /// them.
    pub(super) fn new(network: Model) -> Option<Self> {
        let listed = network.metadata().get("character")?;
        let characters = [""].into_iter().chain(listed.split('\n')).chain([" "]).map(str::to_owned).collect();
        Some(Self { network, characters })
    }

    /// The texts of `lines`, in their order. Lines of about the same length are read together.
    pub(super) fn read(&self, lines: Vec<RgbImage>) -> Result<Vec<RecognisedText>, OcrError> {
        let lines: Vec<RgbImage> = lines.into_iter().map(fitted).collect();
        let mut by_width: Vec<usize> = (0..lines.len()).collect();
        by_width.sort_by_key(|&index| lines[index].width());
        let mut texts = vec![RecognisedText::default(); lines.len()];
        let mut rest = &by_width[..];
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(batch_size(rest, &lines));
            for (index, text) in batch.iter().zip(self.read_batch(batch, &lines)?) {
                texts[*index] = text;
            }
            rest = later;
        }
        Ok(texts)
    }

    fn read_batch(&self, batch: &[usize], lines: &[RgbImage]) -> Result<Vec<RecognisedText>, OcrError> {
        let width =
            batch.iter().map(|&index| lines[index].width()).max().unwrap_or(0).max(WIDTH_MIN) as usize;
        let height = HEIGHT as usize;
        let mut input = NdTensor::<f32, 4>::zeros([batch.len(), 3, height, width]);
        let planes = input.data_mut().expect("a new tensor is in one piece");
        for (planes, &index) in planes.chunks_exact_mut(3 * height * width).zip(batch) {
            fill_planes(planes, width, height, &lines[index]);
        }
        let output = self.network.run_one(input.view().into(), None).map_err(|error| failed(&error))?;
        let output: NdTensor<f32, 3> = output.try_into().map_err(|error| failed(&error))?;
        let [count, steps, characters] = output.shape();
        if count != batch.len() || characters != self.characters.len() {
            return Err(failed(&format!("it answered with the shape {:?}", output.shape())));
        }
        let chances = output.data().expect("what a network gives is in one piece");
        Ok(chances.chunks_exact(steps * characters).map(|line| self.decode(line)).collect())
    }

    fn decode(&self, chances: &[f32]) -> RecognisedText {
        const BLANK: usize = 0;
        let mut read = RecognisedText::default();
        let (mut before, mut count) = (BLANK, 0);
        for step in chances.chunks_exact(self.characters.len()) {
            let (character, chance) = most_likely(step);
            if character != BLANK && character != before {
                read.text.push_str(&self.characters[character]);
                read.confidence += chance;
                count += 1;
            }
            before = character;
        }
        read.confidence /= count.max(1) as f32;
        read
    }
}

fn failed(error: &dyn std::fmt::Display) -> OcrError {
    OcrError::RunModel { task: "reading text", reason: error.to_string() }
}

/// Text that runs from top to bottom is laid on its side, where the network can read it.
fn fitted(line: RgbImage) -> RgbImage {
    let tall = line.height() as f32 >= line.width() as f32 * TALL;
    let line = if tall { imageops::rotate270(&line) } else { line };
    let width = (line.width() * HEIGHT).div_ceil(line.height().max(1)).clamp(1, WIDTH_MAX);
    warp::scaled(&line, width, HEIGHT)
}

/// The number of lines, sorted by width, that are read next.
fn batch_size(sorted: &[usize], lines: &[RgbImage]) -> usize {
    let widths = sorted.iter().map(|&index| lines[index].width().max(WIDTH_MIN));
    let fitting = widths.zip(1u32..).take_while(|(width, count)| width * count <= BATCH_WIDTH_MAX).count();
    fitting.clamp(1, BATCH_LINES_MAX.min(sorted.len()))
}

fn most_likely(chances: &[f32]) -> (usize, f32) {
    let first = (0, f32::NEG_INFINITY);
    chances.iter().copied().enumerate().fold(
        first,
        |best, (index, chance)| {
            if chance > best.1 { (index, chance) } else { best }
        },
    )
}
