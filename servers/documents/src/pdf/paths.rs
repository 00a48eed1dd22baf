//! Straight lines and boxes out of painted paths.

use hayro_interpret::{DrawMode, StrokeProps};
use kurbo::{Affine, BezPath, PathEl, Point};

use super::content::{FilledBox, Orientation, PageContent, Ruling};
use crate::Bounds;

/// Filled boxes at most this thin are lines.
const LINE_THICKNESS_MAX: f32 = 3.0;
/// The minimum ratio of length to thickness for a filled box to be a line.
const LINE_STRETCH_MIN: f32 = 3.0;
/// The maximum slant of a straight line.
const LEAN_MAX: f32 = 0.7;
const LENGTH_MIN: f32 = 1.0;
/// Per page; drawings with more are not tables.
const RULINGS_MAX: usize = 30_000;
const FILLS_MAX: usize = 30_000;

/// A painted path with the data to place it.
pub(super) struct PaintedPath<'p> {
    pub(super) path: &'p BezPath,
    pub(super) transform: Affine,
    pub(super) mode: &'p DrawMode,
    pub(super) colour: [u8; 3],
    /// Its visible part.
    pub(super) clip: Bounds,
}

pub(super) fn collect(painted: &PaintedPath<'_>, content: &mut PageContent) {
    match painted.mode {
        DrawMode::Fill(_) => collect_fills(painted, content),
        DrawMode::Stroke(stroke) => collect_strokes(painted, stroke, content),
        DrawMode::FillAndStroke(_, stroke) => {
            collect_fills(painted, content);
            collect_strokes(painted, stroke, content);
        }
        DrawMode::Invisible => {}
    }
}

fn collect_strokes(painted: &PaintedPath<'_>, stroke: &StrokeProps, content: &mut PageContent) {
    let scale = painted.transform.determinant().abs().sqrt() as f32;
    let thickness = stroke.line_width * scale;
    for subpath in subpaths(painted) {
        for pair in subpath.windows(2) {
            push_ruling(between(pair[0], pair[1], thickness), painted.clip, content);
        }
    }
}

/// The line from one point to another if it is straight.
fn between(from: Point, to: Point, thickness: f32) -> Option<Ruling> {
    let (from_x, from_y, to_x, to_y) = (from.x as f32, from.y as f32, to.x as f32, to.y as f32);
    if (from_y - to_y).abs() <= LEAN_MAX && (from_x - to_x).abs() > LENGTH_MIN {
        let at = (from_y + to_y) / 2.0;
        return Some(Ruling {
            orientation: Orientation::Horizontal,
            at,
            start: from_x.min(to_x),
            end: from_x.max(to_x),
            thickness,
        });
    }
    if (from_x - to_x).abs() <= LEAN_MAX && (from_y - to_y).abs() > LENGTH_MIN {
        let at = (from_x + to_x) / 2.0;
        return Some(Ruling {
            orientation: Orientation::Vertical,
            at,
            start: from_y.min(to_y),
            end: from_y.max(to_y),
            thickness,
        });
    }
    None
}

fn collect_fills(painted: &PaintedPath<'_>, content: &mut PageContent) {
    for subpath in subpaths(painted) {
        let Some(bounds) = as_box(&subpath) else { continue };
        let (thin, long) = (bounds.width().min(bounds.height()), bounds.width().max(bounds.height()));
        if thin <= LINE_THICKNESS_MAX {
            if long >= thin * LINE_STRETCH_MIN {
                push_ruling(Some(thin_box(&bounds)), painted.clip, content);
            }
        } else {
            push_fill(bounds.intersection(&painted.clip), painted.colour, content);
        }
    }
}

fn thin_box(bounds: &Bounds) -> Ruling {
    let (x, y) = bounds.center();
    if bounds.width() >= bounds.height() {
        let thickness = bounds.height();
        Ruling {
            orientation: Orientation::Horizontal,
            at: y,
            start: bounds.left,
            end: bounds.right,
            thickness,
        }
    } else {
        let thickness = bounds.width();
        Ruling { orientation: Orientation::Vertical, at: x, start: bounds.top, end: bounds.bottom, thickness }
    }
}

fn push_fill(bounds: Bounds, colour: [u8; 3], content: &mut PageContent) {
    let visible = bounds.width() > LENGTH_MIN && bounds.height() > LENGTH_MIN && bounds.is_finite();
    if visible && content.fills.len() < FILLS_MAX {
        content.fills.push(FilledBox { bounds, colour });
    }
}

fn push_ruling(ruling: Option<Ruling>, clip: Bounds, content: &mut PageContent) {
    let Some(mut ruling) = ruling else { return };
    let (across, along) = match ruling.orientation {
        Orientation::Horizontal => ((clip.top, clip.bottom), (clip.left, clip.right)),
        Orientation::Vertical => ((clip.left, clip.right), (clip.top, clip.bottom)),
    };
    ruling.start = ruling.start.max(along.0);
    ruling.end = ruling.end.min(along.1);
    let inside = ruling.at >= across.0 - LENGTH_MIN && ruling.at <= across.1 + LENGTH_MIN;
    if inside
        && ruling.length() > LENGTH_MIN
        && ruling.thickness.is_finite()
        && content.rulings.len() < RULINGS_MAX
    {
        content.rulings.push(ruling);
    }
}

/// The corners of each part of a path on the page. Curved parts end a line: they bound no cells.
fn subpaths(painted: &PaintedPath<'_>) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    let mut current: Vec<Point> = Vec::new();
    for element in painted.path.elements() {
        match element {
            PathEl::MoveTo(point) => {
                parts.push(std::mem::take(&mut current));
                current.push(painted.transform * *point);
            }
            PathEl::LineTo(point) => current.push(painted.transform * *point),
            PathEl::QuadTo(_, point) | PathEl::CurveTo(_, _, point) => {
                parts.push(std::mem::take(&mut current));
                current.push(painted.transform * *point);
            }
            PathEl::ClosePath => current.extend(current.first().copied()),
        }
    }
    parts.push(current);
    parts.retain(|part| part.len() > 1);
    parts
}

/// The box that a part of a path draws, if it draws one.
fn as_box(points: &[Point]) -> Option<Bounds> {
    if !(4..=5).contains(&points.len()) {
        return None;
    }
    let straight = |pair: &[Point]| {
        let (width, height) = ((pair[0].x - pair[1].x).abs() as f32, (pair[0].y - pair[1].y).abs() as f32);
        width <= LEAN_MAX || height <= LEAN_MAX
    };
    if !points.windows(2).all(straight) {
        return None;
    }
    let point = |point: &Point| Bounds {
        left: point.x as f32,
        top: point.y as f32,
        right: point.x as f32,
        bottom: point.y as f32,
    };
    points.iter().map(point).reduce(|all, next| all.union(&next))
}
