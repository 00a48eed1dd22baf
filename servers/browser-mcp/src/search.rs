//! The engine that an operator configured: an API that answers in JSON, or a page.

use std::time::Duration;

use capability_kit::{Outgoing, Trouble, environment};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use url::Url;

use crate::options::{SearchForm, SearchOptions};

const LIMIT: Duration = Duration::from_secs(15);
/// Levels of an answer that are looked into for its list.
const DEPTH_MAX: usize = 6;
const QUERY_CHARS_MAX: usize = 400;

/// Names under which engines give the parts of a result.
const ADDRESSES: [&str; 3] = ["url", "link", "href"];
const TITLES: [&str; 2] = ["title", "name"];
const TEXTS: [&str; 5] = ["snippet", "description", "content", "text", "body"];

pub(crate) struct SearchEngine {
    template: String,
    pub(crate) form: SearchForm,
    /// The variable with the key, and the header that takes it.
    key: Option<(String, Option<String>)>,
}

/// One result of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SearchHit {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) text: String,
}

impl SearchEngine {
    pub(crate) fn of(options: &SearchOptions) -> Option<Self> {
        let key =
            options.search_key_env.clone().map(|variable| (variable, options.search_key_header.clone()));
        Some(Self { template: options.search_url.clone()?, form: options.search_form, key })
    }

    pub(crate) fn address(&self, query: &str) -> Result<Url, Trouble> {
        if query.trim().is_empty() || query.chars().count() > QUERY_CHARS_MAX {
            return Err(Trouble::bad_arguments("the query is empty or too long")
                .hint(format!("give 1 to {QUERY_CHARS_MAX} characters")));
        }
        let query = utf8_percent_encode(query.trim(), NON_ALPHANUMERIC).to_string();
        Url::parse(&self.template.replace("{query}", &query))
            .map_err(|_| Trouble::internal("the address of the search engine is not an address"))
    }

    /// The results of an API.
    pub(crate) async fn ask(&self, query: &str) -> Result<Vec<SearchHit>, Trouble> {
        let away = |why: String| {
            Trouble::unavailable(format!("the search engine failed: {why}"))
                .hint("try again later, or navigate to a page that you know")
        };
        let outgoing = Outgoing::new(&self.address(query)?, None, None, LIMIT);
        let outgoing = outgoing.map_err(|error| away(error.to_string()))?;
        let header = self.header()?;
        let header = header.as_ref().map(|(name, value)| (name.as_str(), value.as_str()));
        let answer = outgoing.get(header).await.map_err(|error| away(error.to_string()))?;
        let status = answer.status();
        if !status.is_success() {
            return Err(away(format!("it answered with status {}", status.as_u16())));
        }
        let body = answer.into_body().map_err(|error| away(error.to_string()))?;
        let body: Value =
            serde_json::from_slice(&body).map_err(|_| away("its answer is not JSON".to_owned()))?;
        Ok(hits(&body, 0))
    }

    fn header(&self) -> Result<Option<(String, String)>, Trouble> {
        let Some((variable, header)) = &self.key else { return Ok(None) };
        let key = environment::variable(variable).and_then(|key| key.into_string().ok());
        let key = key.ok_or_else(|| {
            Trouble::unavailable("the key of the search engine is missing")
                .hint(format!("an operator sets it in the variable {variable}"))
        })?;
        Ok(Some(match header {
            Some(header) => (header.clone(), key),
            None => ("authorization".to_owned(), format!("Bearer {key}")),
        }))
    }
}

/// The longest list of results in an answer, wherever it stands: engines agree on the parts, not on the place.
fn hits(value: &Value, depth: usize) -> Vec<SearchHit> {
    if depth > DEPTH_MAX {
        return Vec::new();
    }
    let here: Vec<SearchHit> = match value {
        Value::Array(items) => items.iter().filter_map(|item| hit(item.as_object()?)).collect(),
        _ => Vec::new(),
    };
    let below: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    };
    below
        .map(|one| hits(one, depth + 1))
        .fold(here, |best, other| if other.len() > best.len() { other } else { best })
}

fn hit(members: &Map<String, Value>) -> Option<SearchHit> {
    let first = |names: &[&str]| names.iter().find_map(|name| members.get(*name)?.as_str());
    let url = first(&ADDRESSES).filter(|url| url.starts_with("http"))?;
    let (title, text) = (first(&TITLES)?, first(&TEXTS).unwrap_or_default());
    Some(SearchHit { title: title.to_owned(), url: url.to_owned(), text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_list_is_found_wherever_an_engine_puts_it() {
        let hit =
            SearchHit { title: "A".to_owned(), url: "https://a.example/".to_owned(), text: "x".to_owned() };
        for answer in [
            json!({ "results": [{ "url": "https://a.example/", "title": "A", "content": "x" }] }),
            json!({ "web": { "results": [{ "url": "https://a.example/", "title": "A", "description": "x" }] } }),
            json!({ "webPages": { "value": [{ "url": "https://a.example/", "name": "A", "snippet": "x" }] } }),
            json!({ "items": [{ "link": "https://a.example/", "title": "A", "snippet": "x" }], "n": 1 }),
        ] {
            assert_eq!(hits(&answer, 0), std::slice::from_ref(&hit), "{answer}");
        }
        assert_eq!(hits(&json!({ "error": "no" }), 0), []);
    }

    #[test]
    fn words_stay_within_the_query() {
        let options = SearchOptions {
            search_url: Some("https://s.example/?q={query}&n=5".to_owned()),
            ..SearchOptions::default()
        };
        let engine = SearchEngine::of(&options).unwrap();
        assert_eq!(
            engine.address(" a&n=9 é#").unwrap().as_str(),
            "https://s.example/?q=a%26n%3D9%20%C3%A9%23&n=5"
        );
        assert!(engine.address("  ").is_err());
    }
}
