//! Lists in pages, honest ones and others.

use serde_json::{Value, json};

/// How a stand-in cuts its lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PageManner {
    #[default]
    Honest,
    Endless,
    Repeating,
    Changing,
}

/// The page of a list from an item on, and the item where the next page begins.
pub(super) fn cut(
    all: &[Value],
    from: usize,
    size: usize,
    manner: PageManner,
) -> (Vec<Value>, Option<usize>) {
    let size = size.max(1);
    let honest = || all.iter().skip(from).take(size).cloned().collect::<Vec<_>>();
    let rest = (from + size < all.len()).then_some(from + size);
    match manner {
        PageManner::Honest => (honest(), rest),
        PageManner::Endless => {
            let items = (from..from + size).filter_map(|at| all.get(at % all.len().max(1)).cloned());
            (items.collect(), Some(from + size))
        }
        PageManner::Repeating => (honest(), Some(size)),
        PageManner::Changing if from > 0 => {
            (honest().iter().map(|item| json!({ "identifier": item["id"] })).collect(), rest)
        }
        PageManner::Changing => (honest(), rest),
    }
}
