//! The dialects. Each has its words for and, or, not and phrases, and its limits; synonyms are dropped until a query fits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tree::SearchTree;

/// The place that the query is typed into.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SearchDialect {
    Linkedin,
    Indeed,
    /// Google, over the pages of boards and of applicant systems.
    Google,
    Bing,
    Monster,
    Stepstone,
    Xing,
    Glassdoor,
    /// Boards without operators: the most telling words.
    Plain,
}

/// The grounds on which a dialect is written as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DialectGrounds {
    /// The board's own help describes its operators.
    Documented,
    /// Its operators are described for another search of the same board.
    DocumentedInPart,
    /// Nothing that it says of operators is known here, so the query has words and one phrase alone.
    Undocumented,
}

impl SearchDialect {
    pub(crate) const ALL: [SearchDialect; 9] = [
        SearchDialect::Linkedin,
        SearchDialect::Indeed,
        SearchDialect::Google,
        SearchDialect::Bing,
        SearchDialect::Monster,
        SearchDialect::Stepstone,
        SearchDialect::Xing,
        SearchDialect::Glassdoor,
        SearchDialect::Plain,
    ];

    /// Whence it is known, and the page that says so.
    fn grounds(self) -> (DialectGrounds, Option<&'static str>) {
        use DialectGrounds::{Documented, DocumentedInPart, Undocumented};
        match self {
            SearchDialect::Linkedin => (Documented, Some("LinkedIn Help: Boolean search")),
            SearchDialect::Indeed => (Documented, Some("Indeed: advanced job search")),
            SearchDialect::Google => (Documented, Some("Google Search Help: refine searches")),
            SearchDialect::Bing => (Documented, Some("Bing: advanced search keywords")),
            SearchDialect::Monster => {
                (DocumentedInPart, Some("Monster: Boolean best practices, for its search of resumes"))
            }
            SearchDialect::Stepstone | SearchDialect::Xing | SearchDialect::Glassdoor => (Undocumented, None),
            SearchDialect::Plain => (Undocumented, None),
        }
    }

    /// True if the board has a field of its own for the place.
    fn has_place(self) -> bool {
        !matches!(self, SearchDialect::Google | SearchDialect::Bing)
    }

    /// True if its words cannot be excluded.
    fn is_plain(self) -> bool {
        use SearchDialect::{Glassdoor, Plain, Stepstone, Xing};
        matches!(self, Stepstone | Xing | Glassdoor | Plain)
    }

    /// The longest query, in characters and in words.
    fn limits(self) -> (usize, usize) {
        match self {
            SearchDialect::Linkedin => (1_000, 200),
            SearchDialect::Indeed => (512, 100),
            SearchDialect::Google => (2_048, 32),
            SearchDialect::Bing => (1_500, 100),
            SearchDialect::Monster => (500, 60),
            SearchDialect::Stepstone
            | SearchDialect::Xing
            | SearchDialect::Glassdoor
            | SearchDialect::Plain => (120, 12),
        }
    }
}

/// A query to type in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(crate) struct WrittenQuery {
    pub(crate) dialect: SearchDialect,
    pub(crate) query: String,
    pub(crate) known_by: DialectGrounds,
    /// The page that describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<&'static str>,
    /// Given apart if the board has a field of its own for the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) location: Option<String>,
    /// Terms that were left out to fit, and filters to set beside the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// Pages of boards and applicant systems that search engines know.
const SITES: [&str; 4] = ["linkedin.com/jobs", "boards.greenhouse.io", "jobs.lever.co", "myworkdayjobs.com"];

pub(crate) fn write(tree: &SearchTree, dialect: SearchDialect) -> WrittenQuery {
    let (chars_max, words_max) = dialect.limits();
    let mut tree = tree.clone();
    let mut dropped = Vec::new();
    loop {
        let query = text(&tree, dialect);
        let fits = query.chars().count() <= chars_max && words(&query) <= words_max;
        if fits || !drop_one(&mut tree, &mut dropped) {
            return written(&tree, dialect, query, fits, &dropped);
        }
    }
}

/// Operators are no words.
fn words(query: &str) -> usize {
    query.split_whitespace().filter(|word| !matches!(*word, "OR" | "AND" | "NOT" | "or")).count()
}

