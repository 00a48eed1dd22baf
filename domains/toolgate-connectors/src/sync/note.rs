//! The places in the streams, in the metadata of the manifest that has the records up to there.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::form::RecordForm;
use crate::pages::PagePlace;

/// The member of the metadata.
const MEMBER: &str = "connector";

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct SyncNote {
    #[serde(default)]
    pub(super) streams: BTreeMap<String, StreamPosition>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct StreamPosition {
    /// The end of the last whole reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cursor: Option<Value>,
    /// The next page of a reading that is not whole yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    /// The cursor of that reading, once it is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending: Option<Value>,
    #[serde(default)]
    pub(super) form: RecordForm,
}

impl SyncNote {
    /// The note of a manifest. One that somebody else made has none: its streams are read from their beginning.
    pub(super) fn read(metadata: Option<&Map<String, Value>>) -> Self {
        let member = metadata.and_then(|metadata| metadata.get(MEMBER)).cloned();
        member.and_then(|member| serde_json::from_value(member).ok()).unwrap_or_default()
    }

    pub(super) fn metadata(&self) -> Map<String, Value> {
        let member = serde_json::to_value(self).expect("texts and JSON are JSON");
        [(MEMBER.to_owned(), member)].into_iter().collect()
    }
}

impl StreamPosition {
    pub(super) fn place(&self) -> PagePlace<'_> {
        PagePlace { cursor: self.cursor.as_ref(), page: self.page.as_deref() }
    }

    pub(super) fn page(&self) -> Option<&str> {
        self.page.as_deref()
    }

    /// A page was read, and another one follows.
    pub(super) fn go_on(&mut self, page: String) {
        self.page = Some(page);
    }

    /// Pages may come newest first, so the newest cursor of all pages counts.
    pub(super) fn note_cursor(&mut self, cursor: Option<&Value>) {
        let Some(cursor) = cursor else { return };
        let is_newer = self.pending.as_ref().is_none_or(|pending| is_newer(cursor, pending));
        if is_newer {
            self.pending = Some(cursor.clone());
        }
    }

    /// The last page was read.
    pub(super) fn finish(&mut self) {
        self.cursor = self.pending.take().or_else(|| self.cursor.take());
        self.page = None;
    }

    /// The reading is given up; the next one begins at the cursor again.
    pub(super) fn restart(&mut self) {
        (self.page, self.pending) = (None, None);
    }
}

/// Numbers and texts have an order. Of other cursors, the later one counts.
fn is_newer(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one > other,
        (Value::Number(one), Value::Number(other)) => {
            let order = one.as_f64().partial_cmp(&other.as_f64());
            order == Some(Ordering::Greater)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reading_that_is_whole_moves_the_cursor_to_the_newest() {
        let mut position = StreamPosition::default();
        position.note_cursor(Some(&json!("2026-03")));
        position.go_on("p2".to_owned());
        position.note_cursor(Some(&json!("2026-01")));
        assert_eq!((position.place().cursor, position.page()), (None, Some("p2")));
        position.finish();
        assert_eq!((position.place().cursor, position.page()), (Some(&json!("2026-03")), None));
        // A reading without anything new says nothing.
        position.finish();
        assert_eq!(position.place().cursor, Some(&json!("2026-03")));
    }

    #[test]
    fn a_reading_that_is_given_up_begins_again() {
        let mut position = StreamPosition { cursor: Some(json!(7)), ..StreamPosition::default() };
        position.note_cursor(Some(&json!(9)));
        position.go_on("p2".to_owned());
        position.restart();
        position.finish();
        assert_eq!((position.place().cursor, position.page()), (Some(&json!(7)), None));
    }

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let position = StreamPosition {
            cursor: Some(json!({ "a": 1 })),
            page: Some("p".to_owned()),
            ..Default::default()
        };
        let note = SyncNote { streams: [("messages".to_owned(), position)].into() };
        assert_eq!(SyncNote::read(Some(&note.metadata())), note);
        assert_eq!(SyncNote::read(None), SyncNote::default());
        let foreign: Map<String, Value> = [(MEMBER.to_owned(), json!("mine"))].into_iter().collect();
        assert_eq!(SyncNote::read(Some(&foreign)), SyncNote::default());
    }
}
