//! Titles to occupations of ISCO-08, with the alternatives that come next.

use std::sync::LazyLock;

use resume_profile_mcp::shared::folded;

use crate::fields::{clean_title, seniority};

/// An occupation with its other names.
pub(crate) struct Occupation {
    /// The unit group of ISCO-08.
    pub(crate) isco: &'static str,
    pub(crate) name: &'static str,
    pub(crate) others: Vec<&'static str>,
    /// The words of every name, folded and sorted.
    words: Vec<Vec<String>>,
}

/// An occupation that a title may mean.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OccupationGuess {
    pub(crate) at: usize,
    /// The name that fits best.
    pub(crate) by: &'static str,
    /// 0 to 1.
    pub(crate) share: f64,
}

static OCCUPATIONS: LazyLock<Vec<Occupation>> = LazyLock::new(|| {
    let lines = include_str!("../data/occupations.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines
        .filter_map(|line| {
            let mut parts = line.split(" | ").map(str::trim);
            let (isco, name) = (parts.next()?, parts.next()?);
            let others: Vec<&'static str> = parts.collect();
            let words = [name].iter().chain(&others).map(|name| words(name)).collect();
            Some(Occupation { isco, name, others, words })
        })
        .collect()
});

/// Words that say how high or what kind, and not which occupation.
const LEVELS: &str = " senior junior lead principal staff mid level entry graduate trainee intern internship experienced sr jr ii iii iv assistant associate deputy chief working student werkstudent praktikant ";
/// Words that carry nothing.
const EMPTY: &str = " of and the for in de des du la le les et und der die das fur en a ";

/// Below this share a title is unknown.
const SHARE_MIN: f64 = 0.5;
/// Titles are cut here.
const TITLE_CHARS_MAX: usize = 200;

pub(crate) fn all() -> &'static [Occupation] {
    &OCCUPATIONS
}

fn words(text: &str) -> Vec<String> {
    let folded = folded(text).replace(['\'', '’'], " ");
    let found = folded.split(|letter: char| !letter.is_alphanumeric() && !"+#&".contains(letter));
    let mut words: Vec<String> = found
        .filter(|word| !word.is_empty() && !EMPTY.contains(&format!(" {word} ")))
        .map(str::to_owned)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The title without genders, and the level it names.
pub(crate) fn cleaned(title: &str) -> (String, Option<&'static str>) {
    let cut: String = title.chars().take(TITLE_CHARS_MAX).collect();
    let bare = cut.split(" - ").next().unwrap_or(&cut).split(" | ").next().unwrap_or(&cut);
    let clean = clean_title(bare);
    let level = seniority(&clean);
    (clean, level)
}

/// The occupations that a title may mean, best first.
pub(crate) fn guesses(title: &str) -> Vec<OccupationGuess> {
    let (clean, _) = cleaned(title);
    let all_words = words(&clean);
    let mut core = all_words.clone();
    core.retain(|word| !LEVELS.contains(&format!(" {word} ")));
    let mut found: Vec<OccupationGuess> = OCCUPATIONS
        .iter()
        .enumerate()
        .filter_map(|(at, occupation)| {
            let names = [occupation.name].into_iter().chain(occupation.others.iter().copied());
            let best = names
                .zip(&occupation.words)
                .map(|(name, words)| (share(&all_words, words).max(share(&core, words)), name))
                .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
            (best.0 >= SHARE_MIN).then_some(OccupationGuess { at, by: best.1, share: best.0 })
        })
        .collect();
    found.sort_by(|one, other| other.share.total_cmp(&one.share));
    found
}

/// The last word of a name is its head: `java software developer` is a developer.
fn share(title: &[String], name: &[String]) -> f64 {
    if title.is_empty() || name.is_empty() {
        return 0.0;
    }
    let both = name.iter().filter(|word| title.contains(word)).count();
    let of_name = both as f64 / name.len() as f64;
    let of_title = both as f64 / title.len() as f64;
    if both == 0 { 0.0 } else { 2.0 * of_name * of_title / (of_name + of_title) }
}

#[cfg(test)]
mod tests;
