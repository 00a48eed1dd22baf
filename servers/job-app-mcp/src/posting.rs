//! Postings as others write them: schema.org JobPosting, the answer of job-search-mcp's `parse_job`, and plain fields.

use serde_json::{Map, Value, json};
use url::Url;

use crate::key::{self, JobKey, KeyFacts};

/// Objects within objects of a feed.
const DEPTH_MAX: usize = 8;
/// Titles, companies and places.
const TEXT_CHARS_MAX: usize = 300;
const URL_BYTES_MAX: usize = 2_000;
const DESCRIPTION_CHARS_MAX: usize = 20_000;
/// The posting as it is kept, without its description.
const POSTING_BYTES_MAX: usize = 32 << 10;
const DAY_MS: i64 = 86_400_000;

/// A posting that can be told from others.
#[derive(Clone, PartialEq, Debug)]
pub struct JobListing {
    pub title: String,
    pub company: String,
    pub place: String,
    pub url: String,
    /// schema.org JobPosting.
    pub posting: Value,
    pub valid_until_ms: Option<i64>,
    /// The canonical one first; never empty.
    pub keys: Vec<JobKey>,
}

/// All postings in the data of a feed: a list, an `ItemList`, a `@graph`, or one of them in another.
pub fn collect(value: Value, max: usize) -> Vec<Value> {
    let mut found = Vec::new();
    gather(value, DEPTH_MAX, max, &mut found);
    found
}

fn gather(value: Value, depth: usize, max: usize, found: &mut Vec<Value>) {
    if depth == 0 || found.len() >= max {
        return;
    }
    match value {
        Value::Array(values) => values.into_iter().for_each(|value| gather(value, depth - 1, max, found)),
        Value::Object(_) if is_posting(&value) => found.push(value),
        Value::Object(fields) => {
            fields.into_iter().for_each(|(_, value)| gather(value, depth - 1, max, found))
        }
        _ => {}
    }
}

fn is_posting(value: &Value) -> bool {
    let named =
        |kind: &Value| kind.as_str().is_some_and(|kind| kind.rsplit(['/', ':']).next() == Some("JobPosting"));
    match &value["@type"] {
        Value::Array(kinds) => kinds.iter().any(named),
        kind => named(kind),
    }
}

/// Reads one posting, whatever its form. The error says what it lacks.
pub fn read(value: &Value) -> Result<JobListing, String> {
    let Value::Object(fields) = value else { return Err("it is not an object".to_owned()) };
    // The answer of parse_job has the posting in a member.
    let posting = match &fields.get("posting") {
        Some(Value::Object(posting)) => posting,
        _ => fields,
    };
    let title = first_text(posting, &["title", "name"]).ok_or("it has no title")?;
    let company = first_text(posting, &["hiringOrganization", "company"]).unwrap_or_default();
    let place = place(posting);
    let url = url(posting)?;
    let facts = KeyFacts {
        url: url.clone(),
        identifier: identifier(posting),
        title: title.clone(),
        company: company.clone(),
        place: place.clone(),
    };
    let keys = key::keys(&facts);
    if keys.is_empty() {
        return Err("it has neither a company nor the address of a page of its own".to_owned());
    }
    Ok(JobListing {
        title,
        company,
        place,
        url: url.map(String::from).unwrap_or_default(),
        posting: kept(posting, fields)?,
        valid_until_ms: valid_until(posting)?,
        keys,
    })
}

/// The text of a value, of its `name` or of its first element.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Number(number) => number.to_string(),
        Value::Array(values) => return values.first().and_then(text),
        Value::Object(fields) => return fields.get("name").or(fields.get("value")).and_then(text),
        _ => return None,
    };
    let text: String = text.replace('\0', "").chars().take(TEXT_CHARS_MAX).collect();
    (!text.is_empty()).then_some(text)
}

fn first_text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| fields.get(*name).and_then(text))
}

/// The first town, and its country.
fn place(posting: &Map<String, Value>) -> String {
    let first = match posting.get("jobLocation").or(posting.get("location")).or(posting.get("place")) {
        Some(Value::Array(places)) => places.first().cloned().unwrap_or_default(),
        Some(place) => place.clone(),
        None => Value::Null,
    };
    let address = first.get("address").unwrap_or(&first);
    if let Value::Object(address) = address {
        let parts = ["addressLocality", "addressRegion", "addressCountry"];
        let parts: Vec<String> = parts.iter().filter_map(|part| address.get(*part).and_then(text)).collect();
        if !parts.is_empty() {
            return parts.join(", ");
        }
    }
    let is_remote = posting.get("jobLocationType").and_then(Value::as_str) == Some("TELECOMMUTE");
    text(address).or_else(|| is_remote.then(|| "Remote".to_owned())).unwrap_or_default()
}

fn url(posting: &Map<String, Value>) -> Result<Option<Url>, String> {
    let Some(written) =
        posting.get("url").and_then(Value::as_str).map(str::trim).filter(|url| !url.is_empty())
    else {
        return Ok(None);
    };
    let parsed = Url::parse(written).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    match parsed.filter(|url| url.has_host() && written.len() <= URL_BYTES_MAX) {
        Some(url) => Ok(Some(url)),
        None => Err("its url is not an http or https address".to_owned()),
    }
}

