//! The same advertisement on several boards: alike in title, employer, place and text, with nothing that contradicts.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use resume_profile_mcp::shared::{folded, is_country, is_state};

use crate::advert::Advert;
use crate::fields::{clean_title, place_of, seniority};

/// An advertisement to compare.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ListedJob {
    pub title: String,
    pub company: Option<String>,
    pub location: Option<String>,
    pub text: Option<String>,
    pub url: Option<String>,
}

/// Advertisements that are one, by their indexes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DuplicateGroup {
    pub jobs: Vec<usize>,
    /// The fields that they share.
    pub why: Vec<&'static str>,
}

/// A place is looked for to here.
const PLACE_BYTES_MAX: usize = 4 << 10;
/// Words of a text in one piece of comparison.
const SHINGLE_WORDS: usize = 4;
const SHINGLES_MAX: usize = 1_500;
/// Shares of the shorter text in the longer: the same, alike, different.
const SAME_TEXT: f64 = 0.75;
const ALIKE_TEXT: f64 = 0.35;
const OTHER_TEXT: f64 = 0.15;
/// A shorter text has too few pieces to tell.
const SHINGLES_MIN: usize = 8;
/// Share of words that two titles have in common.
const ALIKE_TITLE: f64 = 0.6;

/// Legal forms say nothing about who it is.
const FORMS: &str = " inc ltd llc llp plc corp corporation limited gmbh ag kg ohg ug se sa sas sarl srl spa bv nv ab oy aps co company the group gruppe holding und and amp ";
/// Words of titles that boards add.
const ADDED: &str = " remote hybrid onsite on site home office homeoffice full time part fulltime parttime vollzeit teilzeit new urgent hiring now job jobs m w d f x h all genders in the for at and und mwd fmd ";

/// Texts are compared without the marks of HTML.
static TAGS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<[^>]{0,300}>").expect("the pattern is fixed"));
/// Numbers of vacancies, as in `Ref: AB-1234`.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:ref(?:erence)?|job id|req(?:uisition)?|kennziffer|stellen-?id|vacancy)(?:\s?(?:no|nr|number|code|id))?\.?\s?[:#]?\s?([A-Z]{0,5}[-/]?\d[\w/-]{2,15})").expect("the pattern is fixed")
});

struct JobKeys {
    title: Vec<String>,
    level: Option<&'static str>,
    company: Vec<String>,
    place: Vec<String>,
    number: Option<String>,
    url: Option<String>,
    shingles: Vec<u64>,
}

/// Groups of two and more, in the order of their first.
pub fn find(jobs: &[ListedJob]) -> Vec<DuplicateGroup> {
    let keys: Vec<JobKeys> = jobs.iter().map(JobKeys::of).collect();
    let mut root: Vec<usize> = (0..jobs.len()).collect();
    let mut reasons: BTreeMap<usize, Vec<&'static str>> = BTreeMap::new();
    for later in 0..keys.len() {
        for earlier in 0..later {
            let Some(why) = same(&keys[earlier], &keys[later]) else { continue };
            let (one, other) = (root[earlier], root[later]);
            let (kept, gone) = (one.min(other), one.max(other));
            root.iter_mut().filter(|root| **root == gone).for_each(|root| *root = kept);
            let moved = if gone == kept { Vec::new() } else { reasons.remove(&gone).unwrap_or_default() };
            let reasons = reasons.entry(kept).or_default();
            reasons.extend(moved.into_iter().chain(why));
            reasons.sort_unstable();
            reasons.dedup();
        }
    }
    let group = |(first, why): (usize, Vec<&'static str>)| DuplicateGroup {
        jobs: (0..root.len()).filter(|at| root[*at] == first).collect(),
        why,
    };
    reasons.into_iter().map(group).collect()
}

/// The fields that two advertisements share if they are one.
fn same(one: &JobKeys, other: &JobKeys) -> Option<Vec<&'static str>> {
    if one.url.is_some() && one.url == other.url {
        return Some(vec!["url"]);
    }
    let title = share(&one.title, &other.title);
    let number = one.number.as_ref().zip(other.number.as_ref()).map(|(one, other)| one == other);
    let company = alike_names(&one.company, &other.company);
    let place = alike_places(&one.place, &other.place);
    let text = one.share_of_text(other);
    let levels_differ = one.level.is_some() && other.level.is_some() && one.level != other.level;
    if levels_differ || number == Some(false) || place == Some(false) || title < ALIKE_TITLE {
        return None;
    }
    let is_same_text = text.is_some_and(|share| share >= SAME_TEXT);
    let is_one = match company {
        // An agency advertises in its own name: then all of the text has to be the same.
        Some(false) => is_same_text && title >= 0.99,
        Some(true) => {
            text.is_none_or(|share| share >= ALIKE_TEXT)
                || number == Some(true)
                || (title >= 0.99 && place == Some(true) && text.is_some_and(|share| share >= OTHER_TEXT))
        }
        None => is_same_text || number == Some(true),
    };
    let shared = [
        ("title", true),
        ("company", company == Some(true)),
        ("place", place == Some(true)),
        ("text", text.is_some_and(|share| share >= ALIKE_TEXT)),
        ("number", number == Some(true)),
    ];
    is_one.then(|| shared.into_iter().filter(|(_, is_shared)| *is_shared).map(|(name, _)| name).collect())
}

