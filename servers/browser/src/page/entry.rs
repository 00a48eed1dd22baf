//! Answers of the page script: trees of entries.

use serde::Deserialize;

/// One thing on a page. The names of the fields are short because there are many of them.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
pub(super) struct PageEntry {
    #[serde(rename = "r")]
    pub(super) role: String,
    #[serde(rename = "n", default)]
    pub(super) name: String,
    /// The number of its ref, for what can be acted on or expanded.
    #[serde(rename = "e")]
    pub(super) number: Option<u64>,
    /// The number that stands for its node from one snapshot to the next.
    #[serde(rename = "i", default)]
    pub(super) identity: u64,
    #[serde(rename = "l")]
    pub(super) level: Option<u8>,
    #[serde(rename = "v")]
    pub(super) value: Option<String>,
    #[serde(rename = "s", default)]
    pub(super) states: Vec<String>,
    /// Bounds, options, a placeholder or a hint, formatted by the script.
    #[serde(rename = "x", default)]
    pub(super) extra: String,
    /// 0 in the viewport, 1 near it, 2 far away.
    #[serde(rename = "z", default)]
    pub(super) zone: u8,
    #[serde(rename = "k", default)]
    pub(super) children: Vec<PageEntry>,
    /// The cells of a row that fits on a line.
    #[serde(rename = "t", default)]
    pub(super) cells: Vec<Vec<PageEntry>>,
    /// 1 if a modal dialog stands before it.
    #[serde(rename = "b", default)]
    pub(super) behind: u8,
    /// The number of nodes that the script left out here.
    #[serde(rename = "m", default)]
    pub(super) left_out: u64,
    #[serde(rename = "f")]
    pub(super) frame: Option<FrameHint>,
    /// The label of the frame that it is in; the script does not know it.
    #[serde(skip)]
    pub(super) label: String,
}

/// The way to find the frame of an element that shows one.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
pub(super) struct FrameHint {
    /// Its place among the frames of its window, -1 if unknown.
    pub(super) index: i64,
    pub(super) url: String,
}

/// The answer to `snapshot`.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
pub(super) struct PageAnswer {
    /// Another string for each document.
    #[serde(default)]
    pub(super) document: String,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) url: String,
    #[serde(default)]
    pub(super) entries: Vec<PageEntry>,
    /// The next ref.
    #[serde(default)]
    pub(super) next: u64,
    /// Limits left something out.
    #[serde(default)]
    pub(super) partial: bool,
    #[serde(default)]
    pub(super) scroll: PageScroll,
}

/// The part of a page that is in view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
pub(super) struct PageScroll {
    pub(super) y: i64,
    pub(super) height: i64,
}

impl PageEntry {
    pub(super) fn is(&self, role: &str) -> bool {
        self.role == role
    }

    /// The ref as callers write it.
    pub(super) fn reference(&self) -> Option<String> {
        self.number.map(|number| format!("{}e{number}", self.label))
    }

    /// Gives the label of its frame to an entry and to all below.
    pub(super) fn labelled(mut self, label: &str) -> Self {
        self.label = label.to_owned();
        self.children = all_labelled(self.children, label);
        self.cells = self.cells.into_iter().map(|cell| all_labelled(cell, label)).collect();
        self
    }
}

/// Entries of one frame, with its label.
pub(super) fn all_labelled(entries: Vec<PageEntry>, label: &str) -> Vec<PageEntry> {
    entries.into_iter().map(|entry| entry.labelled(label)).collect()
}
