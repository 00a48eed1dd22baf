//! A gateway with its engine, and documents under pointers.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, until_async};

use crate::files::archive::text;
use crate::files::bytes::base64;
use crate::governed::database::Backing;
use crate::live::site::{OPEN, Site};
use crate::toolgate;

/// `lawyer` sees the contracts, `clerk` sees only letters.
const AGENTS: &str = r#"
[[capabilities]]
name = "document"
[[capabilities]]
name = "index"
[[agents]]
name = "lawyer"
capabilities = ["document", "index"]
mounts = { pointers = ["legal"] }
[[agents]]
name = "clerk"
capabilities = ["document", "index"]
mounts = { pointers = ["letters"] }
"#;
/// Pointers that move are ingested when a test says so, and not by themselves.
pub(crate) const STILL: &str = "[index]\nfollow = false\n";
const UPLOADS_AT_ONCE: usize = 8;
/// Work whose engine failed is tried again after a pause.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const LEASE: &str = "# Lease\n\n## Notice period\n\nEither party may terminate the lease with a notice period of thirty days. \
    The notice is given in writing.\n";
pub(crate) const OFFICE: &str =
    "# Office\n\nThe office stands at the harbour. Ships pass its windows all day.\n";
pub(crate) const GARDEN: &str =
    "# Garden\n\nThe gardener waters the roses in the evening. Tulips need less of it.\n";

pub(crate) struct IndexLibrary {
    pub(crate) site: Site,
}

impl IndexLibrary {
    pub(crate) fn open(backing: Backing, more: &str) -> Self {
        engine_program();
        Self { site: Site::open_as(backing, &toml(more)) }
    }

    /// With three documents under the pointer `legal:contracts`, which nothing has indexed yet.
    pub(crate) async fn filled(backing: Backing, more: &str) -> Self {
        let library = Self::open(backing, more);
        let manifest = library.manifest(&three()).await;
        library.pointer("legal", "contracts", &manifest).await;
        library
    }

    pub(crate) fn admin(&self) -> &str {
        &self.site.gateway.admin
    }

    pub(crate) fn token(&self, agent: &str) -> String {
        self.site.token(&format!("--role agent --principal {agent}-bot --agent {agent}"))
    }

    pub(crate) async fn said(&self, token: &str, tool: &str, arguments: Value) -> HttpAnswer {
        self.site.rest(token, "POST", &format!("/tools/{tool}"), Some(arguments)).await
    }

