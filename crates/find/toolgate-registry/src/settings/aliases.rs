//! The setting `aliases`: other names for tools.

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::{CanonicalName, DomainName, Refusal, RefusalKind, moment};

use super::fields::{JsonFields, elements};
use super::invalid::invalid;
use crate::alias;
use crate::known::SettingContext;
use crate::source::AliasSpec;

const ALIASES_MAX: usize = 5000;
const NAME_CHARS_MAX: usize = 128;
const KEYS: &[&str] = &["name", "tool", "until", "primary"];

pub(super) fn check(value: &Value, context: &SettingContext) -> Result<(), Refusal> {
    let specs = read(value)?;
    let candidates = alias::of_specs(&specs, alias::SETTINGS);
    for at in 0..candidates.len() {
        // One after the other, so that the position of the colliding one is known.
        if let Some(first) = candidates[..at].iter().position(|one| one.name == candidates[at].name) {
            let message = format!("the name {:?} stands at value[{first}] too", candidates[at].name);
            return Err(invalid(format!("value[{at}].name"), message));
        }
    }
    alias::check(context.tools.iter(), &context.aliases, &candidates).map_err(|collision| {
        let at = candidates.iter().position(|one| alias::occupies(one, &collision.name)).unwrap_or_default();
        Refusal::new(&codes::ALIAS_TAKEN, collision.to_string())
            .kind(RefusalKind::Invalid)
            .field(format!("value[{at}].name"))
            .hint("choose another name, or remove it from the other tool first")
    })
}

pub(super) fn read(value: &Value) -> Result<Vec<AliasSpec>, Refusal> {
    let elements = elements(value, "value", ALIASES_MAX)?;
    elements.into_iter().map(|(place, entry)| read_entry(&JsonFields::of(entry, place)?)).collect()
}

fn read_entry(fields: &JsonFields<'_>) -> Result<AliasSpec, Refusal> {
    fields.only(KEYS)?;
    let name = fields.required_text("name")?;
    check_name(name).map_err(|message| invalid(fields.place("name"), message))?;
    let tool = CanonicalName::recorded(fields.required_text("tool")?);
    if alias::split(&tool).is_none_or(|(_, own)| own.is_empty()) {
        let message = format!("{:?} is not the name of a tool", tool.as_str());
        return Err(
            invalid(fields.place("tool"), message).hint("`server:tool`, as `toolgate tools list` shows it")
        );
    }
    let primary = fields.flag("primary")?.unwrap_or(false);
    if primary && let Err(error) = DomainName::new(name) {
        return Err(invalid(fields.place("name"), format!("what agents see: {error}")));
    }
    let until_ms = read_until(fields)?;
    if primary && until_ms.is_some() {
        return Err(invalid(fields.place("until"), "a name that agents see cannot end on a date"));
    }
    Ok(AliasSpec { name: name.to_owned(), tool, until_ms, primary })
}

pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let chars = name.chars().count();
    let fits = (1..=NAME_CHARS_MAX).contains(&chars)
        && !name.contains(|c: char| c.is_control() || c.is_whitespace());
    if fits { Ok(()) } else { Err(format!("a name has 1 to {NAME_CHARS_MAX} characters and no spaces")) }
}

/// A date means its beginning.
fn read_until(fields: &JsonFields<'_>) -> Result<Option<i64>, Refusal> {
    let Some(text) = fields.text("until")? else { return Ok(None) };
    let moment = moment::parse_rfc3339(text).or_else(|| moment::parse_rfc3339(&format!("{text}T00:00:00Z")));
    let wrong = || invalid(fields.place("until"), "`until` is not a day such as `2027-01-01`");
    moment.map(Some).ok_or_else(wrong)
}
