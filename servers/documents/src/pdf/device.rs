//! A device that draws nothing and records everything that would be drawn, with its position.

use hayro_interpret::font::{Glyph as DrawnGlyph, GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::WritingMode;
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask,
};
use hayro_syntax::object::{Dict, Name, String as PdfString};
use kurbo::{Affine, BezPath, Point, Rect, Shape, Vec2};

use super::content::{ASCENT, DESCENT, Glyph, GlyphDirection, PageContent};
use super::fonts::Fonts;
use super::letters;
use super::paths::{self, PaintedPath};
use crate::Bounds;

/// Glyphs of one page; a dense page has ten thousand.
const GLYPHS_MAX: usize = 400_000;
/// Anything drawn on one page: forms that draw forms can ask for any amount.
const EVENTS_MAX: usize = 3_000_000;
/// The cost of a clip; each form has one, and costs as much as several glyphs.
const CLIP_EVENTS: usize = 11;
const PICTURES_MAX: usize = 10_000;
const PICTURE_SIDE_MIN: f32 = 4.0;
const SIZE_MIN: f32 = 0.3;
const SIZE_MAX: f32 = 5_000.0;
const UNITS_PER_EM: f64 = 1000.0;
/// Glyphs this far outside of the visible area still count: clips cut tightly.
const CLIP_SLACK: f32 = 2.0;
/// Replacement text is used if it is about as long as the drawn text.
const ACTUAL_TEXT_CHARS_MAX: usize = 8;
/// Sine of the angle up to which text counts as level.
const LEVEL_SINE_MAX: f64 = 0.06;
/// Angles that differ by less than this many degrees are one.
const ASKEW_STEP: f64 = 3.0;
/// Glyphs stretched by measures that differ by more than this are those of a font that was replaced.
const STRETCH_DIFFERENCE_MIN: f32 = 0.01;
/// The default width of a letter if a font does not tell.
const ADVANCE_USUAL: f32 = 500.0;

/// Thrown through the interpreter, which has no way to stop, when a page draws too much.
pub(super) struct TooMuch;

/// Records the content of a page.
pub(super) struct PageRecorder<'f, 'a> {
    pub(super) content: PageContent,
    fonts: &'f Fonts<'a>,
    clips: Vec<Bounds>,
    marked: Vec<MarkedContent>,
    events: usize,
}

/// A marked part of the page.
struct MarkedContent {
    artifact: bool,
    replaced: Option<ReplacementText>,
}

/// Text that replaces the drawn glyphs until the mark ends.
struct ReplacementText {
    text: String,
    /// The glyph that carries the text once one has been drawn.
    carrier: Option<usize>,
}

/// The position of a glyph, before its text is known.
struct GlyphPlace {
    origin: Point,
    /// Of length 1: the directions of the next letter, and of up.
    along: Vec2,
    up: Vec2,
    size: f32,
    advance: f32,
    /// The same if the drawn glyph was stretched to fit, which is not known.
    advance_unstretched: f32,
    direction: GlyphDirection,
    upright_in_column: bool,
}

impl<'f, 'a> PageRecorder<'f, 'a> {
    pub(super) fn new(content: PageContent, fonts: &'f Fonts<'a>) -> Self {
        let page = Bounds { left: 0.0, top: 0.0, right: content.width, bottom: content.height };
        Self { content, fonts, clips: vec![page], marked: Vec::new(), events: 0 }
    }

    fn clip(&self) -> Bounds {
        self.clips.last().copied().unwrap_or_default()
    }

    fn push_clip(&mut self, rect: Rect) {
        self.events += CLIP_EVENTS;
        self.count();
        let clip = self.clip().intersection(&bounds_of(rect));
        self.clips.push(clip);
    }

    fn count(&mut self) {
        self.events += 1;
        if self.events > EVENTS_MAX || self.content.glyphs.len() > GLYPHS_MAX {
            self.content.cut_short = true;
            std::panic::resume_unwind(Box::new(TooMuch));
        }
    }

    fn note_glyph(&mut self, drawn: &PositionedGlyph<'_>, place: &GlyphPlace) {
        let Some(bounds) = self.visible(place) else { return };
        let known = self.fonts.of(drawn);
        let code = drawn.char_code();
        let told = letters::readable(drawn.as_unicode());
        let Some(text) = told.or_else(|| if known.simple { letters::usual(code) } else { None }) else {
            self.content.unreadable += 1;
            return;
        };
        let (frame, baseline) = place.frame(bounds);
        let Some(text) = self.replaced(text, bounds, frame) else { return };
        self.content.glyphs.push(Glyph {
            text,
            bounds,
            frame,
            baseline,
            size: place.size,
            style: known.style,
            direction: place.direction,
            artifact: self.marked.iter().any(|marked| marked.artifact),
        });
    }

    /// Its box if any of it can be seen.
    fn visible(&self, place: &GlyphPlace) -> Option<Bounds> {
        let bounds = place.bounds();
        if !bounds.is_finite() || !(SIZE_MIN..SIZE_MAX).contains(&place.size) {
            return None;
        }
        let clip = self.clip();
        let slack = Bounds {
            left: clip.left - CLIP_SLACK,
            top: clip.top - CLIP_SLACK,
            right: clip.right + CLIP_SLACK,
            bottom: clip.bottom + CLIP_SLACK,
        };
        slack.contains(bounds.center()).then_some(bounds)
    }