fn identifier(posting: &Map<String, Value>) -> Option<String> {
    let identifier = posting.get("identifier").or(posting.get("id"))?;
    identifier.get("value").and_then(text).or_else(|| text(identifier))
}

/// The end of the day, or the moment.
fn valid_until(posting: &Map<String, Value>) -> Result<Option<i64>, String> {
    let Some(written) = posting.get("validThrough").and_then(Value::as_str).filter(|text| !text.is_empty())
    else {
        return Ok(None);
    };
    if let Ok(moment) = written.parse::<jiff::Timestamp>() {
        return Ok(Some(moment.as_millisecond()));
    }
    let day = written.get(..10).and_then(|day| format!("{day}T00:00:00Z").parse::<jiff::Timestamp>().ok());
    match day {
        Some(day) => Ok(Some(day.as_millisecond() + DAY_MS)),
        None => Err(format!("its validThrough {written:?} is not a date")),
    }
}

/// What agents are shown of it later: bounded, with the requirements that `parse_job` found.
fn kept(posting: &Map<String, Value>, around: &Map<String, Value>) -> Result<Value, String> {
    let mut kept = posting.clone();
    let description = kept.remove("description").or_else(|| kept.remove("text"));
    for beside in ["must", "nice", "skills"] {
        if let Some(value) = around.get(beside) {
            kept.insert(beside.to_owned(), value.clone());
        }
    }
    let bytes = json!(kept).to_string().len();
    if bytes > POSTING_BYTES_MAX {
        return Err(format!(
            "it has {bytes} bytes beside its description, and {POSTING_BYTES_MAX} are kept at most"
        ));
    }
    if let Some(Value::String(text)) = description {
        kept.insert(
            "description".to_owned(),
            text.chars().take(DESCRIPTION_CHARS_MAX).collect::<String>().into(),
        );
    }
    // Postgres takes no such character, not even in an escape.
    let text = json!(kept).to_string().replace("\\u0000", "");
    serde_json::from_str(&text).map_err(|_| "it has characters that no text may have".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_posting_of_schema_org_is_read() {
        let listing = read(&json!({
            "@type": "JobPosting", "title": "Welder ", "url": "https://jobs.example/view/4711001",
            "hiringOrganization": { "@type": "Organization", "name": "Acme" }, "validThrough": "2026-12-01",
            "jobLocation": [{ "address": { "addressLocality": "Oslo", "addressCountry": { "name": "Norway" } } }],
        }))
        .unwrap();
        assert_eq!((listing.title.as_str(), listing.company.as_str()), ("Welder", "Acme"));
        assert_eq!(listing.place, "Oslo, Norway");
        assert_eq!(listing.valid_until_ms, Some(1_796_169_600_000));
        assert_eq!(listing.keys[0].key, "id:jobs.example:4711001");
        assert_eq!(listing.keys[1].key, "ad:acme|welder|oslo");
    }

    #[test]
    fn the_answer_of_parse_job_and_plain_fields_give_the_same_words() {
        let parsed = read(&json!({
            "ref_id": "doc_1", "must": ["TIG"], "skills": [],
            "posting": { "title": "Welder", "hiringOrganization": { "name": "Acme Ltd" }, "jobLocation": [{ "address": { "addressLocality": "Oslo" } }] },
        }))
        .unwrap();
        let plain = read(&json!({ "title": "Welder", "company": "Acme", "location": "Oslo" })).unwrap();
        assert_eq!(parsed.keys, plain.keys);
        assert_eq!(parsed.posting["must"], json!(["TIG"]));
    }

    #[test]
    fn what_is_no_posting_says_why() {
        for (value, why) in [
            (json!("x"), "not an object"),
            (json!({}), "no title"),
            (json!({ "title": "Welder" }), "neither a company"),
            (json!({ "title": "Welder", "url": "javascript:alert(1)" }), "not an http"),
            (json!({ "title": "Welder", "company": "Acme", "validThrough": "soon" }), "is not a date"),
            (json!({ "title": "Welder", "company": "Acme", "x": "y".repeat(40_000) }), "bytes beside"),
        ] {
            let said = read(&value).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn postings_of_lists_item_lists_and_graphs_are_found() {
        let one = json!({ "@type": "JobPosting", "title": "A" });
        for feed in [
            json!([one]),
            json!({ "@type": "ItemList", "itemListElement": [{ "@type": "ListItem", "item": one }] }),
            json!({ "@graph": [{ "@type": ["Thing", "schema:JobPosting"], "title": "A" }] }),
            one.clone(),
        ] {
            assert_eq!(collect(feed.clone(), 10).len(), 1, "{feed}");
        }
        assert_eq!(collect(json!([one, one, one]), 2).len(), 2);
        let mut deep = one;
        for _ in 0..20 {
            deep = json!([deep]);
        }
        assert!(collect(deep, 10).is_empty());
    }

    #[test]
    fn signs_that_a_database_refuses_are_taken_out() {
        let listing = read(&json!({ "title": "We\0lder", "company": "Acme", "more": "a\0b" })).unwrap();
        assert_eq!(listing.title, "Welder");
        assert_eq!(listing.posting["more"], "ab");
    }
}
