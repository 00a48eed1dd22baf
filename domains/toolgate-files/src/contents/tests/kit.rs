use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::TryStreamExt;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use toolgate_core::codes;
use toolgate_core::content::{
    AttachedContents, Attachment, ContentHolder, Contents, ExpandedArguments, Suppliers, TrimmedResult,
};
use toolgate_core::id::FileId;
use toolgate_core::port::BoxFuture;
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{Digest, RawJson, Refusal, ServerName, Tool};

use crate::access::ContentAccess;
use crate::fixture::{FilesWorld, holder, name, sent};
use crate::settings::FilesSettings;

pub(super) const EXTRACTOR: &str = "doc-parser-mcp:extract_text";

/// Servers that return what they were given, and count.
pub(super) struct Others {
    /// Results of `resources/read`, by id.
    pub(super) kept: Mutex<HashMap<String, Value>>,
    pub(super) fetched: Mutex<Vec<(String, String, Option<String>)>>,
    /// The extractor's answer; `None` if there is no extractor.
    pub(super) text: Mutex<Option<Result<String, Refusal>>>,
    pub(super) extracted: AtomicUsize,
    pub(super) version: Mutex<Option<Digest>>,
    /// Taken for each extraction.
    pub(super) pace: Semaphore,
}

impl Default for Others {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            fetched: Mutex::default(),
            text: Mutex::new(Some(Ok("the text".to_owned()))),
            extracted: AtomicUsize::new(0),
            version: Mutex::new(Some(Digest::of("1"))),
            pace: Semaphore::new(1_000),
        }
    }
}

impl Suppliers for Others {
    fn extract<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        tool: &'a str,
        _file: &'a Attachment,
    ) -> BoxFuture<'a, Result<String, Refusal>> {
        Box::pin(async move {
            assert_eq!(tool, EXTRACTOR);
            self.pace.acquire().await.expect("it stays open").forget();
            self.extracted.fetch_add(1, Ordering::SeqCst);
            self.text.lock().clone().expect("there is an extractor")
        })
    }

    fn extractor_version(&self, _tool: &str) -> Option<Digest> {
        *self.version.lock()
    }

    fn fetch<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        server: &'a ServerName,
        own: &'a str,
        uri: Option<&'a str>,
    ) -> BoxFuture<'a, Result<RawJson, Refusal>> {
        let asked = (server.to_string(), own.to_owned(), uri.map(str::to_owned));
        self.fetched.lock().push(asked);
        let kept = self.kept.lock().get(own).cloned();
        let none = move || Refusal::new(&codes::UNKNOWN_REF, format!("no {own} at {server}"));
        Box::pin(async move { kept.map(RawJson::from).ok_or_else(none) })
    }
}

pub(super) struct ContentsScene {
    pub(super) world: FilesWorld,
    pub(super) others: Arc<Others>,
    pub(super) holder: ContentHolder,
}

impl ContentsScene {
    pub(super) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(super) async fn with(change: impl FnOnce(&mut FilesSettings)) -> Self {
        Self::of(FilesWorld::with(change).await)
    }

    pub(super) fn of(world: FilesWorld) -> Self {
        let others = Arc::<Others>::default();
        world.files.supply(others.clone());
        Self { world, others, holder: holder("ada", "ses_1", None) }
    }

    pub(super) async fn upload(&self, file_name: &str, bytes: impl Into<Bytes>) -> FileId {
        let access = ContentAccess::Session(&self.holder);
        let file = self.world.files.put(&access, name(file_name), sent(&bytes.into())).await;
        file.expect("it is stored").id
    }

    pub(super) async fn attach(&self, tool: &Tool, arguments: &Value) -> Result<AttachedContents, Refusal> {
        self.world.files.attach(&self.holder, tool, arguments).await
    }

    pub(super) async fn expand(
        &self,
        tool: &Tool,
        arguments: &Value,
        attached: &AttachedContents,
    ) -> Result<ExpandedArguments, Refusal> {
        self.world.files.expand(&self.holder, tool, arguments, &attached.attachments).await
    }

    /// The server's arguments, written out.
    pub(super) async fn sent(&self, tool: &Tool, arguments: Value) -> Result<Value, Refusal> {
        let attached = self.attach(tool, &arguments).await?;
        let expanded = self.expand(tool, &arguments, &attached).await?;
        Ok(written(expanded).await)
    }

    pub(super) async fn take_out(&self, tool: &Tool, result: &Value) -> TrimmedResult {
        self.world.files.take_out(&self.holder, tool, RawJson::from(result.clone()), &[]).await
    }

    /// The agent's version of a result.
    pub(super) async fn given(&self, tool: &Tool, result: &Value) -> Value {
        self.take_out(tool, result).await.result.decode().expect("it is JSON")
    }
}

pub(super) async fn written(expanded: ExpandedArguments) -> Value {
    let mut text = expanded.arguments.into_bytes();
    for insert in expanded.inserts.into_iter().rev() {
        let piece =
            insert.source.open().try_collect::<Vec<Bytes>>().await.expect("it is read to its end").concat();
        assert_eq!(insert.source.bytes(), piece.len() as u64);
        text.splice(insert.at..insert.at, piece);
    }
    serde_json::from_slice(&text).expect("the arguments are JSON")
}

pub(super) fn tool(server: &str, strategies: &[FileStrategy]) -> Tool {
    let mut tool = Tool::unread(&ServerName::new(server).expect("a name"), "work");
    tool.handling.files = strategies.iter().map(|strategy| FileSlot::of(*strategy)).collect();
    tool
}

/// The answer of a server that keeps a content.
pub(super) fn kept_answer(own: &str) -> Value {
    json!({"content": [], "structuredContent": {"ref_id": own, "format": "pdf"}})
}
