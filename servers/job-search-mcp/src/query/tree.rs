//! The tree: groups of words of which one is enough, all groups together, and words that must not be there.

use resume_profile_mcp::shared;
use schemars::JsonSchema;
use serde::Serialize;

use crate::occupation;

/// The wish of a searcher.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct QueryWish {
    pub(crate) title: Option<String>,
    /// Each must be there.
    pub(crate) must: Vec<String>,
    /// One of them is enough.
    pub(crate) any: Vec<String>,
    pub(crate) not: Vec<String>,
    pub(crate) location: Option<String>,
    pub(crate) remote: bool,
    /// At most this many names for one thing.
    pub(crate) synonyms_max: usize,
}

/// All groups must be met, each by one of its terms.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct SearchTree {
    /// Names of the occupation; one is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) title: Vec<String>,
    /// For each group, one term is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) all: Vec<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) not: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) location: Option<String>,
    pub(crate) remote: bool,
}

/// The tree of a wish, and the reasons of every added word.
pub(crate) fn plan(wish: &QueryWish) -> (SearchTree, Vec<String>) {
    let mut why = Vec::new();
    let title =
        wish.title.as_deref().map(|title| titles(title, wish.synonyms_max, &mut why)).unwrap_or_default();
    let mut all: Vec<Vec<String>> =
        wish.must.iter().map(|skill| names(skill, wish.synonyms_max, &mut why)).collect();
    if !wish.any.is_empty() {
        let mut group = Vec::new();
        for term in wish.any.iter().flat_map(|skill| names(skill, wish.synonyms_max, &mut why)) {
            push(&mut group, &term);
        }
        all.push(group);
    }
    let tree = SearchTree {
        title,
        all,
        not: wish.not.clone(),
        location: wish.location.clone(),
        remote: wish.remote,
    };
    (tree, why)
}

fn push(group: &mut Vec<String>, term: &str) {
    if !group.iter().any(|other| other.eq_ignore_ascii_case(term)) {
        group.push(term.to_owned());
    }
}

fn titles(title: &str, most: usize, why: &mut Vec<String>) -> Vec<String> {
    let (clean, level) = occupation::cleaned(title);
    let mut group = vec![clean.clone()];
    let Some(guess) = occupation::guesses(title).into_iter().next() else { return group };
    let occupation = &occupation::all()[guess.at];
    let level_word =
        level.and_then(|level| clean.split_whitespace().find(|word| word.to_lowercase().starts_with(level)));
    let english = [occupation.name].into_iter().chain(occupation.others.iter().copied());
    let mut added = Vec::new();
    for name in english.filter(|name| name.is_ascii() && name.len() > 3) {
        if group.len() >= most {
            break;
        }
        let written = match level_word {
            Some(level) => format!("{level} {name}"),
            None => name.to_owned(),
        };
        let before = group.len();
        push(&mut group, &written);
        if group.len() > before {
            added.push(name);
        }
    }
    if !added.is_empty() {
        why.push(format!(
            "{}: other names of {:?} (ISCO-08 {})",
            added.join(", "),
            occupation.name,
            occupation.isco
        ));
    }
    group
}

fn names(skill: &str, most: usize, why: &mut Vec<String>) -> Vec<String> {
    let mut group = vec![skill.trim().to_owned()];
    let Some(known) = shared::skill_name(skill) else { return group };
    let others = shared::names_of_skill(known);
    for name in [known].into_iter().chain(others).take(most) {
        push(&mut group, name);
    }
    group.truncate(most.max(1));
    if group.len() > 1 {
        why.push(format!("{}: other names of {known}", group[1..].join(", ")));
    }
    group
}
