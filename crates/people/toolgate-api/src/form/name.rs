//! The name of a file that comes without a form.

use http::header::CONTENT_DISPOSITION;
use http::{HeaderMap, HeaderName};
use percent_encoding::percent_decode_str;
use toolgate_core::codes;
use toolgate_core::file::FileName;
use toolgate_files::file_name;

use crate::problem::{ApiResult, Problem};

/// Percent-encoded, since headers are ASCII.
const FILE_NAME: HeaderName = HeaderName::from_static("x-file-name");

/// The name beside a body.
pub(crate) fn beside(headers: &HeaderMap) -> ApiResult<Option<FileName>> {
    if let Some(value) = headers.get(FILE_NAME) {
        return named(&decoded(value.as_bytes(), "x-file-name")?);
    }
    let Some(value) = headers.get(CONTENT_DISPOSITION) else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| unreadable("content-disposition"))?;
    let parameters: Vec<(String, String)> = parameters(text);
    let of = |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    match (of("filename*"), of("filename")) {
        (Some(extended), _) => named(&extended_value(extended)?),
        (None, Some(name)) => named(name),
        (None, None) => Ok(None),
    }
}

fn named(name: &str) -> ApiResult<Option<FileName>> {
    Ok(Some(file_name(name)?))
}

fn decoded(bytes: &[u8], header: &str) -> ApiResult<String> {
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable(header))?;
    Ok(percent_decode_str(text).decode_utf8().map_err(|_| unreadable(header))?.into_owned())
}

/// As in RFC 8187: `UTF-8''M%C3%BCller.pdf`.
fn extended_value(value: &str) -> ApiResult<String> {
    let mut parts = value.splitn(3, '\'');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(charset), Some(_), Some(text)) if charset.eq_ignore_ascii_case("utf-8") => {
            decoded(text.as_bytes(), "content-disposition")
        }
        _ => Err(unreadable("content-disposition")),
    }
}

fn unreadable(header: &str) -> Box<Problem> {
    Problem::new(&codes::HEADER_INVALID, format!("header `{header}`: the name in it is not UTF-8"))
        .hint("percent-encode it")
        .with("field", header)
}

/// The parameters after the first semicolon: names in lower case, values without their quotes.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.split_once(';').map_or("", |(_, rest)| rest);
    while let Some((key, behind)) = rest.split_once('=') {
        let (value, behind) = value(behind.trim_start());
        found.push((key.trim().to_ascii_lowercase(), value));
        rest = behind.split_once(';').map_or("", |(_, rest)| rest);
    }
    found
}

/// One value, quoted or not, and the rest after it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (place, c) in quoted.char_indices() {
        match c {
            '"' if !is_escaped => return (value, &quoted[place + 1..]),
            '\\' if !is_escaped => is_escaped = true,
            c => {
                value.push(c);
                is_escaped = false;
            }
        }
    }
    (value, "")
}
