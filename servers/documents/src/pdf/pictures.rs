//! Pictures on a page that are more than decoration: pieces that touch are one, and small ones are none.

use super::content::PageContent;
use crate::Bounds;

/// Pieces that are looked at: some files cut a picture into a strip for each row.
const PIECES_MAX: usize = 400;
/// Pieces this close are one picture, in points.
const TOUCHING: f32 = 1.5;
/// The share of the page that a picture has at least, and the length of its sides.
const AREA_SHARE_MIN: f32 = 0.01;
const SIDE_MIN: f32 = 18.0;
/// A piece that covers more of the page lies behind others, and is not joined with them.
const BACKGROUND_SHARE_MIN: f32 = 0.8;
/// Pictures of one page.
const PICTURES_MAX: usize = 32;

/// The pictures of a page, from top to bottom; one that lies behind everything is first.
pub(super) fn pictures(content: &PageContent) -> Vec<Bounds> {
    let page = Bounds { left: 0.0, top: 0.0, right: content.width, bottom: content.height };
    let share = |bounds: &Bounds| area(bounds) / area(&page);
    let on_page = content.pictures.iter().map(|picture| picture.intersection(&page));
    let pieces = on_page.filter(|picture| picture.width() > 0.0 && picture.height() > 0.0).take(PIECES_MAX);
    let (behind, pieces): (Vec<Bounds>, Vec<Bounds>) =
        pieces.partition(|picture| share(picture) > BACKGROUND_SHARE_MIN);
    let mut found = united(pieces);
    found.retain(|picture| {
        share(picture) >= AREA_SHARE_MIN && picture.width() >= SIDE_MIN && picture.height() >= SIDE_MIN
    });
    found.sort_by(|one, other| one.top.total_cmp(&other.top).then(one.left.total_cmp(&other.left)));
    found.truncate(PICTURES_MAX);
    behind.into_iter().take(1).chain(found).collect()
}

fn area(bounds: &Bounds) -> f32 {
    bounds.width() * bounds.height()
}

/// Pieces that touch become one.
fn united(pieces: Vec<Bounds>) -> Vec<Bounds> {
    let mut found: Vec<Bounds> = Vec::new();
    for mut piece in pieces {
        while let Some(near) = found.iter().position(|other| touches(&piece, other)) {
            piece = piece.union(&found.swap_remove(near));
        }
        found.push(piece);
    }
    found
}

fn touches(one: &Bounds, other: &Bounds) -> bool {
    let shared = one.intersection(other);
    shared.width() >= -TOUCHING && shared.height() >= -TOUCHING
}
