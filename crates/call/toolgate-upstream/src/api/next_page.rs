//! The next page of a list, in words: APIs name it in the header `Link`, and no result has headers.

use std::collections::BTreeMap;

use connector_file::next_link;
use openapi_tools::RequestPlan;
use url::Url;

use super::exchange::{ApiAnswer, ApiRoute};

const PARAMETERS_MAX: usize = 8;
/// Longer values are no page that an agent would copy.
const VALUE_CHARS_MAX: usize = 1000;

/// Words such as "next page: `page`=2", with the names of the tool's arguments. Of the address only the query counts, and only what
/// is another than in the request: the path stays the one that was reviewed. An address of another origin is none.
pub(super) fn words(
    route: ApiRoute<'_>,
    plan: &RequestPlan,
    sent: &str,
    answer: &ApiAnswer,
) -> Option<String> {
    let sent = Url::parse(sent).ok()?;
    let next = next_link(&answer.headers_of("link"))?;
    let next = sent.join(&next).ok().filter(|next| route.origin.covers(next))?;
    let before = query(&sent);
    let is_new = |(name, value): &(String, Option<String>)| before.get(name) != Some(value);
    let mut shown = Vec::new();
    for (name, value) in query(&next).into_iter().filter(is_new) {
        let Some(argument) = plan.query_argument(&name) else { continue };
        let value = value.filter(|value| is_plain(value) && answer.masks.masked(value) == *value)?;
        shown.push(format!("`{argument}`={value}"));
    }
    (1..=PARAMETERS_MAX).contains(&shown.len()).then(|| format!("next page: {}", shown.join(", ")))
}

/// The parameters of a query; without a value where a name stands twice.
fn query(url: &Url) -> BTreeMap<String, Option<String>> {
    let mut parameters = BTreeMap::new();
    for (name, value) in url.query_pairs() {
        let known = parameters.contains_key(&*name);
        parameters.insert(name.into_owned(), (!known).then(|| value.into_owned()));
    }
    parameters
}

fn is_plain(value: &str) -> bool {
    value.chars().count() <= VALUE_CHARS_MAX && !value.chars().any(char::is_control)
}
