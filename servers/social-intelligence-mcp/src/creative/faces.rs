//! Faces that look at the camera: the cascade of SeetaFace, by `rustface`.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use capability_ocr::{Bounds, Picture};
use rustface::{Detector, ImageData, Model};

/// The length of the one model that there is. Its reader trusts what the file says, so other files are not given to it.
const MODEL_BYTES: u64 = 1_209_904;
/// Longer sides are scaled down to this before the search, so that its time is bounded.
const SIDE_MAX: u32 = 1024;
/// The detector cannot find smaller ones.
const FACE_MIN: u32 = 20;
/// A face is at least this share of the shorter side.
const FACE_SHARE_MIN: f32 = 0.04;
/// What the authors of the model use: fewer false faces rather than all of them.
const SCORE_MIN: f64 = 2.8;
const PYRAMID: f32 = 0.8;
const STEP: u32 = 4;

/// The model in memory. A search takes a detector of its own.
pub struct FaceDetector {
    model: Model,
}

/// A face in a picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FoundFace {
    pub bounds: Bounds,
}

/// The reason why faces cannot be looked for.
#[derive(Debug, thiserror::Error)]
pub enum FaceError {
    #[error("there is no model at {}", .0.display())]
    Missing(PathBuf),
    #[error("{} is not the model of faces", .0.display())]
    Damaged(PathBuf),
}

impl FaceDetector {
    pub fn load(path: &Path) -> Result<Self, FaceError> {
        let missing = |_| FaceError::Missing(path.to_owned());
        if std::fs::metadata(path).map_err(missing)?.len() != MODEL_BYTES {
            return Err(FaceError::Damaged(path.to_owned()));
        }
        let bytes = std::fs::read(path).map_err(missing)?;
        let model = rustface::read_model(Cursor::new(bytes));
        Ok(Self { model: model.map_err(|_| FaceError::Damaged(path.to_owned()))? })
    }

    /// Faces of a picture, the largest first.
    pub fn find(&self, picture: &Picture) -> Vec<FoundFace> {
        let grey = GreyPicture::of(picture);
        if grey.width < FACE_MIN || grey.height < FACE_MIN {
            return Vec::new();
        }
        let mut detector = rustface::create_detector_with_model(self.model.clone());
        let shorter = grey.width.min(grey.height);
        set_up(detector.as_mut(), ((shorter as f32 * FACE_SHARE_MIN) as u32).max(FACE_MIN));
        let image = ImageData::new(&grey.pixels, grey.width, grey.height);
        let mut faces: Vec<FoundFace> =
            detector.detect(&image).iter().map(|face| grey.placed(face.bbox())).collect();
        let area = |face: &FoundFace| face.bounds.width() * face.bounds.height();
        faces.sort_by(|one, other| area(other).total_cmp(&area(one)));
        faces
    }
}

fn set_up(detector: &mut dyn Detector, face_min: u32) {
    detector.set_min_face_size(face_min);
    detector.set_score_thresh(SCORE_MIN);
    detector.set_pyramid_scale_factor(PYRAMID);
    detector.set_slide_window_step(STEP, STEP);
}

/// Brightness alone, scaled down.
struct GreyPicture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
    /// Of the picture it was made from.
    full: (u32, u32),
}

impl GreyPicture {
    fn of(picture: &Picture) -> Self {
        let full = (picture.width(), picture.height());
        let longer = full.0.max(full.1).max(1);
        let scaled = |side: u32| match longer > SIDE_MAX {
            true => (u64::from(side) * u64::from(SIDE_MAX) / u64::from(longer)) as u32,
            false => side,
        };
        let (width, height) = (scaled(full.0), scaled(full.1));
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            let rows = part(y, height, full.1);
            pixels.extend((0..width).map(|x| mean(picture.rgb(), full.0, part(x, width, full.0), &rows)));
        }
        Self { width, height, pixels, full }
    }

    /// A box of this picture in the one it was made from, inside its edges.
    fn placed(&self, found: &rustface::Rectangle) -> FoundFace {
        let (wide, high) = (self.full.0 as f32, self.full.1 as f32);
        let (across, down) = (wide / self.width as f32, high / self.height as f32);
        let (left, top) = (found.x() as f32 * across, found.y() as f32 * down);
        let (right, bottom) = (left + found.width() as f32 * across, top + found.height() as f32 * down);
        FoundFace {
            bounds: Bounds {
                left: left.clamp(0.0, wide),
                top: top.clamp(0.0, high),
                right: right.clamp(0.0, wide),
                bottom: bottom.clamp(0.0, high),
            },
        }
    }
}

/// The full pixels that become one.
fn part(at: u32, small: u32, full: u32) -> std::ops::Range<usize> {
    let edge = |at: u32| (u64::from(at) * u64::from(full) / u64::from(small.max(1))) as usize;
    edge(at)..edge(at + 1).max(edge(at) + 1)
}

/// The brightness of pixels, by the weights of ITU-R BT.601.
fn mean(rgb: &[u8], width: u32, columns: std::ops::Range<usize>, rows: &std::ops::Range<usize>) -> u8 {
    let count = (columns.len() * rows.len()).max(1) as u64;
    let row_sum = |row: usize| {
        let from = (row * width as usize + columns.start) * 3;
        let pixels = rgb.get(from..from + columns.len() * 3).unwrap_or_default();
        let bright =
            |pixel: &[u8]| 299 * u64::from(pixel[0]) + 587 * u64::from(pixel[1]) + 114 * u64::from(pixel[2]);
        pixels.chunks_exact(3).map(bright).sum::<u64>()
    };
    (rows.clone().map(row_sum).sum::<u64>() / count / 1000) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pictures_are_scaled_down_and_keep_their_brightness() {
        let picture = Picture::from_rgb(4096, 16, [200, 200, 200].repeat(4096 * 16)).unwrap();
        let grey = GreyPicture::of(&picture);
        assert_eq!((grey.width, grey.height), (1024, 4));
        assert!(grey.pixels.iter().all(|pixel| (199..=200).contains(pixel)));
        let small = Picture::from_rgb(3, 1, vec![255, 0, 0, 0, 255, 0, 0, 0, 255]).unwrap();
        assert_eq!(GreyPicture::of(&small).pixels, [76, 149, 29]);
    }

    #[test]
    fn a_file_that_is_no_model_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model.bin");
        for bytes in [&b"no model"[..], &[]] {
            std::fs::write(&file, bytes).unwrap();
            assert!(matches!(FaceDetector::load(&file), Err(FaceError::Damaged(_))));
        }
        assert!(matches!(FaceDetector::load(&folder.path().join("none")), Err(FaceError::Missing(_))));
    }
}
