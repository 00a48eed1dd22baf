//! The API's data about pointers.

use maud::{Markup, html};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::parts::{self, BadgeTone, links};

#[derive(Deserialize)]
pub(super) struct PointersData {
    pub(super) pointers: Vec<PointerData>,
    #[serde(default)]
    pub(super) next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PointerData {
    pub(super) id: String,
    pub(super) namespace: String,
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) manifest: Option<String>,
    #[serde(default)]
    pub(super) description: String,
    pub(super) version: u64,
    /// The gateway alone moves it.
    pub(super) own: bool,
    pub(super) created_by: String,
    pub(super) created_at: String,
    pub(super) moved_at: String,
    #[serde(default)]
    pub(super) deleted_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PointerMovesData {
    pub(super) moves: Vec<PointerMoveData>,
    #[serde(default)]
    pub(super) next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PointerMoveData {
    pub(super) version: u64,
    pub(super) operation: String,
    #[serde(default)]
    pub(super) old: Option<String>,
    #[serde(default)]
    pub(super) new: Option<String>,
    pub(super) by: String,
    #[serde(default)]
    pub(super) call: Option<String>,
    #[serde(default)]
    pub(super) approval: Option<String>,
    #[serde(default)]
    pub(super) reason: String,
    pub(super) at: String,
}

/// The manifest that a pointer leads to, if it leads to one.
pub(super) fn manifest(digest: Option<&str>) -> Markup {
    html! { @match digest { Some(digest) => (links::manifest(digest)), None => span.soft { "nothing" }, } }
}

impl PointerData {
    /// `project/a:draft`
    pub(super) fn path(&self) -> String {
        format!("{}:{}", self.namespace, self.name)
    }

    pub(super) fn address(&self) -> PageAddress {
        PageAddress::of(["console", "pointers", &self.id])
    }

    pub(super) fn badge(&self) -> Markup {
        match (&self.deleted_at, self.own) {
            (Some(_), _) => parts::badge("deleted", BadgeTone::Bad),
            (None, true) => parts::badge("the gateway's own", BadgeTone::Plain),
            (None, false) => parts::badge(&self.kind, BadgeTone::Plain),
        }
    }

    pub(super) fn is_corpus(&self) -> bool {
        self.kind == "corpus"
    }

    /// True if a tool may move it at all.
    pub(super) fn moves(&self) -> bool {
        self.deleted_at.is_none() && !self.own && self.kind != "snapshot"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn snapshots_and_the_gateways_own_pointers_do_not_move() {
        let pointer = |kind: &str, own: bool| -> PointerData {
            let data = json!({ "id": "ptr_1", "namespace": "a", "name": "b", "type": kind, "version": 1, "own": own,
                "created_by": "ann", "created_at": "x", "moved_at": "x" });
            serde_json::from_value(data).expect("a pointer")
        };
        assert!(pointer("bundle", false).moves() && pointer("corpus", false).moves());
        assert!(!pointer("snapshot", false).moves() && !pointer("bundle", true).moves());
        assert_eq!(pointer("corpus", false).path(), "a:b");
    }
}
