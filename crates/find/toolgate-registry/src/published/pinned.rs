//! Names and versions of packages that mean one thing to the program that fetches them: no option, no range, no address.

const NAME_CHARS_MAX: usize = 214;
const VERSION_CHARS_MAX: usize = 128;
const DIGEST: &str = "@sha256:";

/// `name` or `@scope/name`.
pub(super) fn is_npm_name(text: &str) -> bool {
    match text.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
        None => is_part(text),
    }
}

/// A name of PyPI or NuGet, and each part of one of npm.
pub(super) fn is_part(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_alphanumeric());
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '~');
    starts && text.len() <= NAME_CHARS_MAX && text.chars().all(fits)
}

/// A version that is no range and no word such as `latest`.
pub(super) fn is_exact_version(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_digit());
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '!');
    let is_any = |part: &str| part.eq_ignore_ascii_case("x");
    starts && text.len() <= VERSION_CHARS_MAX && text.chars().all(fits) && !text.split('.').any(is_any)
}

/// npm takes `1` and `1.2` for ranges.
pub(super) fn is_whole_version(text: &str) -> bool {
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let mut numbers = core.split('.');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
    };
    let three = is_number(numbers.next()) && is_number(numbers.next()) && is_number(numbers.next());
    is_exact_version(text) && three && numbers.next().is_none()
}

/// An image: `host/path:tag` or `host/path@sha256:…`, with the digest if it has one. `None` for everything else, and for an
/// image whose version is open.
pub(super) fn image(identifier: &str, host: &str, version: Option<&str>) -> Option<(String, Option<String>)> {
    let (named, digest) = match identifier.split_once(DIGEST) {
        Some((named, digest)) if is_sha256(digest) => (named, Some(format!("sha256:{digest}"))),
        Some(_) => return None,
        None => (identifier, None),
    };
    let named = match (has_tag(named), version) {
        (false, Some(version)) => format!("{named}:{version}"),
        _ => named.to_owned(),
    };
    let named = if has_host(&named) { named } else { format!("{host}/{named}") };
    let tag = named.rsplit_once('/').and_then(|(_, last)| last.split_once(':')).map(|(_, tag)| tag);
    let is_open = digest.is_none() && tag.is_none_or(|tag| tag == "latest");
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':');
    let starts = named.starts_with(|first: char| first.is_ascii_alphanumeric());
    if is_open || !starts || named.len() > NAME_CHARS_MAX || !named.chars().all(fits) {
        return None;
    }
    let whole = digest.as_ref().map_or_else(|| named.clone(), |digest| format!("{named}@{digest}"));
    Some((whole, digest))
}

pub(super) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn has_tag(named: &str) -> bool {
    named.rsplit('/').next().is_some_and(|last| last.contains(':'))
}

fn has_host(named: &str) -> bool {
    named.split_once('/').is_some_and(|(first, _)| first.contains(['.', ':']))
}
