//! Names one after the other, as many as a number of tokens allows.

use crate::{plain, tokens};

/// `a, b and 3 more`: as many of the names as fit, in order. If not even one fits, their number.
pub(crate) fn names_within(names: &[&str], tokens_max: usize) -> String {
    let names: Vec<String> = names.iter().map(|name| plain::line(name)).collect();
    let mut left = tokens_max;
    let mut fitting = 0;
    for name in &names {
        let tokens = tokens::count(&format!(" {name},"));
        if tokens > left {
            break;
        }
        left -= tokens;
        fitting += 1;
    }
    // Each name was counted with its comma, so that all together cost no more unless words grow together.
    while fitting > 0 && tokens::count(&joined(&names, fitting)) > tokens_max {
        fitting -= 1;
    }
    joined(&names, fitting)
}

fn joined(names: &[String], fitting: usize) -> String {
    let told = names[..fitting].join(", ");
    match (fitting, names.len() - fitting) {
        (_, 0) => told,
        (0, more) => format!("{more} in all"),
        (_, more) => format!("{told} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_do_not_fit_are_counted() {
        let names = ["airtable", "github", "grafana", "slack"];
        assert_eq!(names_within(&names, 100), "airtable, github, grafana, slack");
        assert_eq!(names_within(&names, 8), "airtable, github and 2 more");
        assert_eq!(names_within(&names, 1), "4 in all");
        assert_eq!(names_within(&[], 10), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn names_stay_within_their_tokens(names in proptest::collection::vec("[a-z._-]{1,12}|\\PC{1,8}", 0..30), max in 4usize..120) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            prop_assert!(tokens::count(&names_within(&names, max)) <= max);
        }
    }
}
