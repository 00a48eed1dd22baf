//! Starting the server, and reading the documents that it made.

use std::ops::Deref;

use capability_documents::{Document, OpenOptions, open};
use capability_testkit::server;
use serde_json::Value;

pub(crate) struct MediaTransformClient(capability_testkit::Client);

pub(crate) async fn start() -> MediaTransformClient {
    start_with(&["--embedded-fonts"]).await
}

pub(crate) async fn start_with(arguments: &[&str]) -> MediaTransformClient {
    let command = server(env!("CARGO_BIN_EXE_media-transform-mcp"), arguments);
    MediaTransformClient(capability_testkit::Client::start(command).await)
}

impl Deref for MediaTransformClient {
    type Target = capability_testkit::Client;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl MediaTransformClient {
    /// The bytes behind a ref.
    pub(crate) async fn bytes(&self, answer: &Value) -> Vec<u8> {
        self.0.bytes(answer["ref_id"].as_str().unwrap()).await
    }

    pub(crate) async fn document(&self, answer: &Value) -> Document {
        open(&self.bytes(answer).await, None, &OpenOptions::default()).unwrap()
    }

    /// The words of a document that was made.
    pub(crate) async fn words(&self, answer: &Value) -> String {
        words(&self.document(answer).await.text())
    }
}

pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
