//! One search for everything: an id leads to its page; words find tools, servers, agents, tasks, runs and pages of the documentation.

use axum::Router;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use futures_util::future::join_all;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::PageContext;
use crate::address::PageAddress;
use crate::docs;
use crate::layout::ConsolePage;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const HITS_MAX: usize = 8;
const WORDS_MAX: usize = 8;
/// The part of each list that is looked through: its page has all of it.
const LIST_MAX: usize = 500;
const DIGEST: &str = "sha256:";

pub(super) fn routes() -> Router<PageContext> {
    Router::new().route("/console/search", get(show))
}

#[derive(Deserialize)]
struct FindQuery {
    #[serde(default)]
    q: String,
}

/// A list of the API in which names are looked for.
struct SearchedList {
    title: &'static str,
    route: &'static [&'static str],
    /// The member of the answer that has the entries.
    entries: &'static str,
    /// Members that are read, the first of which is shown.
    words: &'static [&'static str],
    /// The member that is the last part of the page's address.
    key: &'static str,
    page: &'static str,
}

const PLACES: [SearchedList; 12] = [
    SearchedList {
        title: "Tools",
        route: &["registry", "tools"],
        entries: "tools",
        words: &["name", "summary"],
        key: "name",
        page: "tools",
    },
    SearchedList {
        title: "Servers",
        route: &["servers"],
        entries: "servers",
        words: &["name"],
        key: "name",
        page: "servers",
    },
    SearchedList {
        title: "Agents",
        route: &["agents"],
        entries: "agents",
        words: &["name", "description"],
        key: "name",
        page: "agents",
    },
    SearchedList {
        title: "Tasks",
        route: &["tasks"],
        entries: "tasks",
        words: &["name", "description"],
        key: "id",
        page: "tasks",
    },
    SearchedList {
        title: "Automations",
        route: &["automations"],
        entries: "automations",
        words: &["name"],
        key: "name",
        page: "automations",
    },
    SearchedList {
        title: "Runs",
        route: &["runs"],
        entries: "runs",
        words: &["summary", "agent", "principal", "id"],
        key: "id",
        page: "runs",
    },
    SearchedList {
        title: "Models",
        route: &["models"],
        entries: "models",
        words: &["name", "model"],
        key: "name",
        page: "models",
    },
    SearchedList {
        title: "Connectors",
        route: &["connectors"],
        entries: "connectors",
        words: &["name", "provider"],
        key: "name",
        page: "connectors",
    },
    SearchedList {
        title: "Claims",
        route: &["claims"],
        entries: "claims",
        words: &["statement", "id"],
        key: "id",
        page: "claims",
    },
    SearchedList {
        title: "Pointers",
        route: &["pointers"],
        entries: "pointers",
        words: &["name", "namespace"],
        key: "id",
        page: "pointers",
    },
    SearchedList {
        title: "Knowledge bases",
        route: &["knowledge-bases"],
        entries: "knowledge_bases",
        words: &["name", "description"],
        key: "id",
        page: "knowledge",
    },
    SearchedList {
        title: "Schemas",
        route: &["schemas"],
        entries: "schemas",
        words: &["name", "description"],
        key: "id",
        page: "schemas",
    },
];

struct SearchedEntry {
    shown: String,
    more: Option<String>,
    address: PageAddress,
}

async fn show(visit: PageVisit, Query(query): Query<FindQuery>) -> PageResult<Response> {
    let asked = query.q.trim();
    if let Some(place) = place_of(asked) {
        return Ok(Redirect::to(place.as_str()).into_response());
    }
    let lower = asked.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().take(WORDS_MAX).collect();
    let found = if words.is_empty() {
        Vec::new()
    } else {
        join_all(PLACES.iter().map(|place| place.find(&visit, &words))).await
    };
    let found: Vec<(&SearchedList, Vec<SearchedEntry>)> =
        PLACES.iter().zip(found).filter(|(_, hits)| !hits.is_empty()).collect();
    let pages = docs::search::find(asked, HITS_MAX);
    let nothing = found.is_empty() && pages.is_empty();
    let body = html! {
        (parts::heading(html! { "Search" }, html! {}))
        (form(asked))
        @if asked.is_empty() {
            p.help { "An id, such as " code { "tc_…" } " or " code { "run_…" } ", opens its page. Words search all names and the documentation." }
        } @else {
            @for (place, hits) in &found { (section(place, hits)) }
            @if !pages.is_empty() { section.card { h2 { "Documentation" } (docs::hit_list(&pages)) } }
            @if nothing { (parts::empty("Nothing matches all of these words.", html! { p { "Try fewer words." } })) }
            @if visit.audits() {
                p { a href=(PageAddress::of(["console", "calls"]).with("q", asked)) { "Search calls for “" (text::short(asked)) "”" } ": tools, callers, arguments and errors" }
            }
        }
    };
    Ok(visit.page("Search", ConsolePage::Search, body).await)
}

