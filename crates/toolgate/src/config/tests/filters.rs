//! `[[filters]]`.

use toolgate_pipeline::filter::{FilterAction, FilteredTraffic};

use super::{accepted, refused};

const LEAST: &str = "[[filters]]\nname = \"no cards\"\n";

#[test]
fn a_filter_that_says_little_concerns_every_tool_and_both_ways() {
    let filters = accepted(&format!("{LEAST}kinds = [\"card\", \"secrets\"]\naction = \"block\"\n")).filters;
    let [filter] = &filters[..] else { panic!("one filter: {filters:?}") };
    assert_eq!((filter.on, filter.action), (FilteredTraffic::Both, FilterAction::Block));
    assert_eq!((filter.tools.as_slice(), filter.kinds.len()), (&["*".to_owned()][..], 2));
    let asks = accepted(&format!("{LEAST}kinds = [\"card\"]\naction = \"ask\"\n")).filters;
    assert_eq!(asks[0].on, FilteredTraffic::Arguments, "people are asked before a call runs");
}

#[test]
fn what_is_wrong_with_a_filter_is_told_with_its_name() {
    for (lines, expected) in [
        ("action = \"mask\"", "filter \"no cards\" looks for nothing"),
        ("kinds = [\"card\"]", "filter \"no cards\" has no `action`"),
        ("kinds = [\"card\"]\naction = \"hide\"", "cannot be \"hide\""),
        ("kinds = [\"cards\"]\naction = \"mask\"", "did you mean `card`?"),
        ("match = '(a'\naction = \"mask\"", "`match` in filter \"no cards\" is not an expression"),
        ("match = '(?=a)b'\naction = \"mask\"", "look-around"),
        ("match = 'a*'\naction = \"mask\"", "matches the empty text"),
        ("match = '\\w{5000}'\naction = \"mask\"", "KiB"),
        (
            "kinds = [\"card\"]\naction = \"ask\"\non = \"both\"",
            "filter \"no cards\" asks people about results",
        ),
        (
            "kinds = [\"card\"]\naction = \"ask\"\non = \"results\"",
            "a gate of policy asks before the call runs",
        ),
        ("kinds = [\"card\"]\naction = \"mask\"\napprovers = [\"a\"]", "does not ask"),
        ("kinds = [\"card\"]\naction = \"mask\"\ntools = [\"transfer\"]", "is not a canonical name"),
        ("kinds = [\"card\"]\naction = \"mask\"\ntools = []", "fits no tool"),
    ] {
        let told = refused(&format!("{LEAST}{lines}\n"));
        assert!(told.contains(expected) && told.contains("hint: "), "{lines}: {told}");
    }
    let nameless = refused("[[filters]]\nkinds = [\"card\"]\naction = \"mask\"\n");
    assert!(nameless.contains("has no `name`"), "{nameless}");
    let twice = refused(&format!("{LEAST}kinds = [\"card\"]\naction = \"mask\"\n").repeat(2));
    assert!(twice.contains("two filters are named \"no cards\""), "{twice}");
    let odd = refused("[[filters]]\nname = \"a]b\"\nkinds = [\"card\"]\naction = \"mask\"\n");
    assert!(odd.contains("cannot be \"a]b\""), "{odd}");
}
