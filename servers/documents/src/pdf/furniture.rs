//! Headers and footers: text at the same position at the edge of many pages is read once by people, and set
//! aside here.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{DraftLine, DraftPage};

/// Share of the page at its top and its bottom where headers and footers are.
const EDGE_SHARE: f32 = 0.12;
/// The minimum number and share of pages with the same text: headers of odd and even pages differ.
const PAGES_MIN: usize = 3;
const PAGES_SHARE_MIN: f32 = 0.25;
/// Places closer than this are the same, in points.
const PLACE_STEP: f32 = 6.0;
const LETTERS_MAX: usize = 160;

/// Text with its numbers replaced by placeholders, and its position.
type FurnitureKey = (String, i32);

/// Takes headers and footers out of the parts of the pages.
pub(super) fn set_aside(pages: &mut [DraftPage]) {
    let repeated = repeated(pages);
    for page in pages {
        let height = page.height;
        let is_furniture = |line: &DraftLine| {
            is_at_edge(line, height) && (line.artifact || keys(line).iter().any(|key| repeated.contains(key)))
        };
        // A page with nothing else has no furniture: that is its text.
        if page.lines().all(is_furniture) {
            continue;
        }
        for part in &mut page.parts {
            let lines = std::mem::take(part).into_iter();
            let (furniture, kept): (Vec<DraftLine>, Vec<DraftLine>) = lines.partition(is_furniture);
            page.furniture.extend(furniture);
            *part = kept;
        }
        page.parts.retain(|part| !part.is_empty());
    }
}

fn repeated(pages: &[DraftPage]) -> BTreeSet<FurnitureKey> {
    let mut found: BTreeMap<FurnitureKey, usize> = BTreeMap::new();
    for page in pages {
        let lines = page.lines().filter(|line| is_at_edge(line, page.height));
        let keys: BTreeSet<FurnitureKey> = lines.flat_map(keys).collect();
        for key in keys {
            *found.entry(key).or_default() += 1;
        }
    }
    let pages_min = PAGES_MIN.max((pages.len() as f32 * PAGES_SHARE_MIN) as usize);
    found.into_iter().filter(|(_, count)| *count >= pages_min).map(|(key, _)| key).collect()
}

fn is_at_edge(line: &DraftLine, height: f32) -> bool {
    let (_, y) = line.bounds.center();
    line.table.is_none()
        && line.text.len() <= LETTERS_MAX
        && (y < height * EDGE_SHARE || y > height * (1.0 - EDGE_SHARE))
}

/// Two, so that places on both sides of a step are found to be the same.
fn keys(line: &DraftLine) -> [FurnitureKey; 2] {
    let mut text = String::new();
    for letter in line.text.chars() {
        let letter = if letter.is_numeric() { '#' } else { letter };
        if !(letter == '#' && text.ends_with('#')) {
            text.push(letter);
        }
    }
    let place = line.baseline / PLACE_STEP;
    [(text.clone(), place.floor() as i32 * 2), (text, (place + 0.5).floor() as i32 * 2 + 1)]
}
