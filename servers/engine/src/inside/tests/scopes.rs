//! Several indexes score as one of all documents, and an index that is not named changes nothing.

use super::{Library, birds, fish, scores};

const QUERIES: [&str; 4] = ["wing of a bird", "the sea", "fish", "metal song lights"];

#[test]
fn two_indexes_score_as_one_of_all_documents() {
    let library = Library::new();
    let (birds_only, fish_only) = (library.build(birds()), library.build(fish()));
    let all = library.build([birds(), fish()].concat());
    for query in QUERIES {
        let apart = library.search(&[("a", &birds_only), ("b", &fish_only)], query).hits;
        let together = library.search(&[("all", &all)], query).hits;
        assert!(!apart.is_empty(), "{query}");
        assert_eq!(scores(&apart), scores(&together), "{query}");
    }
}

#[test]
fn an_index_that_is_not_named_changes_nothing() {
    let library = Library::new();
    let birds_only = library.build(birds());
    let before: Vec<_> = QUERIES.map(|query| library.search(&[("a", &birds_only)], query).hits).into();
    let fish_only = library.build(fish());
    library.search(&[("a", &birds_only), ("b", &fish_only)], "wing");
    let after: Vec<_> = QUERIES.map(|query| library.search(&[("a", &birds_only)], query).hits).into();
    assert_eq!(before, after);
}

#[test]
fn the_order_of_documents_and_of_indexes_does_not_matter() {
    let library = Library::new();
    let (mut turned, straight) = (birds(), library.build(birds()));
    turned.reverse();
    let turned = library.build(turned);
    let fish_only = library.build(fish());
    for query in QUERIES {
        let mut one = library.search(&[("a", &straight)], query).hits;
        let mut other = library.search(&[("a", &turned)], query).hits;
        // Equal scores are in the order of passage numbers, which differ here.
        one.sort_by(|left, right| left.path.cmp(&right.path).then(left.score.total_cmp(&right.score)));
        other.sort_by(|left, right| left.path.cmp(&right.path).then(left.score.total_cmp(&right.score)));
        assert_eq!(scores(&one), scores(&other), "{query}");
        let forth = library.search(&[("a", &straight), ("b", &fish_only)], query).hits;
        let back = library.search(&[("b", &fish_only), ("a", &straight)], query).hits;
        assert_eq!(forth, back, "{query}");
    }
}