impl JobKeys {
    fn of(job: &ListedJob) -> Self {
        let text = job.text.as_deref().map(|text| TAGS.replace_all(text, " ").into_owned());
        let number =
            text.as_deref().and_then(|text| NUMBER.captures(text)).map(|found| found[1].to_uppercase());
        let said = text.as_deref().filter(|_| job.location.is_none()).and_then(place_in);
        let place = job.location.as_deref().or(said.as_deref()).unwrap_or_default();
        Self {
            title: title_words(&job.title, place),
            level: seniority(&job.title),
            company: words(job.company.as_deref().unwrap_or_default(), FORMS),
            place: place_words(place),
            number,
            url: job.url.as_deref().map(bare_url),
            shingles: shingles(text.as_deref().unwrap_or_default()),
        }
    }

    /// The share of the shorter text in the longer.
    fn share_of_text(&self, other: &JobKeys) -> Option<f64> {
        let fewer = self.shingles.len().min(other.shingles.len());
        if fewer < SHINGLES_MIN {
            return None;
        }
        Some(common(&self.shingles, &other.shingles) as f64 / fewer as f64)
    }
}

/// The place that the beginning of a text names: a board without a field for it still shows it there.
fn place_in(text: &str) -> Option<String> {
    place_of(&Advert::read(&text[..text.floor_char_boundary(PLACE_BYTES_MAX)]))
}

/// Common entries of two sorted lists.
fn common(one: &[u64], other: &[u64]) -> usize {
    let (mut left, mut right, mut count) = (0, 0, 0);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                left += 1;
                right += 1;
            }
        }
    }
    count
}

fn words(text: &str, without: &str) -> Vec<String> {
    let folded = folded(text);
    let found = folded.split(|letter: char| !letter.is_alphanumeric() && !"+#".contains(letter));
    let mut words: Vec<String> = found
        .filter(|word| !word.is_empty() && !without.contains(&format!(" {word} ")))
        .map(|word| match word {
            "sr" => "senior".to_owned(),
            "jr" => "junior".to_owned(),
            "dev" => "developer".to_owned(),
            "eng" => "engineer".to_owned(),
            "mgr" => "manager".to_owned(),
            word => word.to_owned(),
        })
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The place is often part of a board's title.
fn title_words(title: &str, place: &str) -> Vec<String> {
    let place = words(place, "");
    let mut words = words(&clean_title(title), ADDED);
    words.retain(|word| !place.contains(word));
    words
}

/// Towns; a country only if there is nothing else.
fn place_words(place: &str) -> Vec<String> {
    let names: Vec<&str> =
        place.split([',', '/', '(', ')', '|']).map(str::trim).filter(|name| !name.is_empty()).collect();
    let town = |name: &&&str| !is_country(name) && !is_state(name) && name.chars().count() > 2;
    let towns: Vec<&str> = names.iter().filter(town).copied().collect();
    let kept = if towns.is_empty() { names } else { towns };
    let mut words =
        words(&kept.join(" "), " remote hybrid onsite on site greater area city metropolitan region ");
    words.retain(|word| !word.chars().all(|letter| letter.is_ascii_digit()));
    words
}

fn share(one: &[String], other: &[String]) -> f64 {
    let both = one.iter().filter(|word| other.contains(word)).count();
    let all = one.len() + other.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

/// None if one of them is unknown.
fn alike_names(one: &[String], other: &[String]) -> Option<bool> {
    if one.is_empty() || other.is_empty() {
        return None;
    }
    let contained = |few: &[String], many: &[String]| few.iter().all(|word| many.contains(word));
    Some(contained(one, other) || contained(other, one) || share(one, other) >= ALIKE_TITLE)
}

fn alike_places(one: &[String], other: &[String]) -> Option<bool> {
    if one.is_empty() || other.is_empty() {
        return None;
    }
    Some(one.iter().any(|word| other.contains(word)))
}

fn bare_url(url: &str) -> String {
    let bare = url.split(['?', '#']).next().unwrap_or(url);
    bare.trim_end_matches('/')
        .trim_start_matches("https://")
        .trim_start_matches("http://")
        .trim_start_matches("www.")
        .to_lowercase()
}

fn shingles(text: &str) -> Vec<u64> {
    let folded = folded(text);
    let words: Vec<&str> =
        folded.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found: Vec<u64> = words.windows(SHINGLE_WORDS).take(SHINGLES_MAX).map(hash).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// FNV-1a.
fn hash(words: &[&str]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([b' ']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;
