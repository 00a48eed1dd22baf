//! The setting `policy`: policies that operators put in force while the gateway runs, beside those of the operator's files. Their
//! language is not known here: whoever judges calls checks them (`PolicyControl`).

use serde_json::Value;
use toolgate_core::{Refusal, codes};

use crate::settings::fields::JsonFields;

/// The maximum size of one text.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// Policies by their set; blank ones are absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PolicyTexts {
    pub guard: Option<String>,
    pub gates: Option<String>,
    /// Only compared.
    pub guard_shadow: Option<String>,
    pub gates_shadow: Option<String>,
}

impl PolicyTexts {
    /// The members of the value.
    pub const KEYS: [&'static str; 4] = ["guard", "gates", "guard_shadow", "gates_shadow"];

    /// Reads a value of the setting.
    pub fn read(value: &Value) -> Result<Self, Refusal> {
        let fields = JsonFields::of(value, "value")?;
        fields.only(&Self::KEYS)?;
        Ok(Self {
            guard: read_text(&fields, "guard")?,
            gates: read_text(&fields, "gates")?,
            guard_shadow: read_text(&fields, "guard_shadow")?,
            gates_shadow: read_text(&fields, "gates_shadow")?,
        })
    }

    /// Those there are, each with its key.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { guard, gates, guard_shadow, gates_shadow } = self;
        let texts = Self::KEYS.into_iter().zip([guard, gates, guard_shadow, gates_shadow]);
        texts.filter_map(|(key, text)| Some((key, text.as_deref()?)))
    }

    /// The keys whose texts differ.
    pub(crate) fn differing(&self, other: &Self) -> Vec<&'static str> {
        let of = |texts: &Self, key: &str| {
            texts.texts().find(|(one, _)| *one == key).map(|(_, text)| text.to_owned())
        };
        Self::KEYS.into_iter().filter(|key| of(self, key) != of(other, key)).collect()
    }
}

fn read_text(fields: &JsonFields<'_>, key: &str) -> Result<Option<String>, Refusal> {
    let Some(text) = fields.text(key)? else { return Ok(None) };
    if text.len() > TEXT_BYTES_MAX {
        let message = format!("`{key}` has {} bytes; {TEXT_BYTES_MAX} are allowed", text.len());
        let refusal = Refusal::new(&codes::INVALID_SETTING, message).field(fields.place(key));
        return Err(refusal.hint("put so many policies into files"));
    }
    // Browsers send other ends of lines.
    let text = text.replace("\r\n", "\n");
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_read_with_one_end_of_lines_and_blank_ones_are_absent() {
        let read = PolicyTexts::read(&json!({ "gates": "a;\r\nb;", "guard": "  \n", "guard_shadow": null }));
        let texts = read.expect("a value");
        assert_eq!(texts.texts().collect::<Vec<_>>(), [("gates", "a;\nb;")]);
        assert_eq!(PolicyTexts::default().differing(&texts), ["gates"]);
        assert_eq!(texts.differing(&texts), Vec::<&str>::new());
    }

    #[test]
    fn what_is_no_text_of_a_known_set_is_refused_at_its_place() {
        for (value, field) in [
            (json!([]), "value"),
            (json!({ "gate": "" }), "value.gate"),
            (json!({ "gates": 1 }), "value.gates"),
            (json!({ "guard": "x".repeat(TEXT_BYTES_MAX + 1) }), "value.guard"),
        ] {
            let refusal = PolicyTexts::read(&value).expect_err("no value");
            assert_eq!(refusal.field.as_deref(), Some(field));
        }
    }
}
