//! The parts of a page that are its text, and those that belong to the site around it.

use crate::document::Block;
use crate::grid;

/// If the text marked as main content is shorter, the markup is assumed to be wrong.
const MAIN_BYTES_MIN: usize = 200;

/// The zone of a page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Zone {
    /// In the declared main text of the page.
    Main,
    Plain,
    /// Headers, footers and sidebars of the page.
    Margin,
    Navigation,
}

/// Removes everything but the text of the page, if the page declares it; navigation always.
pub(super) fn text_of_page(pieces: Vec<(Zone, Block)>) -> (Vec<Block>, Option<String>) {
    let bytes_of = |wanted: fn(Zone) -> bool| -> usize {
        let pieces = pieces.iter().filter(|(zone, _)| wanted(*zone));
        pieces.map(|(_, block)| grid::text_of(std::slice::from_ref(block)).len()).sum()
    };
    let main = bytes_of(|zone| zone == Zone::Main);
    let all = bytes_of(|_| true);
    let navigation = bytes_of(|zone| zone == Zone::Navigation);
    let last = match main >= MAIN_BYTES_MIN && main * 3 >= all {
        true => Zone::Plain,
        false if navigation < all => Zone::Margin,
        false => Zone::Navigation,
    };
    let before = pieces.len();
    let is_title = |block: &Block| matches!(block, Block::Heading { level: 1, .. });
    let kept = pieces
        .into_iter()
        .filter(|(zone, block)| *zone <= last || (*zone == Zone::Margin && is_title(block)));
    let blocks: Vec<Block> = kept.map(|(_, block)| block).collect();
    let warning =
        (blocks.len() < before).then(|| "the page's navigation and margins were left out".to_owned());
    (blocks, warning)
}
