//! Pictures with known text, read with the real weights: `script/ocr-model` fetches them. Without them these
//! tests report that they were skipped, unless `TOOLGATE_TEST_OCR` requires them.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

use std::path::PathBuf;

use image::imageops;

use super::*;
use crate::drawing;
use crate::reading::Break;
use crate::warp;

/// The variable is the folder with the weights, or just set.
fn ppocr() -> Option<PpOcr> {
    let said = std::env::var_os("TOOLGATE_TEST_OCR").map(PathBuf::from);
    let usual = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/ocr");
    let folder = said.clone().filter(|folder| folder.is_dir()).unwrap_or(usual);
    match PpOcr::in_folder(&folder) {
        Ok(ppocr) => Some(ppocr),
        Err(error) if said.is_some() => panic!("TOOLGATE_TEST_OCR is set, but {error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn read(page: RgbImage) -> Option<OcrReading> {
    Some(ppocr()?.read(&Picture::from_pixels(page), Deskew::Auto).expect("the networks run"))
}

const LINES: [&str; 3] =
    ["Invoice 2026-114 for Ada Lovelace", "Four engines, delivered in June", "Total: 1,250.00 EUR"];

fn invoice() -> RgbImage {
    let mut page = drawing::page(900, 420);
    for (line, row) in LINES.iter().zip(0u8..) {
        drawing::write(&mut page, 60.0, 60.0 + f32::from(row) * 90.0, 30.0, line);
    }
    page
}

fn texts(reading: &OcrReading) -> Vec<&str> {
    reading.lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn lines_are_read_with_their_places() {
    let Some(reading) = read(invoice()) else { return };
    assert_eq!(texts(&reading), LINES);
    assert!(reading.mean_confidence.unwrap() > 0.9);
    assert!(reading.angle.abs() < 0.5, "{}", reading.angle);
    let first = reading.lines[0].bounds;
    assert!((first.left - 60.0).abs() < 15.0 && (first.top - 65.0).abs() < 20.0, "{first:?}");
    assert!(first.height() < 60.0 && first.width() > 350.0, "{first:?}");
}

#[test]
fn a_blank_page_has_no_text() {
    let Some(reading) = read(drawing::page(600, 400)) else { return };
    assert_eq!((reading.text().as_str(), reading.mean_confidence, reading.angle), ("", None, 0.0));
    for (width, height) in [(1, 1), (3, 500), (2_000, 2)] {
        assert_eq!(read(drawing::page(width, height)).unwrap().lines.len(), 0, "{width} × {height}");
    }
}

/// On the circle: a page on its head that slopes by as little as a tenth of a degree is turned by 179.9 or by -179.9.
fn degrees_apart(a: f32, b: f32) -> f32 {
    let apart = (a - b).rem_euclid(360.0);
    apart.min(360.0 - apart)
}

#[test]
fn pages_on_their_side_or_head_are_set_upright() {
    if ppocr().is_none() {
        return;
    }
    type Turn = fn(&RgbImage) -> RgbImage;
    let turns: [(Turn, f32); 3] =
        [(imageops::rotate90, 90.0), (imageops::rotate180, 180.0), (imageops::rotate270, -90.0)];
    for (turn, degrees) in turns {
        let page = turn(&invoice());
        let (width, height) = page.dimensions();
        let reading = read(page).unwrap();
        assert_eq!(texts(&reading), LINES, "turned by {degrees}");
        assert!(reading.angle > -180.0 && reading.angle <= 180.0, "{}", reading.angle);
        assert!(degrees_apart(reading.angle, degrees) < 1.0, "{} is not {degrees}", reading.angle);
        for line in &reading.lines {
            assert!(line.bounds.right <= width as f32 && line.bounds.bottom <= height as f32);
        }
        let first = reading.lines[0].bounds;
        let tall = first.height() > first.width();
        assert_eq!(
            tall,
            degrees.abs() == 90.0,
            "{first:?} is not where the line is in the picture as it came"
        );
    }
}

#[test]
fn a_page_with_a_slope_is_straightened_and_places_are_those_of_the_picture() {
    for degrees in [-12.0f32, 1.0, 7.0] {
        let (page, back) = warp::turned(&invoice(), degrees);
        let Some(reading) = read(page) else { return };
        assert_eq!(texts(&reading), LINES, "turned by {degrees}");
        assert!((reading.angle - degrees).abs() < 0.7, "{} is not {degrees}", reading.angle);
        let corner = back(reading.lines[0].polygon.0[0]);
        assert!((corner.x - 60.0).abs() < 20.0 && (corner.y - 65.0).abs() < 20.0, "{corner:?}");
    }
}

#[test]
fn a_page_that_shall_not_be_turned_is_not() {
    let Some(ppocr) = ppocr() else { return };
    let page = Picture::from_pixels(imageops::rotate180(&invoice()));
    let reading = ppocr.read(&page, Deskew::Never).unwrap();
    assert_ne!(texts(&reading), LINES);
    assert_eq!(reading.angle, 0.0);
}

#[test]
fn columns_are_read_one_after_the_other() {
    let left = [
        "It was the best of times, it",
        "was the worst of times, it was",
        "the age of wisdom, it was the",
        "age of foolishness, of belief",
    ];
    let right = [
        "Call me Ishmael. Some years",
        "ago, never mind how long",
        "precisely, having little money",
        "in my purse, I went to sea",
    ];
    let mut page = drawing::page(1_000, 330);
    for (row, (left, right)) in left.iter().zip(right).enumerate() {
        let top = 40.0 + 60.0 * row as f32;
        drawing::write(&mut page, 40.0, top, 24.0, left);
        drawing::write(&mut page, 560.0, top, 24.0, right);
    }
    let Some(reading) = read(page) else { return };
    assert_eq!(texts(&reading), [left, right].concat());
}

#[test]
fn cells_of_a_table_are_parted_by_tabs() {
    let mut page = drawing::page(700, 260);
    for (row, cells) in [["Part", "Count"], ["Gear", "12"], ["Crank", "3"]].iter().enumerate() {
        for (cell, left) in cells.iter().zip([60.0, 420.0]) {
            drawing::write(&mut page, left, 30.0 + 70.0 * row as f32, 30.0, cell);
        }
    }
    let Some(reading) = read(page) else { return };
    assert_eq!(reading.text(), "Part\tCount\nGear\t12\nCrank\t3");
    assert_eq!(reading.lines[1].before, Break::Tab);
}

#[test]
fn letters_beyond_english_are_read() {
    // Without Æ and Œ, which the network takes for E: the README says so.
    let lines = ["Straße nach Kraków, naïve façade", "Señor Núñez, Læsø, cœur, Gößweinstein"];
    let mut page = drawing::page(900, 240);
    for (line, top) in lines.iter().zip([40.0, 130.0]) {
        drawing::write(&mut page, 40.0, top, 32.0, line);
    }
    let Some(reading) = read(page) else { return };
    assert_eq!(texts(&reading), lines);
}

#[test]
fn chinese_characters_are_read() {
    const MIDDLE: &[[u32; 4]] =
        &[[15, 30, 85, 30], [15, 62, 85, 62], [15, 30, 15, 62], [85, 30, 85, 62], [50, 5, 50, 95]];
    const KING: &[[u32; 4]] = &[[15, 12, 85, 12], [20, 48, 80, 48], [8, 86, 92, 86], [50, 12, 50, 86]];
    const SUN: &[[u32; 4]] =
        &[[25, 8, 75, 8], [25, 48, 75, 48], [25, 88, 75, 88], [25, 8, 25, 92], [75, 8, 75, 92]];
    const FIELD: &[[u32; 4]] = &[
        [15, 12, 85, 12],
        [15, 48, 85, 48],
        [15, 86, 85, 86],
        [15, 12, 15, 90],
        [50, 12, 50, 86],
        [85, 12, 85, 90],
    ];
    let mut page = drawing::page(520, 200);
    for (character, column) in [MIDDLE, KING, SUN, FIELD].into_iter().zip(0u32..) {
        drawing::strokes(&mut page, 80 + 88 * column, 60, 72, character);
    }
    let Some(reading) = read(page) else { return };
    assert_eq!(reading.text(), "中王日田");
}

#[test]
fn one_line_without_any_paper_around_it_is_read() {
    let mut strip = drawing::page(620, 44);
    drawing::write(&mut strip, 6.0, 2.0, 28.0, "Serial number 4711-0815");
    let Some(reading) = read(strip) else { return };
    assert_eq!(reading.text(), "Serial number 4711-0815");
}
