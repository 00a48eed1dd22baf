//! Values become a request.

mod body;
mod text;

use openapi_tools::{ApiRequest, Method};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::BadActionArguments;
use crate::step::PlacedValue;
use crate::words::{Encoding, RequestPlace};

use text::texts;

/// Characters that need no escape, in a path or a query (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(crate) fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// A request to a path with `{name}` in it.
pub(crate) fn request(
    method: Method,
    path: &str,
    headers: &[(String, String)],
    values: &[PlacedValue],
) -> Result<ApiRequest, BadActionArguments> {
    let mut path_and_query = fill(path, values)?;
    let query = query(values)?;
    if !query.is_empty() {
        path_and_query.push(if path_and_query.contains('?') { '&' } else { '?' });
        path_and_query.push_str(&query);
    }
    let mut sent = headers.to_vec();
    for one in values.iter().filter(|one| one.place == RequestPlace::Header) {
        let text = header_text(one)?;
        sent.retain(|(name, _)| !name.eq_ignore_ascii_case(&one.name));
        sent.push((one.name.clone(), text));
    }
    Ok(ApiRequest { method, path_and_query, headers: sent, cookies: Vec::new(), body: body::body(values)? })
}

fn fill(path: &str, values: &[PlacedValue]) -> Result<String, BadActionArguments> {
    let mut filled = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, name, after)) = next_name(rest) {
        filled.push_str(before);
        let is_it = |one: &&PlacedValue| one.place == RequestPlace::Path && one.name == name;
        let value = values.iter().find(is_it).ok_or_else(|| BadActionArguments::Missing(name.to_owned()))?;
        filled.push_str(&path_text(value)?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The text before a `{name}`, the name, and the text after it.
fn next_name(path: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = path.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// The names in braces of a path.
pub(crate) fn names_in(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = path;
    while let Some((_, name, after)) = next_name(rest) {
        names.push(name);
        rest = after;
    }
    names
}

/// One step of a path, or with [`Encoding::Path`] several. A step that climbs would reach another path than the one that was
/// reviewed.
fn path_text(value: &PlacedValue) -> Result<String, BadActionArguments> {
    let text = texts(value)?.concat();
    let keeps_slashes = value.encode == Some(Encoding::Path);
    let trimmed = if keeps_slashes { text.trim_matches('/') } else { text.as_str() };
    if trimmed.is_empty() && !keeps_slashes {
        return Err(BadActionArguments::refused(&value.argument, "may not be empty"));
    }
    let steps: Vec<&str> = if keeps_slashes { trimmed.split('/').collect() } else { vec![trimmed] };
    if steps.iter().any(|step| matches!(*step, "." | "..")) {
        return Err(BadActionArguments::refused(&value.argument, "may not climb: no `.` and no `..`"));
    }
    Ok(steps.into_iter().map(escape).collect::<Vec<_>>().join("/"))
}

fn query(values: &[PlacedValue]) -> Result<String, BadActionArguments> {
    let mut pairs = Vec::new();
    for one in values.iter().filter(|one| one.place == RequestPlace::Query) {
        for text in texts(one)? {
            pairs.push(format!("{}={}", escape(&one.name), escape(&text)));
        }
    }
    Ok(pairs.join("&"))
}

fn header_text(value: &PlacedValue) -> Result<String, BadActionArguments> {
    let text = texts(value)?.join(", ");
    if text.chars().any(char::is_control) {
        return Err(BadActionArguments::refused(&value.argument, "may not have control characters"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
