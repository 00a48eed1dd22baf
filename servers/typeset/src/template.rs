//! Templates: Markdown with placeholders for data. Data is escaped, so it never becomes markup.

use minijinja::value::{Value as Filled, ValueKind};
use minijinja::{AutoEscape, Environment, Error, Output, State};
use serde_json::Value;

use crate::error::TypesetError;
use crate::limits::ArticleLimits;
use crate::markdown::escape;

/// The maximum number of steps of a template: a loop over ten thousand rows of a table is well within.
const STEPS_MAX: u64 = 2_000_000;

/// Fills a template with data; the result is Markdown for [`crate::Article::from_markdown`].
///
/// `{{ name }}` is a value, `{% for item in items %} … {% endfor %}` and `{% if name %} … {% endif %}` are
/// parts. A value that is Markdown itself is written `{{ name | safe }}`. A name that the data lacks is an
/// error, so that no letter is sent with a gap in it; `{% if name %}` and `{{ name | default("…") }}` allow
/// for it.
pub fn fill(template: &str, data: &Value) -> Result<String, TypesetError> {
    if template.trim().is_empty() {
        return Err(TypesetError::Empty { what: "template" });
    }
    let filled = environment().render_named_str("template", template, Filled::from_serialize(data));
    let filled = filled.map_err(|error| wrong(template, &error))?;
    if filled.len() > ArticleLimits::DEFAULT.input_bytes_max {
        return Err(TypesetError::TooLarge {
            what: "filled template with bytes",
            limit: ArticleLimits::DEFAULT.input_bytes_max,
        });
    }
    Ok(filled)
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(STEPS_MAX));
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::SemiStrict);
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown"));
    environment.set_formatter(write_value);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
}

fn write_value(out: &mut Output<'_>, state: &State<'_, '_>, value: &Filled) -> Result<(), Error> {
    let plain = matches!(value.kind(), ValueKind::Number | ValueKind::Bool);
    match value.as_str() {
        _ if value.is_undefined() => minijinja::escape_formatter(out, state, value),
        _ if value.is_none() => Ok(()),
        Some(text) if value.is_safe() => out.write_str(text).map_err(Error::from),
        Some(text) => out.write_str(&escape(text)).map_err(Error::from),
        None if plain => out.write_str(&value.to_string()).map_err(Error::from),
        None => out.write_str(&escape(&value.to_string())).map_err(Error::from),
    }
}

fn wrong(template: &str, error: &Error) -> TypesetError {
    let line = error.line().unwrap_or(1);
    let text = template.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
    let what = match error.kind() {
        minijinja::ErrorKind::UndefinedError => "a name is missing from the data".to_owned(),
        minijinja::ErrorKind::OutOfFuel => "it takes too many steps".to_owned(),
        kind => error.detail().map_or_else(|| kind.to_string(), str::to_owned),
    };
    let shown: String = text.chars().take(80).collect();
    TypesetError::Template { line, why: format!("{what}, in {shown:?}") }
}

#[cfg(test)]
mod tests;