    /// The text for a glyph: the file may replace it. `None` if an earlier glyph carries it.
    fn replaced(&mut self, text: String, bounds: Bounds, frame: Bounds) -> Option<String> {
        let next = self.content.glyphs.len();
        let Some(replaced) = self.marked.iter_mut().rev().find_map(|marked| marked.replaced.as_mut()) else {
            return Some(text);
        };
        match replaced.carrier {
            None => {
                replaced.carrier = Some(next);
                Some(replaced.text.clone())
            }
            Some(carrier) => {
                let glyph = &mut self.content.glyphs[carrier];
                glyph.bounds = glyph.bounds.union(&bounds);
                glyph.frame = glyph.frame.union(&frame);
                None
            }
        }
    }
}

impl GlyphPlace {
    fn of(drawn: &PositionedGlyph<'_>, transform: Affine, mode: WritingMode) -> Option<Self> {
        let [a, b, c, d, x, y] = (transform * drawn.transform()).as_coeffs();
        let (across, rise) = (Vec2::new(a, b), Vec2::new(c, d));
        let (width, height) = (across.length(), rise.length());
        if !(width.is_finite() && height.is_finite() && width > 0.0 && height > 0.0) {
            return None;
        }
        let along = across / width;
        // The rise without the slant of a synthetic italic.
        let normal = rise - along * rise.dot(along);
        let tall = normal.length();
        let up = if tall > 0.0 { normal / tall } else { Vec2::new(along.y, -along.x) };
        let units = advance(drawn).unwrap_or(ADVANCE_USUAL);
        let place = Self {
            origin: Point::new(x, y),
            along,
            up,
            size: (tall * UNITS_PER_EM) as f32,
            advance: units * width as f32,
            advance_unstretched: units * tall as f32,
            direction: direction(along),
            upright_in_column: false,
        };
        Some(if mode == WritingMode::Vertical { place.in_column() } else { place })
    }

    /// For a font that is set from top to bottom.
    fn in_column(mut self) -> Self {
        if self.direction == GlyphDirection::Right {
            self.direction = GlyphDirection::Down;
            self.upright_in_column = true;
        }
        self.advance = self.size;
        self.advance_unstretched = self.size;
        self
    }

    fn bounds(&self) -> Bounds {
        if self.upright_in_column {
            let (x, y) = (self.origin.x as f32, self.origin.y as f32);
            return Bounds {
                left: x,
                top: y - 0.88 * self.size,
                right: x + self.size,
                bottom: y + 0.12 * self.size,
            };
        }
        self.cornered(self.origin, self.along, self.up)
    }

    /// The bounds in the frame of the text direction, and the baseline in it.
    fn frame(&self, bounds: Bounds) -> (Bounds, f32) {
        if let GlyphDirection::Askew(degrees) = self.direction {
            // All text of about this angle is turned alike, so that its lines stay lines.
            let turn = Affine::rotate(-f64::from(degrees).to_radians());
            let origin = turn * self.origin;
            let frame = self.cornered(origin, Vec2::new(1.0, 0.0), Vec2::new(0.0, -1.0));
            return (frame, origin.y as f32);
        }
        let (x, y) = (self.origin.x as f32, self.origin.y as f32);
        let point = Bounds { left: x, top: y, right: x, bottom: y };
        let lowered = if self.upright_in_column { DESCENT * self.size } else { 0.0 };
        (self.direction.frame(bounds), self.direction.frame(point).top - lowered)
    }

    /// The box around a letter at this position with this direction.
    fn cornered(&self, origin: Point, along: Vec2, up: Vec2) -> Bounds {
        let size = f64::from(self.size);
        let end = origin + along * f64::from(self.advance);
        let (ascent, descent) = (up * (size * f64::from(ASCENT)), up * (size * f64::from(DESCENT)));
        let corners = [origin + ascent, origin - descent, end + ascent, end - descent];
        let mut bounds = Rect::from_points(corners[0], corners[1]);
        bounds = bounds.union_pt(corners[2]).union_pt(corners[3]);
        bounds_of(bounds)
    }
}