/// The page of an id.
fn place_of(asked: &str) -> Option<PageAddress> {
    let is_digest = |digits: &str| digits.len() == 64 && digits.bytes().all(|one| one.is_ascii_hexdigit());
    match asked.strip_prefix(DIGEST) {
        Some(digits) => is_digest(digits).then(|| PageAddress::of(["console", "artifacts", asked])),
        None => links::place_of(asked),
    }
}

impl SearchedList {
    /// A list that this visitor may not see, or that does not answer, has nothing.
    async fn find(&self, visit: &PageVisit, words: &[&str]) -> Vec<SearchedEntry> {
        let address = match *self.route {
            [first, second] => PageAddress::of([first, second]),
            [only] => PageAddress::of([only]),
            _ => return Vec::new(),
        };
        let address = if self.is_paged() { address.with("limit", LIST_MAX) } else { address };
        let answer: Value = match visit.find(address).await {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => return Vec::new(),
        };
        let entries = answer[self.entries].as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().filter_map(|entry| self.hit(entry, words)).take(HITS_MAX).collect()
    }

    fn is_paged(&self) -> bool {
        !matches!(self.page, "servers" | "agents" | "models" | "connectors")
    }

    fn hit(&self, entry: &Value, words: &[&str]) -> Option<SearchedEntry> {
        let texts: Vec<&str> = self.words.iter().filter_map(|word| entry[*word].as_str()).collect();
        let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        if !words.iter().all(|word| lower.iter().any(|text| text.contains(word))) {
            return None;
        }
        let key = entry[self.key].as_str()?;
        let shown = texts.first().copied().filter(|shown| !shown.is_empty()).unwrap_or(key);
        let more = texts.get(1).copied().filter(|more| !more.is_empty()).map(str::to_owned);
        Some(SearchedEntry {
            shown: shown.to_owned(),
            more,
            address: PageAddress::of(["console", self.page, key]),
        })
    }
}

fn section(place: &SearchedList, hits: &[SearchedEntry]) -> Markup {
    html! {
        section.card {
            h2 { (place.title) }
            ul.hits {
                @for hit in hits {
                    li {
                        a href=(hit.address) { (text::cut(&hit.shown, 140)) }
                        @if let Some(more) = &hit.more { p.help { (text::cut(more, 200)) } }
                    }
                }
            }
            @if hits.len() == HITS_MAX { p { a href=(PageAddress::of(["console", place.page])) { "All of them" } } }
        }
    }
}

fn form(asked: &str) -> Markup {
    html! {
        form.card method="get" action="/console/search" role="search" aria-label="Search everything" {
            div.row {
                div.field.grow {
                    label for="everything" { "Search everything" }
                    input #everything type="search" name="q" value=(asked) data-search autofocus[asked.is_empty()] placeholder="a name, words, or an id";
                }
                button.button type="submit" { "Search" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(entry: &Value, words: &[&str]) -> Option<(String, String)> {
        PLACES[0].hit(entry, words).map(|hit| (hit.shown, hit.address.to_string()))
    }

    #[test]
    fn all_words_must_stand_in_an_entry() {
        let entry = serde_json::json!({ "name": "bank:transfer", "summary": "Moves money" });
        assert_eq!(
            hit(&entry, &["money", "bank"]),
            Some(("bank:transfer".into(), "/console/tools/bank%3Atransfer".into()))
        );
        assert_eq!(hit(&entry, &["money", "weather"]), None);
        assert_eq!(
            hit(&serde_json::json!({ "summary": "Moves money" }), &["money"]),
            None,
            "without a name there is no page"
        );
    }

    #[test]
    fn an_id_leads_to_its_page() {
        let digest = format!("{DIGEST}{}", "a".repeat(64));
        let place = |asked: &str| place_of(asked).map(|place| place.to_string());
        assert_eq!(place("tc_01").as_deref(), Some("/console/calls/tc_01"));
        assert!(place(&digest).is_some_and(|place| place.starts_with("/console/artifacts/")));
        assert_eq!((place("sha256:zz"), place("transfer money")), (None, None));
    }
}
