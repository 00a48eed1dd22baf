//! The names by which postings are found to be one job: a host with its id of the posting, and the words of the advertisement.
//!
//! Two boards have two ids for one advertisement and the same words. One board has two ids for two vacancies, also where their words
//! are the same: the importing code looks at the hosts.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use url::Url;

/// Parameters that name a posting, the most telling first.
const ID_PARAMETERS: [&str; 16] = [
    "jk",
    "vjk",
    "gh_jid",
    "currentjobid",
    "jobid",
    "job_id",
    "vacancyid",
    "vacancy_id",
    "postingid",
    "posting_id",
    "requisitionid",
    "reqid",
    "jid",
    "job",
    "vacancy",
    "id",
];
/// The last part of a path that leads to the form of a posting, not to another posting.
const FORM_WORDS: [&str; 6] = ["apply", "application", "applications", "bewerben", "form", "start"];
/// Endings of company names that say nothing about the company.
const LEGAL_FORMS: [&str; 22] = [
    "inc",
    "incorporated",
    "ltd",
    "limited",
    "llc",
    "llp",
    "gmbh",
    "mbh",
    "ag",
    "kg",
    "se",
    "corp",
    "corporation",
    "co",
    "plc",
    "sa",
    "sas",
    "sarl",
    "bv",
    "nv",
    "srl",
    "spa",
];
/// An id of fewer characters is one of the site's section, not of the whole host.
const OWN_ID_CHARS: usize = 6;
/// Digits that make an id of the end of a part, as in `welder-48213`.
const ENDING_DIGITS: usize = 4;
/// Longer ids and words are cut: keys are in indexes.
const ID_CHARS_MAX: usize = 120;
const WORDS_CHARS_MAX: usize = 120;

/// What a key is made of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyFacts {
    pub url: Option<Url>,
    /// The posting's own id, where its data have one.
    pub identifier: Option<String>,
    pub title: String,
    pub company: String,
    pub place: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobKey {
    pub key: String,
    /// Empty for the words of the advertisement.
    pub host: String,
}

/// All keys of a posting, the canonical one first. Empty if nothing tells it from others.
pub fn keys(facts: &KeyFacts) -> Vec<JobKey> {
    let by_id = facts.url.as_ref().and_then(|url| by_id(url, facts.identifier.as_deref()));
    let by_words = by_words(facts);
    if by_id.is_none() && by_words.is_none() {
        return facts.url.as_ref().and_then(by_address).into_iter().collect();
    }
    by_id.into_iter().chain(by_words).collect()
}

fn by_id(url: &Url, identifier: Option<&str>) -> Option<JobKey> {
    let host = host(url)?;
    let own = identifier.map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned);
    let id = id_in_query(url).or_else(|| id_in_path(url)).or(own)?;
    let id: String = id.chars().take(ID_CHARS_MAX).collect();
    Some(JobKey { key: format!("id:{host}:{id}"), host })
}

fn by_address(url: &Url) -> Option<JobKey> {
    let host = host(url)?;
    let path: String = url.path().trim_matches('/').chars().take(ID_CHARS_MAX).collect();
    (!path.is_empty()).then(|| JobKey { key: format!("at:{host}/{path}"), host })
}

fn by_words(facts: &KeyFacts) -> Option<JobKey> {
    let (company, title) = (company(&facts.company), plain(&without_genders(&facts.title)));
    if company.is_empty() || title.is_empty() {
        return None;
    }
    let town = facts.place.split(',').next().unwrap_or_default();
    let words =
        [company, title, plain(town)].map(|part| part.chars().take(WORDS_CHARS_MAX).collect::<String>());
    Some(JobKey { key: format!("ad:{}", words.join("|")), host: String::new() })
}

/// The host as boards write it or not, with a port that is not the usual one.
fn host(url: &Url) -> Option<String> {
    let host = url.host_str()?.to_ascii_lowercase();
    let host = ["www.", "m."].iter().find_map(|prefix| host.strip_prefix(prefix)).unwrap_or(&host).to_owned();
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

fn id_in_query(url: &Url) -> Option<String> {
    ID_PARAMETERS.iter().find_map(|wanted| {
        let mut pairs = url.query_pairs();
        let (_, value) =
            pairs.find(|(name, value)| name.eq_ignore_ascii_case(wanted) && !value.trim().is_empty())?;
        Some(value.trim().to_owned())
    })
}

fn id_in_path(url: &Url) -> Option<String> {
    let mut parts: Vec<&str> = url.path_segments()?.filter(|part| !part.is_empty()).collect();
    while parts.last().is_some_and(|last| FORM_WORDS.contains(&last.to_ascii_lowercase().as_str())) {
        parts.pop();
    }
    let last = parts.pop()?;
    let last = last.strip_suffix(".html").unwrap_or(last);
    let id = id_of(last)?;
    // A short number counts within its section.
    let section = if id.len() < OWN_ID_CHARS { parts.join("/") + "/" } else { String::new() };
    Some(format!("{section}{id}"))
}

/// The id that a part of a path is, or ends in.
fn id_of(part: &str) -> Option<&str> {
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    if uuid::Uuid::try_parse(part).is_ok() || digits(part) == part.len() {
        return Some(part);
    }
    let ending = part.rsplit(['-', '_', '.']).next().unwrap_or(part);
    let is_plain = ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_plain && digits(ending) >= ENDING_DIGITS).then_some(ending)
}

fn company(name: &str) -> String {
    let plain = plain(name);
    let mut words: Vec<&str> = plain.split(' ').collect();
    while words.len() > 1 && words.last().is_some_and(|last| LEGAL_FORMS.contains(last)) {
        words.pop();
    }
    words.join(" ")
}

/// A title without marks such as `(m/f/d)`.
fn without_genders(title: &str) -> String {
    let mut kept = String::with_capacity(title.len());
    let mut rest = title;
    while let Some((before, after)) = rest.split_once('(') {
        kept.push_str(before);
        let Some((inner, behind)) = after.split_once(')') else {
            kept.push_str(after);
            return kept;
        };
        let is_mark = plain(inner).split(' ').all(|word| word.chars().count() <= 1);
        kept.push_str(if is_mark { " " } else { inner });
        kept.push(' ');
        rest = behind;
    }
    kept + rest
}

/// Lower case, without accents and signs, one space between words.
pub fn plain(text: &str) -> String {
    let folded = text.nfkd().filter(|one| !is_combining_mark(*one)).flat_map(char::to_lowercase);
    let spaced: String = folded.map(|one| if one.is_alphanumeric() { one } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