impl<'a> Device<'a> for PageRecorder<'_, 'a> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, draw_mode: &DrawMode) {
        self.count();
        let Some(colour) = colour(&props.paint) else { return };
        self.content.paths += 1;
        let painted =
            PaintedPath { path, transform: props.transform, mode: draw_mode, colour, clip: self.clip() };
        paths::collect(&painted, &mut self.content);
    }

    fn push_clip_path(&mut self, clip_path: &ClipPath) {
        self.push_clip(clip_path.path.bounding_box());
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.push_clip(*rect);
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        let mut places: Vec<Option<GlyphPlace>> = run
            .glyphs()
            .iter()
            .map(|glyph| GlyphPlace::of(glyph, props.transform, run.writing_mode()))
            .collect();
        settle_advances(&mut places);
        settle_sizes(run.glyphs(), &mut places);
        for (glyph, place) in run.glyphs().iter().zip(&places) {
            self.count();
            if let Some(place) = place {
                self.note_glyph(glyph, place);
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.count();
        let area = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let bounds = bounds_of(props.transform.transform_rect_bbox(area)).intersection(&self.clip());
        let large =
            bounds.width() >= PICTURE_SIDE_MIN && bounds.height() >= PICTURE_SIDE_MIN && bounds.is_finite();
        if large && self.content.pictures.len() < PICTURES_MAX {
            self.content.pictures.push(bounds);
        }
    }

    fn pop_clip(&mut self) {
        if self.clips.len() > 1 {
            self.clips.pop();
        }
    }

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        self.count();
        let artifact = tag == b"Artifact" && properties.is_some_and(is_page_furniture);
        let replaced = properties
            .and_then(|properties| properties.get::<PdfString<'_>>(b"ActualText"))
            .map(|text| letters::replacement(text.as_bytes()))
            .filter(|text| text.chars().count() <= ACTUAL_TEXT_CHARS_MAX)
            .map(|text| ReplacementText { text, carrier: None });
        self.marked.push(MarkedContent { artifact, replaced });
    }

    fn end_marked_content(&mut self) {
        self.marked.pop();
    }
}

/// Glyphs are drawn wider or narrower because the text is, all alike, or because a font was replaced, each by its own
/// measure. Only the first changes how far apart they are.
fn settle_advances(places: &mut [Option<GlyphPlace>]) {
    let measures = places.iter().flatten().filter(|place| place.advance_unstretched > 0.0);
    let measures = measures.map(|place| place.advance / place.advance_unstretched);
    let (least, most) =
        measures.fold((f32::MAX, f32::MIN), |(least, most), measure| (least.min(measure), most.max(measure)));
    if most - least > STRETCH_DIFFERENCE_MIN {
        places.iter_mut().flatten().for_each(|place| place.advance = place.advance_unstretched);
    }
}

/// Type 3 fonts have their own units, so their size says nothing: the width of their letters does.
fn settle_sizes(glyphs: &[PositionedGlyph<'_>], places: &mut [Option<GlyphPlace>]) {
    let (mut drawn, mut usual) = (0.0, 0.0);
    for (glyph, place) in glyphs.iter().zip(places.iter()) {
        if let (DrawnGlyph::Type3(glyph), Some(place)) = (&**glyph, place) {
            drawn += place.advance;
            usual += letters::readable(glyph.as_unicode())
                .and_then(|text| text.chars().next())
                .map_or(0.5, usual_width);
        }
    }
    if drawn > 0.0 && usual > 0.0 {
        places.iter_mut().flatten().for_each(|place| place.size = drawn / usual);
    }
}

/// Headers, footers and page numbers, which repeat and are not part of the text.
fn is_page_furniture(properties: &Dict<'_>) -> bool {
    properties.get::<Name<'_>>(b"Type").is_some_and(|kind| kind.as_str() == "Pagination")
}

fn direction(along: Vec2) -> GlyphDirection {
    if along.y.abs() <= LEVEL_SINE_MAX {
        if along.x > 0.0 { GlyphDirection::Right } else { GlyphDirection::Left }
    } else if along.x.abs() <= LEVEL_SINE_MAX {
        if along.y > 0.0 { GlyphDirection::Down } else { GlyphDirection::Up }
    } else {
        GlyphDirection::Askew((along.angle().to_degrees() / ASKEW_STEP).round() as i16 * ASKEW_STEP as i16)
    }
}

fn advance(glyph: &DrawnGlyph<'_>) -> Option<f32> {
    let told = match glyph {
        DrawnGlyph::Outline(outline) => outline.advance_width(),
        DrawnGlyph::Type3(glyph) => glyph.advance_width(),
    };
    told.filter(|width| width.is_finite() && *width >= 0.0)
}

/// About how wide a letter is, in its size.
fn usual_width(letter: char) -> f32 {
    match letter {
        'i' | 'j' | 'l' | 't' | 'f' | 'I' | '.' | ',' | ';' | ':' | '\'' | '!' | '|' | ' ' => 0.29,
        'r' | 's' | 'c' | 'a' | 'e' | 'z' | '-' | '(' | ')' | '[' | ']' => 0.42,
        'm' | 'w' | 'M' | 'W' | '—' => 0.83,
        'A'..='Z' => 0.68,
        _ => 0.5,
    }
}

fn bounds_of(rect: Rect) -> Bounds {
    Bounds { left: rect.x0 as f32, top: rect.y0 as f32, right: rect.x1 as f32, bottom: rect.y1 as f32 }
}

/// The paint's colour, unless it is invisible.
fn colour(paint: &Paint<'_>) -> Option<[u8; 3]> {
    match paint {
        Paint::Color(color) => {
            let [red, green, blue, alpha] = color.to_rgba().to_rgba8();
            (alpha > 0).then_some([red, green, blue])
        }
        Paint::Pattern(_) => Some([128, 128, 128]),
    }
}
