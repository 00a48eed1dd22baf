//! The pointers that a session may use: patterns over their namespaces and names.

use std::collections::BTreeSet;

use wildmatch::WildMatch;

use crate::pointer::is_own_namespace;

/// Stands between the namespace and the name in a pattern: `project/*:draft`.
const SEPARATOR: char = ':';
const EVERYTHING: &str = "*";

/// The pointers that a principal may use in a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointerReach<'a> {
    All,
    /// Those that fit one of these patterns.
    Mounted(&'a BTreeSet<String>),
}

impl PointerReach<'_> {
    /// True if there is anything that could be used.
    pub fn is_something(self) -> bool {
        match self {
            PointerReach::All => true,
            PointerReach::Mounted(patterns) => !patterns.is_empty(),
        }
    }

    /// True if this pointer may be used.
    pub fn covers(self, namespace: &str, name: &str) -> bool {
        self.has(namespace, |of_name| fits(of_name, name))
    }

    /// True if some pointer of this namespace may be used.
    pub fn enters(self, namespace: &str) -> bool {
        self.has(namespace, |_| true)
    }

    /// No mount leads to what the gateway keeps for itself, `*` included.
    fn has(self, namespace: &str, fits_name: impl Fn(&str) -> bool) -> bool {
        match self {
            PointerReach::All => true,
            PointerReach::Mounted(_) if is_own_namespace(namespace) => false,
            PointerReach::Mounted(patterns) => {
                let mut parts = patterns.iter().map(|one| parts(one));
                parts.any(|(of_namespace, of_name)| fits(of_namespace, namespace) && fits_name(of_name))
            }
        }
    }
}

/// True if everything that a pattern fits also fits one of these. Not every such pattern is recognised; one that is
/// recognised is always such a pattern.
pub fn is_within(pattern: &str, patterns: &BTreeSet<String>) -> bool {
    let (namespace, name) = parts(pattern);
    patterns.iter().any(|one| {
        let (of_namespace, of_name) = parts(one);
        is_part(namespace, of_namespace) && is_part(name, of_name)
    })
}

/// A star in the inner pattern stands for any text, so only a star of the outer one may take it.
fn is_part(inner: &str, outer: &str) -> bool {
    inner == outer || (!outer.contains('?') && fits(outer, inner))
}

/// A pattern without a name is about every name.
fn parts(pattern: &str) -> (&str, &str) {
    pattern.split_once(SEPARATOR).unwrap_or((pattern, EVERYTHING))
}

fn fits(pattern: &str, text: &str) -> bool {
    WildMatch::new(pattern).matches(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|one| (*one).to_owned()).collect()
    }

    #[test]
    fn a_pattern_is_about_a_namespace_and_may_name_pointers_in_it() {
        let mounted = patterns(&["project/*", "shared:hand*"]);
        let reach = PointerReach::Mounted(&mounted);
        assert!(reach.covers("project/a", "draft") && reach.covers("shared", "handbook"));
        assert!(!reach.covers("shared", "salaries") && !reach.covers("projects", "draft"));
        assert!(reach.enters("shared") && !reach.enters("other"));
        assert!(!PointerReach::Mounted(&BTreeSet::new()).enters("project/a"));
    }

    #[test]
    fn no_mount_leads_to_what_the_gateway_keeps_for_itself() {
        let mounted = patterns(&["*", "toolgate.index", "toolgate.*:a"]);
        let reach = PointerReach::Mounted(&mounted);
        assert!(!reach.covers("toolgate.index", "a") && !reach.enters("toolgate.index"));
        assert!(reach.covers("toolgate", "a") && PointerReach::All.covers("toolgate.index", "a"));
    }

    #[test]
    fn a_narrower_pattern_is_within_a_wider_one() {
        let wide = patterns(&["project/*", "shared:hand*"]);
        for inside in ["project/a", "project/a*", "project/*", "project/a:x", "shared:handbook"] {
            assert!(is_within(inside, &wide), "{inside}");
        }
        for outside in ["*", "pro*", "shared", "shared:*", "other", "project?a"] {
            assert!(!is_within(outside, &wide), "{outside}");
        }
        assert!(!is_within("a*", &patterns(&["a?"])) && !is_within("a", &BTreeSet::new()));
    }
}
