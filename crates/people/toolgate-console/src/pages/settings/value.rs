//! A setting as the API keeps it: read with its version, changed only if it still has that version.

use http::header::IF_MATCH;
use http::{HeaderMap, HeaderValue, Method};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::parts::moment::ago;
use crate::parts::text;
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

/// The hidden field with the version that the user saw.
const VERSION: &str = "version";

#[derive(Deserialize)]
pub(super) struct SettingData {
    pub(super) value: Value,
    version: u64,
    #[serde(default)]
    updated_at: Option<String>,
    #[serde(default)]
    updated_by: Option<String>,
}

impl SettingData {
    pub(super) async fn read(visit: &PageVisit, key: &str) -> PageResult<Self> {
        visit.get(PageAddress::of(["settings", key])).await
    }

    pub(super) fn entries(&self) -> Vec<Value> {
        self.value.as_array().cloned().unwrap_or_default()
    }

    /// Every form that changes it carries this.
    pub(super) fn version_field(&self) -> Markup {
        html! { input type="hidden" name=(VERSION) value=(self.version); }
    }

    /// The author of the last change.
    pub(super) fn last_change(&self, visit: &PageVisit) -> Markup {
        html! {
            @if let (Some(at), Some(by)) = (&self.updated_at, &self.updated_by) {
                p.help { "Last changed by " (text::short(by)) ", " (ago(visit, at)) "." }
            }
        }
    }

    /// Changes the setting from the version that the user saw: `change` makes the new value. If the version
    /// has changed, the API refuses.
    pub(super) async fn change(
        visit: &PageVisit,
        key: &str,
        fields: &FormFields,
        change: impl FnOnce(Value) -> PageResult<Value>,
    ) -> PageResult<()> {
        let seen: u64 = fields
            .needed(VERSION)?
            .parse()
            .map_err(|_| ApiProblem::bad_form("the version is not a number"))?;
        let before = Self::read(visit, key).await?;
        let body = json!({ "value": change(before.value)? });
        let tag = HeaderValue::from_str(&format!("\"{seen}\"")).expect("digits fit a header");
        let headers = HeaderMap::from_iter([(IF_MATCH, tag)]);
        let _: Value =
            visit.send_with(Method::PATCH, PageAddress::of(["settings", key]), headers, &body).await?;
        Ok(())
    }
}

/// A list without the entry that is called so.
pub(super) fn without(value: Value, name: &str) -> Value {
    let entries = value.as_array().cloned().unwrap_or_default();
    entries.into_iter().filter(|entry| entry["name"] != name).collect()
}

/// A list with one more entry.
pub(super) fn with(value: Value, entry: Value) -> Value {
    let mut entries = value.as_array().cloned().unwrap_or_default();
    entries.push(entry);
    Value::Array(entries)
}

/// A list with another value of a member in the entry that is called so.
pub(super) fn with_member(value: Value, name: &str, member: &str, set: &Value) -> Value {
    let mut entries = value.as_array().cloned().unwrap_or_default();
    for entry in entries.iter_mut().filter(|entry| entry["name"] == name) {
        entry[member] = set.clone();
    }
    Value::Array(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_entry_that_is_meant_changes() {
        let list = json!([{ "name": "a", "url": "x" }, { "name": "b", "url": "y" }]);
        assert_eq!(without(list.clone(), "a"), json!([{ "name": "b", "url": "y" }]));
        assert_eq!(without(list.clone(), "c"), list);
        let off = with_member(list.clone(), "b", "enabled", &json!(false));
        assert_eq!(off, json!([{ "name": "a", "url": "x" }, { "name": "b", "url": "y", "enabled": false }]));
        assert_eq!(with(json!([]), json!({ "name": "a" })), json!([{ "name": "a" }]));
    }
}
