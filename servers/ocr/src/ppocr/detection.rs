//! The detection of text: a network gives each pixel the probability that it belongs to the inner part of a
//! line, and the blobs of likely pixels, grown again to the full height of the line, are the lines.

use image::RgbImage;
use rten::{Model, Value};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::blobs;
use super::planes::fill_planes;
use crate::error::OcrError;
use crate::geometry::{Point, Polygon, Rectangle, smallest_rectangle};
use crate::warp;

/// The maximum length of the longer side for the network: beyond it, time and memory grow and little else.
const SIDE_MAX: f32 = 2_000.0;
/// The shorter side is not less than this, so that small letters are large enough for the network.
const SIDE_MIN: f32 = 736.0;
/// Small pictures are not blown up more than this.
const SCALE_MAX: f32 = 3.0;
/// A picture of one line has paper added to it until it is as high as this; the network expects some around a line.
const CANVAS_MIN: usize = 320;
/// The network halves the picture five times.
const STEP: u32 = 32;
/// A pixel that is more likely than this belongs to a line.
const PIXEL_MIN: f32 = 0.3;
/// A detected line with a lower mean probability is discarded.
const LINE_MIN: f64 = 0.5;
/// Pieces that are thinner than this, in pixels that the network sees, are dirt: before and after they are grown.
const THICKNESS_MIN: f32 = 3.0;
const GROWN_THICKNESS_MIN: f32 = 5.0;
/// By how much the inner part of a line is grown: this times its area over its girth.
const GROWTH: f32 = 1.6;
/// A picture with more pieces is noise; the largest are kept.
const LINES_MAX: usize = 3_000;

#[derive(Debug)]
pub(super) struct Detector {
    network: Model,
}

/// The network's output for a scaled picture.
struct PixelChances {
    of_pixels: Vec<f32>,
    width: usize,
    height: usize,
}

impl Detector {
    pub(super) fn new(network: Model) -> Self {
        Self { network }
    }

    /// Lines in no particular order, in pixels of `picture`.
    pub(super) fn find(&self, picture: &RgbImage) -> Result<Vec<Polygon>, OcrError> {
        let (width, height) = picture.dimensions();
        if width == 0 || height == 0 {
            return Ok(Vec::new());
        }
        let scale = scale_for(width as f32, height as f32);
        let inner = (stepped(width as f32 * scale), stepped(height as f32 * scale));
        let chances = self.run(&fitted(picture, inner))?;
        let (across, down) = (width as f32 / inner.0 as f32, height as f32 / inner.1 as f32);
        let to_picture = |place: Point| Point::new(place.x * across, place.y * down);
        Ok(lines_in(&chances).into_iter().map(|line| line.polygon().map(to_picture)).collect())
    }

    fn run(&self, picture: &RgbImage) -> Result<PixelChances, OcrError> {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let padded = (width.max(CANVAS_MIN), height.max(CANVAS_MIN));
        let mut input = NdTensor::<f32, 4>::full([1, 3, padded.1, padded.0], paper(picture));
        let planes = input.data_mut().expect("a new tensor is in one piece");
        fill_planes(planes, padded.0, padded.1, picture);
        let output = self.network.run_one(input.view().into(), None).map_err(|error| failed(&error))?;
        let chances = chances_of(output, padded)?;
        Ok(PixelChances { of_pixels: chances, width: padded.0, height: padded.1 })
    }
}

fn failed(error: &dyn std::fmt::Display) -> OcrError {
    OcrError::RunModel { task: "finding text", reason: error.to_string() }
}

fn chances_of(output: Value, (width, height): (usize, usize)) -> Result<Vec<f32>, OcrError> {
    let output: NdTensor<f32, 4> = output.try_into().map_err(|error| failed(&error))?;
    if output.shape() != [1, 1, height, width] {
        return Err(failed(&format!("it answered with the shape {:?}", output.shape())));
    }
    Ok(output.into_data())
}

fn scale_for(width: f32, height: f32) -> f32 {
    let (shorter, longer) = (width.min(height), width.max(height));
    let wanted = if shorter < SIDE_MIN { (SIDE_MIN / shorter).min(SCALE_MAX) } else { 1.0 };
    wanted.min(SIDE_MAX / longer)
}

fn stepped(side: f32) -> u32 {
    ((side / STEP as f32).round() as u32).max(1) * STEP
}

fn fitted(picture: &RgbImage, (width, height): (u32, u32)) -> RgbImage {
    if picture.dimensions() == (width, height) {
        picture.clone()
    } else {
        warp::scaled(picture, width, height)
    }
}

/// The paper as the network sees it.
fn paper(picture: &RgbImage) -> f32 {
    let [red, green, blue] = warp::edge_colour(picture).0.map(f32::from);
    (red + green + blue) / 3.0 / 127.5 - 1.0
}

fn lines_in(chances: &PixelChances) -> Vec<Rectangle> {
    let marked = marked(chances);
    let mut lines: Vec<Rectangle> = blobs::find(&marked, chances.width)
        .into_iter()
        .filter_map(smallest_rectangle)
        .filter(|line| line.shorter_side() >= THICKNESS_MIN && chance_of(chances, line) >= LINE_MIN)
        .map(grown)
        .filter(|line| line.shorter_side() >= GROWN_THICKNESS_MIN)
        .collect();
    if lines.len() > LINES_MAX {
        lines.sort_by(|a, b| (b.width * b.height).total_cmp(&(a.width * a.height)));
        lines.truncate(LINES_MAX);
    }
    lines
}

/// Likely pixels, each with its neighbours to the right and below, which closes gaps of one pixel.
fn marked(chances: &PixelChances) -> Vec<bool> {
    let mut marked = vec![false; chances.of_pixels.len()];
    for (place, _) in chances.of_pixels.iter().enumerate().filter(|(_, chance)| **chance > PIXEL_MIN) {
        let right = usize::from(place % chances.width + 1 < chances.width);
        for neighbour in [place, place + right, place + chances.width, place + chances.width + right] {
            if let Some(mark) = marked.get_mut(neighbour) {
                *mark = true;
            }
        }
    }
    marked
}

/// The mean over all pixels in the rectangle.
fn chance_of(chances: &PixelChances, line: &Rectangle) -> f64 {
    let bounds = line.polygon().bounds();
    let columns =
        bounds.left.floor().max(0.0) as usize..=(bounds.right.ceil() as usize).min(chances.width - 1);
    let rows = bounds.top.floor().max(0.0) as usize..=(bounds.bottom.ceil() as usize).min(chances.height - 1);
    let (mut sum, mut count) = (0.0, 0u32);
    for row in rows {
        for column in columns.clone() {
            if line.holds(Point::new(column as f32, row as f32)) {
                sum += f64::from(chances.of_pixels[row * chances.width + column]);
                count += 1;
            }
        }
    }
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

fn grown(line: Rectangle) -> Rectangle {
    line.grown(line.width * line.height * GROWTH / (2.0 * (line.width + line.height)))
}
