//! The form of a stream's records: their fields, and the type of each. A provider that changes it in the middle is heard of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::FIELDS_MAX;
use crate::refusal::shown;

/// The fields of the records so far.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RecordForm(BTreeMap<String, FieldForm>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct FieldForm {
    kind: FieldKind,
    /// Every record had it.
    always: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FieldKind {
    Text,
    Number,
    Truth,
    List,
    Object,
}

impl FieldKind {
    /// Null says nothing about the type.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::Bool(_) => Some(FieldKind::Truth),
            Value::Number(_) => Some(FieldKind::Number),
            Value::String(_) => Some(FieldKind::Text),
            Value::Array(_) => Some(FieldKind::List),
            Value::Object(_) => Some(FieldKind::Object),
        }
    }

    fn word(self) -> &'static str {
        match self {
            FieldKind::Text => "text",
            FieldKind::Number => "a number",
            FieldKind::Truth => "true or false",
            FieldKind::List => "a list",
            FieldKind::Object => "an object",
        }
    }
}

/// A field within one page.
#[derive(Default)]
struct PageField {
    count: usize,
    kinds: Vec<FieldKind>,
}

impl RecordForm {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Takes a page into account. The first one sets the form; later ones are told apart from it, in words.
    pub(crate) fn meet<'a>(&mut self, records: impl Iterator<Item = &'a Value>) -> Vec<String> {
        let mut fields: BTreeMap<&str, PageField> = BTreeMap::new();
        let mut count = 0;
        for record in records.filter_map(Value::as_object) {
            count += 1;
            for (name, value) in record {
                let field = fields.entry(name).or_default();
                field.count += 1;
                if let Some(kind) = FieldKind::of(value).filter(|kind| !field.kinds.contains(kind)) {
                    field.kinds.push(kind);
                }
            }
        }
        let is_first = self.0.is_empty();
        let mut changes = if count == 0 { Vec::new() } else { self.compare(&fields, count) };
        let new = self.learn(&fields, count, is_first);
        if !changes.is_empty() {
            changes.extend(new.iter().map(|name| format!("{name:?} is new")));
        }
        changes
    }

    fn compare(&mut self, fields: &BTreeMap<&str, PageField>, count: usize) -> Vec<String> {
        let mut changes = Vec::new();
        self.0.retain(|name, known| {
            let Some(field) = fields.get(name.as_str()) else {
                if known.always {
                    changes.push(format!("{:?} is gone", shown(name)));
                }
                return !known.always;
            };
            if let (Some(kind), false) = (field.kinds.first(), field.kinds.contains(&known.kind)) {
                let (before, now) = (known.kind.word(), kind.word());
                changes.push(format!("{:?} was {before} and is {now} now", shown(name)));
                known.kind = *kind;
            }
            known.always &= field.count == count;
            true
        });
        changes
    }

    /// Adds fields that were not there before, and returns their names if every record has them.
    fn learn(&mut self, fields: &BTreeMap<&str, PageField>, count: usize, is_first: bool) -> Vec<String> {
        let mut new = Vec::new();
        for (name, field) in fields {
            let Some(kind) = field.kinds.first().filter(|_| !self.0.contains_key(*name)) else { continue };
            let is_everywhere = field.count == count;
            if is_everywhere {
                new.push(shown(name));
            }
            if self.0.len() < FIELDS_MAX {
                let always = is_first && is_everywhere;
                self.0.insert((*name).to_owned(), FieldForm { kind: *kind, always });
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meet(form: &mut RecordForm, page: &Value) -> Vec<String> {
        form.meet(page.as_array().expect("a list").iter())
    }

    #[test]
    fn a_changed_form_is_told_in_words() {
        let mut form = RecordForm::default();
        assert_eq!(meet(&mut form, &json!([{ "id": 1, "name": "a", "topic": null }])), [""; 0]);
        assert_eq!(meet(&mut form, &json!([{ "id": 2, "name": "b", "topic": "t" }])), [""; 0]);
        let changed = meet(&mut form, &json!([{ "id": "3", "title": "c" }]));
        let told = ["\"id\" was a number and is text now", "\"name\" is gone", "\"title\" is new"];
        assert_eq!(changed, told);
        assert_eq!(meet(&mut form, &json!([{ "id": "4", "title": "d" }])), [""; 0], "it is told once");
    }

    #[test]
    fn fields_that_come_and_go_are_no_change() {
        let mut form = RecordForm::default();
        meet(&mut form, &json!([{ "id": 1 }, { "id": 2, "note": "x" }]));
        assert_eq!(meet(&mut form, &json!([{ "id": 3, "extra": true }])), [""; 0]);
        assert_eq!(meet(&mut form, &json!([])), [""; 0]);
        assert_eq!(meet(&mut form, &json!([{ "id": null }])), [""; 0]);
        let kept = serde_json::to_value(&form).expect("JSON");
        assert_eq!(serde_json::from_value::<RecordForm>(kept).expect("a form"), form);
    }
}
