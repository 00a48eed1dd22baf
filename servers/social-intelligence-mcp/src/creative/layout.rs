//! Places in a picture, and the share that boxes cover.

use capability_ocr::Bounds;
use schemars::JsonSchema;
use serde::Serialize;

/// A ninth of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PicturePlace {
    TopLeft,
    Top,
    TopRight,
    Left,
    Centre,
    Right,
    BottomLeft,
    Bottom,
    BottomRight,
}

/// The ninth in which the middle of a box lies.
pub fn place_of(bounds: &Bounds, width: u32, height: u32) -> PicturePlace {
    const NINTHS: [[PicturePlace; 3]; 3] = [
        [PicturePlace::TopLeft, PicturePlace::Top, PicturePlace::TopRight],
        [PicturePlace::Left, PicturePlace::Centre, PicturePlace::Right],
        [PicturePlace::BottomLeft, PicturePlace::Bottom, PicturePlace::BottomRight],
    ];
    let third = |low: f32, high: f32, side: u32| {
        let share = (low + high) / 2.0 / side.max(1) as f32;
        ((share * 3.0).max(0.0) as usize).min(2)
    };
    NINTHS[third(bounds.top, bounds.bottom, height)][third(bounds.left, bounds.right, width)]
}

/// The share of a picture that lies in at least one of the boxes, from 0 to 1, on a grid.
pub fn covered_share(boxes: &[Bounds], width: u32, height: u32) -> f64 {
    const CELLS: usize = 256;
    let mut covered = vec![false; CELLS * CELLS];
    let cell = |place: f32, side: u32| {
        let share = place / side.max(1) as f32;
        ((share * CELLS as f32).round().max(0.0) as usize).min(CELLS)
    };
    for bounds in boxes {
        let (left, right) = (cell(bounds.left, width), cell(bounds.right, width));
        for row in cell(bounds.top, height)..cell(bounds.bottom, height) {
            covered[row * CELLS + left..row * CELLS + right.max(left)].fill(true);
        }
    }
    covered.iter().filter(|covered| **covered).count() as f64 / covered.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(left: f32, top: f32, right: f32, bottom: f32) -> Bounds {
        Bounds { left, top, right, bottom }
    }

    #[test]
    fn overlapping_boxes_count_once() {
        let boxes = [bounds(0.0, 0.0, 50.0, 50.0), bounds(25.0, 0.0, 50.0, 50.0)];
        assert_eq!(covered_share(&boxes, 100, 100), 0.25);
        assert_eq!(covered_share(&[bounds(90.0, 0.0, 10.0, 50.0)], 100, 100), 0.0);
    }

    #[test]
    fn places_are_ninths() {
        assert_eq!(place_of(&bounds(0.0, 0.0, 20.0, 20.0), 100, 100), PicturePlace::TopLeft);
        assert_eq!(place_of(&bounds(0.0, 0.0, 100.0, 100.0), 100, 100), PicturePlace::Centre);
        assert_eq!(place_of(&bounds(80.0, 90.0, 200.0, 300.0), 100, 100), PicturePlace::BottomRight);
    }
}