    /// The data of a call by the operator, which must succeed.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> Value {
        self.done_by(self.admin(), tool, arguments).await
    }

    pub(crate) async fn done_by(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let said = self.said(token, tool, arguments.clone()).await;
        assert_eq!(said.status, 200, "{tool} {arguments}: {said:?}");
        said.json()["data"].take()
    }

    /// The status, code and message of a call that is refused. Every refusal says what would help.
    pub(crate) async fn refused(&self, token: &str, tool: &str, arguments: Value) -> (u16, String, String) {
        let said = self.said(token, tool, arguments.clone()).await;
        let error = said.json()["error"].take();
        assert!(error.is_object() && !text(&error["hint"]).is_empty(), "{tool} {arguments}: {said:?}");
        (said.status, text(&error["code"]).to_owned(), text(&error["message"]).to_owned())
    }

    /// An entry of a manifest, whose bytes are stored.
    pub(crate) async fn entry(&self, path: &str, bytes: &[u8]) -> Value {
        let name = path.rsplit('/').next().unwrap_or_default();
        let upload = json!({ "base64": base64(bytes), "filename": name });
        let stored = self.done("substrate.artifact.upload", upload).await;
        json!({ "path": path, "artifact_sha256": stored["sha256"] })
    }

    pub(crate) async fn entries(&self, documents: &[(&str, &[u8])]) -> Vec<Value> {
        let mut entries = Vec::with_capacity(documents.len());
        for some in documents.chunks(UPLOADS_AT_ONCE) {
            entries.extend(join_all(some.iter().map(|(path, bytes)| self.entry(path, bytes))).await);
        }
        entries
    }

    /// A manifest of documents, and its digest.
    pub(crate) async fn manifest(&self, documents: &[(&str, &[u8])]) -> String {
        let entries = self.entries(documents).await;
        self.manifest_of(json!({ "entries": entries, "message": "filled" })).await
    }

    /// A manifest that changes some documents of another one, and its digest.
    pub(crate) async fn edited(&self, base: &str, put: &[(&str, &[u8])], remove: &[&str]) -> String {
        let entries = self.entries(put).await;
        let edits = json!({ "base_sha256": base, "entries": entries, "remove": remove, "message": "edited" });
        self.manifest_of(edits).await
    }

    pub(crate) async fn manifest_of(&self, arguments: Value) -> String {
        text(&self.done("substrate.manifest.create", arguments).await["sha256"]).to_owned()
    }

    pub(crate) async fn pointer(&self, namespace: &str, name: &str, manifest: &str) {
        let pointer = json!({ "namespace": namespace, "name": name, "manifest_sha256": manifest });
        self.done("substrate.pointer.create", pointer).await;
    }

    /// Where `legal:contracts` leads to.
    pub(crate) async fn head(&self) -> String {
        let pointer = self.done("substrate.pointer.resolve", named("legal", "contracts")).await;
        text(&pointer["manifest_sha256"]).to_owned()
    }

    /// Moves `legal:contracts`.
    pub(crate) async fn advance(&self, manifest: &str) {
        let mut arguments = named("legal", "contracts");
        arguments["manifest_sha256"] = json!(manifest);
        self.done("substrate.pointer.advance", arguments).await;
    }

    /// Ingests `legal:contracts` to the end.
    pub(crate) async fn ingest(&self) -> Value {
        self.ingest_as(json!({})).await
    }

    /// The same with other arguments.
    pub(crate) async fn ingest_as(&self, arguments: Value) -> Value {
        let mut all = ingest_of("legal", "contracts");
        for (key, value) in arguments.as_object().expect("arguments") {
            all[key] = value.clone();
        }
        self.done("index.ingest", all).await
    }

    /// The data of a search by the operator in everything that has an index.
    pub(crate) async fn search(&self, query: &str) -> Value {
        self.done("index.search", json!({ "query": query })).await
    }

    /// The index of `legal:contracts`; null if there is none.
    pub(crate) async fn state(&self) -> Value {
        let status = self.done("index.status", named("legal", "contracts")).await;
        status["indexes"].get(0).cloned().unwrap_or_default()
    }

    /// Waits until that index is as it shall be.
    pub(crate) async fn state_is(&self, fits: impl Fn(&Value) -> bool) -> Value {
        let there = until_async(PATIENCE, || async { Some(self.state().await).filter(&fits) });
        match there.await {
            Some(there) => there,
            None => panic!("the index never became what it should: {:#}", self.state().await),
        }
    }

    /// The indexes that were published so far.
    pub(crate) async fn published(&self) -> usize {
        self.site.told("index.published").await.len()
    }

    /// The bytes of a digest in the storage.
    pub(crate) fn blob(&self, digest: &str) -> PathBuf {
        let found = find(self.site.gateway.data().join("files"), hex(digest));
        found.unwrap_or_else(|| panic!("{digest} is not in the storage"))
    }

    pub(crate) fn verify(&self) {
        self.site.say(&["ledger", "verify"]);
    }
}

/// The program of the engine, which lies beside the gateway.
pub(crate) fn engine_program() -> PathBuf {
    let engine = toolgate().with_file_name("toolgate-engine");
    assert!(
        engine.exists(),
        "{} is missing; build it with `cargo build -p capability-engine`",
        engine.display()
    );
    engine
}

fn toml(more: &str) -> String {
    format!("{OPEN}{AGENTS}{more}")
}

/// The documents of most tests.
pub(crate) fn three() -> [(&'static str, &'static [u8]); 3] {
    [("lease.md", LEASE.as_bytes()), ("office.md", OFFICE.as_bytes()), ("garden.md", GARDEN.as_bytes())]
}

/// A pointer as arguments name it.
pub(crate) fn named(namespace: &str, name: &str) -> Value {
    json!({ "namespace": namespace, "name": name })
}

/// The arguments of an ingest that waits for its end.
pub(crate) fn ingest_of(namespace: &str, name: &str) -> Value {
    json!({ "target": { "pointer": named(namespace, name) }, "wait_seconds": 60 })
}

pub(crate) fn hits(data: &Value) -> &[Value] {
    data["hits"].as_array().unwrap_or_else(|| panic!("no hits: {data:#}"))
}

/// The paths of all hits, each once, the best first.
pub(crate) fn paths(data: &Value) -> Vec<&str> {
    let mut paths = Vec::new();
    for hit in hits(data) {
        let path = text(&hit["path"]);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The digits of a digest.
pub(crate) fn hex(digest: &str) -> &str {
    digest.trim_start_matches("sha256:")
}

fn find(folder: PathBuf, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let mut found = entries.filter_map(|path| match path.is_dir() {
        true => find(path, name),
        false => path.ends_with(name).then_some(path),
    });
    found.next()
}
