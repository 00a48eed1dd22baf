//! The content of a page: glyphs, lines, fills and pictures with their positions. Points from the top left
//! corner of the page as viewed, with the rotation of the page applied.

use crate::Bounds;

/// The share of the letter size above and below the baseline. The same for every font: boxes of different
/// fonts on one line then have the same top and bottom, unlike with the fonts' own figures.
pub(crate) const ASCENT: f32 = 0.75;
pub(crate) const DESCENT: f32 = 0.22;

/// All that a page shows, in the order in which it was drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageContent {
    /// From 1.
    pub(crate) number: u32,
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) glyphs: Vec<Glyph>,
    /// Thin lines, horizontal and vertical: strokes, edges of stroked boxes, and filled boxes too thin to be areas.
    pub(crate) rulings: Vec<Ruling>,
    /// Filled boxes that are areas: backgrounds of cells, of rows, of the page.
    pub(crate) fills: Vec<FilledBox>,
    pub(crate) pictures: Vec<Bounds>,
    /// Glyphs for which the file gives no characters; they are not in `glyphs`.
    pub(crate) unreadable: usize,
    /// Paths of any form that were painted.
    pub(crate) paths: usize,
    /// True if reading stopped early because the page draws too much.
    pub(crate) cut_short: bool,
}

/// One or a few characters at one position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Glyph {
    /// Ligatures are expanded. A space is a glyph too if the file has one.
    pub(crate) text: String,
    /// From where it starts to where the next one would start; from ascent to descent.
    pub(crate) bounds: Bounds,
    /// The same, rotated so that its text goes to the right and lines follow downwards. Values may be
    /// negative.
    pub(crate) frame: Bounds,
    /// Its position in the frame: y for text that goes right.
    pub(crate) baseline: f32,
    pub(crate) size: f32,
    pub(crate) style: GlyphStyle,
    pub(crate) direction: GlyphDirection,
    /// Part of a header, footer or other decoration, according to the file.
    pub(crate) artifact: bool,
}

impl Glyph {
    pub(crate) fn is_space(&self) -> bool {
        self.text.chars().all(char::is_whitespace)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct GlyphStyle {
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) mono: bool,
}

/// The direction of the next letter on the page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum GlyphDirection {
    #[default]
    Right,
    /// Turned clockwise, or set from top to bottom as in Japanese.
    Down,
    Left,
    Up,
    /// At another angle, in degrees from `Right` clockwise: a watermark across the page, labels under a diagram.
    Askew(i16),
}

impl GlyphDirection {
    /// Turns a place on the page into the frame of the direction. What is askew keeps its place.
    pub(crate) fn frame(self, page: Bounds) -> Bounds {
        let Bounds { left, top, right, bottom } = page;
        match self {
            Self::Right | Self::Askew(_) => page,
            Self::Down => Bounds { left: top, top: -right, right: bottom, bottom: -left },
            Self::Left => Bounds { left: -right, top: -bottom, right: -left, bottom: -top },
            Self::Up => Bounds { left: -bottom, top: left, right: -top, bottom: right },
        }
    }

    /// The other way round: from the frame back to the page.
    pub(crate) fn page(self, frame: Bounds) -> Bounds {
        match self {
            Self::Right | Self::Askew(_) => frame,
            Self::Down => Self::Up.frame(frame),
            Self::Left => Self::Left.frame(frame),
            Self::Up => Self::Down.frame(frame),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Orientation {
    Horizontal,
    Vertical,
}

/// A straight thin line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ruling {
    pub(crate) orientation: Orientation,
    /// Its middle: y if horizontal, x if vertical.
    pub(crate) at: f32,
    /// From the left or the top.
    pub(crate) start: f32,
    pub(crate) end: f32,
    pub(crate) thickness: f32,
}

impl Ruling {
    pub(crate) fn length(&self) -> f32 {
        self.end - self.start
    }
}

/// A filled box.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FilledBox {
    pub(crate) bounds: Bounds,
    /// Red, green, blue.
    pub(crate) colour: [u8; 3],
}

impl Bounds {
    pub(crate) fn width(&self) -> f32 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f32 {
        self.bottom - self.top
    }

    pub(crate) fn center(&self) -> (f32, f32) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Empty or inside out if they do not touch.
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    pub(crate) fn contains(&self, (x, y): (f32, f32)) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }

    /// The shared part of the lower of the two heights: 0 to 1.
    pub(crate) fn vertical_overlap(&self, other: &Self) -> f32 {
        let shared = self.bottom.min(other.bottom) - self.top.max(other.top);
        let least = self.height().min(other.height());
        if least <= 0.0 { 0.0 } else { (shared / least).clamp(0.0, 1.0) }
    }

    pub(crate) fn is_finite(&self) -> bool {
        [self.left, self.top, self.right, self.bottom].iter().all(|side| side.is_finite())
    }
}
