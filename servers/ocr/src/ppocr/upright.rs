//! An upright page: lines are detected, and if they show that the page is rotated, it is rotated back and
//! checked again. A page on its side or upside down is recognised by reading a few of its lines both ways.

use std::cmp::Reverse;

use image::{RgbImage, imageops};

use super::Networks;
use super::recognition::RecognisedText;
use crate::error::OcrError;
use crate::geometry::{Point, Polygon};
use crate::options::Deskew;
use crate::turn;
use crate::warp;

/// Lines with a smaller slope are cut out along their slope; with a larger one the whole page is rotated.
const SKEW_MAX: f32 = 2.0;
/// A page read with at least this confidence is not upside down.
const SURE: f32 = 0.9;
/// By how much the other way round has to be better.
const BETTER_BY: f32 = 0.05;
/// Lines that are read both ways to find out.
const SAMPLE: usize = 8;

/// Lines and their texts, on a page that may have been turned.
pub(super) struct UprightPage {
    pub(super) lines: Vec<Polygon>,
    pub(super) texts: Vec<RecognisedText>,
    /// Rotation of the page as it was received, in degrees, clockwise.
    pub(super) angle: f32,
    /// Maps a position on this page to the original image.
    pub(super) back: Box<dyn Fn(Point) -> Point>,
}

/// A page in work.
struct PageSheet<'a> {
    picture: std::borrow::Cow<'a, RgbImage>,
    lines: Vec<Polygon>,
    angle: f32,
    back: Box<dyn Fn(Point) -> Point>,
}

pub(super) fn find(networks: &Networks, picture: &RgbImage, deskew: Deskew) -> Result<UprightPage, OcrError> {
    let lines = networks.detector.find(picture)?;
    let mut sheet = PageSheet {
        picture: std::borrow::Cow::Borrowed(picture),
        lines,
        angle: 0.0,
        back: Box::new(|place| place),
    };
    if deskew == Deskew::Auto {
        sheet = stood_up(networks, sheet)?;
        sheet = straightened(networks, sheet)?;
    }
    let texts = networks.recognise(&sheet.picture, &sheet.lines)?;
    if deskew == Deskew::Auto && is_on_its_head(networks, &sheet, &texts)? {
        sheet = sheet.turned_half();
        let texts = networks.recognise(&sheet.picture, &sheet.lines)?;
        return Ok(sheet.into_page(texts));
    }
    Ok(sheet.into_page(texts))
}

/// A page that lies on its side is turned by a quarter, the way on which its lines are read better.
fn stood_up<'a>(networks: &Networks, sheet: PageSheet<'a>) -> Result<PageSheet<'a>, OcrError> {
    if !turn::lies_on_its_side(&sheet.lines) {
        return Ok(sheet);
    }
    let sample = longest(&sheet.lines);
    let pieces = |quarter: fn(&RgbImage) -> RgbImage| {
        sample.iter().map(|line| quarter(&warp::cut_out(&sheet.picture, line))).collect::<Vec<_>>()
    };
    let clockwise = confidence(&networks.recogniser.read(pieces(imageops::rotate90))?);
    let counter = confidence(&networks.recogniser.read(pieces(imageops::rotate270))?);
    // Text that is read badly both ways runs from top to bottom, as Chinese and Japanese may.
    if clockwise.max(counter) < SURE - BETTER_BY {
        return Ok(sheet);
    }
    if clockwise > counter { sheet.turned(networks, 90.0) } else { sheet.turned(networks, -90.0) }
}

fn straightened<'a>(networks: &Networks, sheet: PageSheet<'a>) -> Result<PageSheet<'a>, OcrError> {
    let skew = turn::skew_of_lines(&sheet.lines);
    if skew.abs() <= SKEW_MAX {
        let angle = sheet.angle + skew;
        return Ok(PageSheet { angle, ..sheet });
    }
    let turned = sheet.turned(networks, -skew)?;
    let rest = turn::skew_of_lines(&turned.lines);
    Ok(PageSheet { angle: turned.angle + rest, ..turned })
}

fn is_on_its_head(
    networks: &Networks,
    sheet: &PageSheet<'_>,
    texts: &[RecognisedText],
) -> Result<bool, OcrError> {
    let sure = confidence(texts);
    if sheet.lines.is_empty() || sure >= SURE {
        return Ok(false);
    }
    let sample = longest(&sheet.lines);
    let upside_down: Vec<Polygon> = sample.iter().map(|line| line.upside_down()).collect();
    let upright = confidence(&networks.recognise(&sheet.picture, &sample)?);
    let turned = confidence(&networks.recognise(&sheet.picture, &upside_down)?);
    Ok(turned > upright + BETTER_BY)
}

fn longest(lines: &[Polygon]) -> Vec<Polygon> {
    let mut lines = lines.to_vec();
    lines.sort_by_key(|line| Reverse(line.width().max(line.height()) as u32));
    lines.truncate(SAMPLE);
    lines
}

/// Over all characters.
fn confidence(texts: &[RecognisedText]) -> f32 {
    let chars = |read: &RecognisedText| read.text.chars().count() as f32;
    let all: f32 = texts.iter().map(chars).sum();
    if all == 0.0 { 0.0 } else { texts.iter().map(|read| read.confidence * chars(read)).sum::<f32>() / all }
}

impl<'a> PageSheet<'a> {
    /// Rotated clockwise, and detected again.
    fn turned(self, networks: &Networks, degrees: f32) -> Result<PageSheet<'a>, OcrError> {
        let (picture, back) = warp::turned(&self.picture, degrees);
        let lines = networks.detector.find(&picture)?;
        let before = self.back;
        Ok(PageSheet {
            picture: std::borrow::Cow::Owned(picture),
            lines,
            angle: self.angle - degrees,
            back: Box::new(move |place| before(back(place))),
        })
    }

    /// On an upside-down page, lines are where they were; only top and left differ.
    fn turned_half(self) -> PageSheet<'a> {
        let (width, height) = (self.picture.width() as f32, self.picture.height() as f32);
        let turn = move |place: Point| Point::new(width - place.x, height - place.y);
        let lines = self.lines.iter().map(|line| line.upside_down().map(turn)).collect();
        let before = self.back;
        PageSheet {
            picture: std::borrow::Cow::Owned(imageops::rotate180(&*self.picture)),
            lines,
            angle: self.angle + 180.0,
            back: Box::new(move |place| before(turn(place))),
        }
    }

    fn into_page(self, texts: Vec<RecognisedText>) -> UprightPage {
        UprightPage { lines: self.lines, texts, angle: as_half_turns(self.angle), back: self.back }
    }
}

/// Between -180 (not included) and 180.
fn as_half_turns(degrees: f32) -> f32 {
    let turned = degrees.rem_euclid(360.0);
    if turned > 180.0 { turned - 360.0 } else { turned }
}
