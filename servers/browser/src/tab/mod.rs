//! A page that can be steered.

use std::path::PathBuf;
use std::time::Duration;

use capability_kit::Trouble;
use serde_json::Value;
use url::Url;

use crate::frame::{Frame, FrameId};
use crate::input::MouseEvent;
use crate::key::KeyChord;
use crate::shot::Shot;

pub struct Tab {}

/// The end of a navigation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Navigated {
    pub url: String,
    /// Of the document's answer; `None` where there was none, as within a page.
    pub status: Option<u16>,
    /// False if the document was not complete within the time limit; what there is can be used.
    pub loaded: bool,
}

impl Tab {
    pub fn id(&self) -> &str {
        todo!()
    }

    /// Waits for the document, not for all that it loads. Refuses schemes and hosts that may not be seen.
    pub async fn navigate(&self, _url: &Url) -> Result<Navigated, Trouble> {
        todo!()
    }

    /// Back for -1, forward for 1; 0 loads the page again.
    pub async fn history(&self, _delta: i32) -> Result<Navigated, Trouble> {
        todo!()
    }

    /// Waits after an action until document and network have been quiet for `quiet`, at most `max`.
    pub async fn settle(&self, _quiet: Duration, _max: Duration) {
        todo!()
    }

    /// The main one first, then depth first; with those of other processes.
    pub async fn frames(&self) -> Vec<Frame> {
        todo!()
    }

    /// The answer of `toolgate.<function>(argument)` of the page script, which has a world of its own in each document.
    pub async fn ask(&self, _frame: &FrameId, _function: &str, _argument: &Value) -> Result<Value, Trouble> {
        todo!()
    }

    pub async fn mouse(&self, _event: MouseEvent) -> Result<(), Trouble> {
        todo!()
    }

    /// Presses and releases.
    pub async fn key(&self, _key: &KeyChord) -> Result<(), Trouble> {
        todo!()
    }

    /// Types at once, as an input method does.
    pub async fn insert_text(&self, _text: &str) -> Result<(), Trouble> {
        todo!()
    }

    /// The place of a frame's viewport in the main frame's.
    pub async fn offset_of(&self, _frame: &FrameId) -> Result<(f64, f64), Trouble> {
        todo!()
    }

    /// Gives files to a file input, named by a ref of the page script (without the frame's label): `toolgate.element(reference)` is the node.
    pub async fn set_files(
        &self,
        _frame: &FrameId,
        _reference: &str,
        _files: &[PathBuf],
    ) -> Result<(), Trouble> {
        todo!()
    }

    pub async fn screenshot(&self, _shot: &Shot) -> Result<Vec<u8>, Trouble> {
        todo!()
    }

    /// In the page's own world, by value.
    pub async fn evaluate(&self, _expression: &str) -> Result<Value, Trouble> {
        todo!()
    }

    pub async fn url(&self) -> String {
        todo!()
    }

    pub async fn title(&self) -> String {
        todo!()
    }
}
