//! Guesses which texts are secrets: good enough for a warning and to keep them off the screen, not for more.

pub(super) const MASK: &str = "********";

const TELLING_NAMES: [&str; 10] = [
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "api_key",
    "api-key",
    "credential",
    "authorization",
    "cookie",
];
const TELLING_STARTS: [&str; 12] = [
    "sk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "Bearer ",
    "Basic ",
];

/// True if `value` under `name` is a secret in clear text.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    let value = value.trim();
    if value.is_empty() || is_switch(value) {
        return false;
    }
    has_telling_name(name) || has_telling_start(value)
}

fn is_switch(value: &str) -> bool {
    value.len() < 6 || matches!(value.to_ascii_lowercase().as_str(), "enabled" | "disabled")
}

fn has_telling_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let whole_words = ["key", "pat", "auth", "pass", "pwd"];
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    TELLING_NAMES.iter().any(|telling| name.contains(telling))
        || words.any(|word| whole_words.contains(&word))
}

fn has_telling_start(value: &str) -> bool {
    TELLING_STARTS.iter().any(|start| value.starts_with(start))
}

/// Arguments with a secret: `--api-key=…`, or `--token` followed by one.
pub(super) fn secret_args(args: &[String]) -> Vec<usize> {
    let is_flag = |arg: &str| arg.starts_with('-');
    let mut found = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) if is_flag(name) => (name, value),
            _ => match index.checked_sub(1).map(|before| args[before].as_str()) {
                Some(before) if is_flag(before) && !before.contains('=') && !is_flag(arg) => {
                    (before, arg.as_str())
                }
                _ => ("", arg.as_str()),
            },
        };
        if !value.contains("${") && is_secret(name, value) {
            found.push(index);
        }
    }
    found
}

/// A command line with its secrets hidden.
pub(crate) fn masked_line(words: &[String]) -> String {
    let secret = secret_args(words);
    let shown = |(index, word): (usize, &String)| match (secret.contains(&index), word.split_once('=')) {
        (false, _) => word.clone(),
        (true, Some((name, _))) if word.starts_with('-') => format!("{name}={MASK}"),
        (true, _) => MASK.to_owned(),
    };
    words.iter().enumerate().map(shown).collect::<Vec<_>>().join(" ")
}

/// True if the query of a URL contains a secret.
pub(super) fn has_secret_query(url: &str) -> bool {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.any(|(name, value)| !value.contains("${") && is_secret(name, value))
}

pub(super) fn without_query(url: &str) -> &str {
    url.split_once('?').map_or(url, |(before, _)| before)
}

/// A URL with a secret query hidden.
pub(crate) fn masked_url(url: &str) -> String {
    if has_secret_query(url) { format!("{}?{MASK}", without_query(url)) } else { url.to_owned() }
}
