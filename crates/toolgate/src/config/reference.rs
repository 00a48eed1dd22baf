//! `${NAME}` and `${NAME:-default}`: how a configuration names a secret without holding it. `$$` is a plain `$`.

use super::Lookup;

/// Why a text could not be expanded. Never holds the value of a variable.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadReference {
    Missing { name: String },
    Unclosed,
    Name { name: String },
    Nested,
}

/// Replaces every reference. As in a shell, a default also stands in for a variable that is set and empty.
pub(crate) fn expand(text: &str, env: Lookup<'_>) -> Result<String, BadReference> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some(after) = after.strip_prefix('{') {
            let end = after.find('}').ok_or(BadReference::Unclosed)?;
            out.push_str(&resolve(&after[..end], env)?);
            rest = &after[end + 1..];
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    Ok(out)
}

fn resolve(inside: &str, env: Lookup<'_>) -> Result<String, BadReference> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    if !is_variable_name(name) {
        return Err(BadReference::Name { name: name.into() });
    }
    if default.is_some_and(|default| default.contains("${")) {
        return Err(BadReference::Nested);
    }
    match (env(name), default) {
        (Some(value), None) => Ok(value),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.into()),
        (None, None) => Err(BadReference::Missing { name: name.into() }),
    }
}

pub(crate) fn is_variable_name(name: &str) -> bool {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Text that expands to `literal`.
pub(crate) fn escape(literal: &str) -> String {
    literal.replace('$', "$$")
}