/// Takes away the last synonym of the largest group, then whole groups from the end.
fn drop_one(tree: &mut SearchTree, dropped: &mut Vec<String>) -> bool {
    let groups = std::iter::once(&mut tree.title).chain(tree.all.iter_mut());
    let largest = groups.max_by_key(|group| group.len()).filter(|group| group.len() > 1);
    let gone = match largest {
        Some(group) => group.pop(),
        None => tree.all.pop().and_then(|mut group| group.pop()).or_else(|| tree.not.pop()),
    };
    dropped.extend(gone.clone());
    gone.is_some()
}

fn written(
    tree: &SearchTree,
    dialect: SearchDialect,
    query: String,
    fits: bool,
    dropped: &[String],
) -> WrittenQuery {
    let mut notes = Vec::new();
    if !dropped.is_empty() {
        notes.push(format!("left out to fit the limit: {}", dropped.join(", ")));
    }
    if !fits {
        notes.push("still longer than the limit; shorten the title".to_owned());
    }
    if dialect.is_plain() && !tree.not.is_empty() {
        notes.push("plain search cannot exclude words".to_owned());
    }
    if tree.remote && !dialect.is_plain() && dialect.has_place() {
        notes.push("set the filter for remote work".to_owned());
    }
    let (known_by, source) = dialect.grounds();
    let location = tree.location.clone().filter(|_| dialect.has_place());
    WrittenQuery { dialect, query, known_by, source, location, notes }
}

fn text(tree: &SearchTree, dialect: SearchDialect) -> String {
    match dialect {
        SearchDialect::Linkedin | SearchDialect::Monster => boolean(tree),
        SearchDialect::Indeed => indeed(tree),
        SearchDialect::Google | SearchDialect::Bing => engine(tree, " OR "),
        SearchDialect::Stepstone | SearchDialect::Xing | SearchDialect::Glassdoor | SearchDialect::Plain => {
            plain(tree)
        }
    }
}

/// Words with blanks or marks are phrases. A quote within would end one.
fn phrase(term: &str) -> String {
    let term = term.replace(['"', '“', '”'], "");
    let term = term.split_whitespace().collect::<Vec<_>>().join(" ");
    if term.chars().all(char::is_alphanumeric) { term } else { format!("\"{term}\"") }
}

fn group(terms: &[String], or: &str) -> String {
    let phrases: Vec<String> = terms.iter().map(|term| phrase(term)).collect();
    match phrases.as_slice() {
        [one] => one.clone(),
        _ => format!("({})", phrases.join(or)),
    }
}

fn groups(tree: &SearchTree) -> impl Iterator<Item = &Vec<String>> {
    std::iter::once(&tree.title).chain(&tree.all).filter(|group| !group.is_empty())
}

fn boolean(tree: &SearchTree) -> String {
    let wanted: Vec<String> = groups(tree).map(|terms| group(terms, " OR ")).collect();
    let unwanted = tree.not.iter().map(|term| format!(" NOT {}", phrase(term)));
    wanted.join(" AND ") + &unwanted.collect::<String>()
}

fn indeed(tree: &SearchTree) -> String {
    let mut parts = Vec::new();
    if !tree.title.is_empty() {
        let names: Vec<String> = tree.title.iter().map(|term| phrase(term)).collect();
        parts.push(format!("title:({})", names.join(" or ")));
    }
    parts.extend(tree.all.iter().filter(|terms| !terms.is_empty()).map(|terms| group(terms, " or ")));
    parts.extend(tree.not.iter().map(|term| format!("-{}", phrase(term))));
    parts.join(" ")
}

fn engine(tree: &SearchTree, or: &str) -> String {
    let sites: Vec<String> = SITES.iter().map(|site| format!("site:{site}")).collect();
    let mut parts = vec![format!("({})", sites.join(or))];
    parts.extend(groups(tree).map(|terms| group(terms, or)));
    parts.extend(tree.location.iter().map(|place| phrase(place)));
    if tree.remote {
        parts.push("remote".to_owned());
    }
    parts.extend(tree.not.iter().map(|term| format!("-{}", phrase(term))));
    parts.join(" ")
}

fn plain(tree: &SearchTree) -> String {
    let mut parts: Vec<&str> = groups(tree).filter_map(|terms| terms.first().map(String::as_str)).collect();
    if tree.remote {
        parts.push("remote");
    }
    parts.join(" ")
}
