//! An API with a store in its own folder, and requests to it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolgate_archive::Archive;
use toolgate_catalog::Catalog;
use toolgate_core::approval::{Approval, Binding};
use toolgate_core::content::Attachment;
use toolgate_core::decision::{
    ApprovalRequirement, Decision, OnTimeout, Policy, PolicyRef, PolicyRequest, Verdict, Visibility,
    VisibilityRequest,
};
use toolgate_core::governance::{Approvals, Clock, NewApproval};
use toolgate_core::id::{CallId, RunId};
use toolgate_core::named_bytes::NamedBytes;
use toolgate_core::scope::{AgentName, Credential};
use toolgate_core::signature::SigningKey;
use toolgate_core::{CanonicalName, Digest, MessageLimits, Principal, PrincipalId, RawJson, Role};
use toolgate_discovery::Discovery;
use toolgate_files::{Files, StoragePlace};
use toolgate_pipeline::desk::ApprovalDesk;
use toolgate_registry::Registry;
use toolgate_runs::Runs;
use toolgate_sessions::{Sessions, SessionsSetup};
use toolgate_store::{Books, BooksSettings, Store};
use toolgate_tasks::TaskTools;

use super::citations_story::OneCitation;
use super::connectors_story::OneConnector;
use super::credential_box::CredentialBox;
use super::driven_kit::StillAgents;
use super::manifests_story::OneManifest;
use super::parts::{
    Allowing, AnyNumber, ApiClock, ApiEnvironment, OneFilter, OneTool, OneWebhook, Puppet, TwoMailboxes,
    TwoModels, catalog, tool,
};
use super::published_story::OneRegistry;
use super::quotas_story::TwoHolders;
use super::roster::{self, Drawer};
use super::run_contents::DigestsOnly;
use super::schemas_story::ByDigest;
use crate::{Api, CheckpointFolder, IncomingWebhook, LedgerSigner, Retention, Services, ToolCaller};

pub(super) const SECRET: &str = "whsec_dGhpcyBpcyBhIHNlY3JldA==";
pub(super) const BODY_BYTES_MAX: usize = 4096;
pub(super) const PARALLEL_CALLS_MAX: usize = 4;
pub(super) const UPLOAD_BYTES_MAX: u64 = 10_000;
/// The public URL of the test gateway.
pub(super) const PUBLIC_URL: &str = "http://gateway.test";

pub(super) struct Gate {
    pub(super) api: Api,
    pub(super) store: Store,
    pub(super) books: Arc<Books>,
    pub(super) clock: Arc<ApiClock>,
    pub(super) driven: Arc<StillAgents>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) registry: Arc<Registry>,
    pub(super) secrets: Arc<Drawer>,
    pub(super) files: Arc<Files>,
    pub(super) runs: Arc<Runs>,
    /// Not connected, unless a story does so.
    pub(super) tasks: Arc<TaskTools>,
    pub(super) shutdown: CancellationToken,
    pub(super) folder: TempDir,
}

/// The archive and the checkpoints of a ledger.
#[derive(Default)]
pub(super) struct BesideLedger {
    pub(super) archive: Option<Arc<dyn NamedBytes>>,
    pub(super) checkpoints: Option<Arc<dyn CheckpointFolder>>,
    pub(super) signer: Option<Arc<dyn LedgerSigner>>,
}

/// An answer, read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Read {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// Checks that it is a problem with all its parts, and tells its code.
    pub(super) fn problem(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status.as_u16());
        assert!(problem["type"].is_string() && problem["title"].is_string() && problem["detail"].is_string());
        assert!(problem["retry"].is_boolean(), "{problem}");
        assert!(["caller", "server", "gateway"].contains(&problem["fault"].as_str().expect("a fault")));
        problem["code"].as_str().expect("a code").to_owned()
    }
}

pub(super) fn somebody(id: &str, role: Role) -> Principal {
    Principal::new(PrincipalId::new(id), role)
}

/// A person of the group that must agree.
pub(super) fn approver(id: &str) -> Principal {
    Principal { groups: Arc::from(["finance".to_owned()]), ..somebody(id, Role::Approver) }
}

impl Gate {
    pub(super) async fn open() -> Self {
        Self::with_limits(MessageLimits { request_bytes_max: BODY_BYTES_MAX, ..MessageLimits::default() })
            .await
    }

    pub(super) async fn with_limits(limits: MessageLimits) -> Self {
        Self::with(limits, |_| Arc::new(Puppet)).await
    }

    /// With what stands beside the ledger.
    pub(super) async fn beside(ledger: BesideLedger) -> Self {
        Self::with_all(MessageLimits::default(), |_| Arc::new(Puppet), ledger).await
    }

    /// With another caller for the existing runs.
    pub(super) async fn with(
        limits: MessageLimits,
        caller: impl FnOnce(&Arc<Runs>) -> Arc<dyn ToolCaller>,
    ) -> Self {
        Self::with_all(limits, caller, BesideLedger::default()).await
    }

    async fn with_all(
        limits: MessageLimits,
        caller: impl FnOnce(&Arc<Runs>) -> Arc<dyn ToolCaller>,
        ledger: BesideLedger,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("a store");
        let settings = BooksSettings {
            stream: "one".into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await.expect("books"));
        let clock = Arc::new(ApiClock::default());
        let driven = StillAgents::new(&books);
        let shared: Arc<dyn Clock> = clock.clone();
        let redactor = toolgate_pipeline::redact::Redactor::new(vec![]).unwrap();
        let desk =
            ApprovalDesk::new(Arc::new(Gated), books.clone(), Arc::new(OneTool), shared.clone(), redactor);
        let catalog: Arc<Catalog> = Arc::new(catalog());
        let (secrets, shutdown) = (Arc::new(Drawer::default()), CancellationToken::new());
        let registry = roster::start(&store, &books, &shared, &shutdown).await;
        let discovery = Arc::new(Discovery::new(catalog.clone(), Arc::new(Allowing)));
        let around = ApiEnvironment { registry: registry.clone(), catalog: catalog.clone() };
        let sessions = Sessions::start(SessionsSetup {
            store: store.clone(),
            books: books.clone(),
            clock: shared.clone(),
            surroundings: Arc::new(around),
            shutdown: shutdown.clone(),
        });
        let sessions = sessions.await.expect("sessions");
        // They record the existing definitions; a test counts the events after that.
        let default = AgentName::default_agent();
        until("the definitions are known", async || {
            !sessions.versions(&default).await.expect("the store is there").is_empty()
        })
        .await;
        let files = files(&store, &books, &shared, &folder, &shutdown);
        let runs = Runs::start(toolgate_runs::RunsSetup {
            store: store.clone(),
            books: books.clone(),
            clock: shared.clone(),
            contents: Arc::new(DigestsOnly),
            stream: "one".into(),
            shutdown: shutdown.clone(),
        });
        let runs = runs.await.expect("runs");
        let tasks = Arc::new(TaskTools::default());
        let key = SigningKey::parse(SECRET).expect("a secret");
        let api = Api::new(Services {
            store: store.clone(),
            archive: ledger.archive.map(|place| Archive::new(store.clone(), place)),
            checkpoints: ledger.checkpoints,
            signer: ledger.signer,
            names: store.argument_names().await.expect("a key"),
            books: books.clone(),
            desk: Arc::new(desk),
            driven: driven.clone(),
            caller: caller(&runs),
            catalog: catalog.clone(),
            registry: registry.clone(),
            sessions,
            discovery,
            platform: Vec::new(),
            files: files.clone(),
            citations: Arc::new(OneCitation),
            manifests: Arc::new(OneManifest),
            schema_words: Arc::new(ByDigest),
            connectors: Arc::new(OneConnector),
            runs: runs.clone(),
            tasks: tasks.clone(),
            streams: Arc::new(AnyNumber),
            quotas: Arc::new(TwoHolders),
            parallel_calls_max: PARALLEL_CALLS_MAX,
            secrets: secrets.clone(),
            credentials: Arc::new(CredentialBox::new(&store, &books)),
            policy: Arc::new(Allowing),
            filters: Arc::new(OneFilter),
            outbound: Arc::new(OneWebhook),
            mail: Arc::new(TwoMailboxes),
            models: Arc::new(TwoModels),
            published: Arc::new(OneRegistry),
            retention: Retention { bodies_days: 90, files_days: Some(30), ..Retention::default() },
            clock: shared,
            webhooks: vec![IncomingWebhook {
                name: "chat".into(),
                key,
                groups: vec!["finance".into()],
                persons: None,
            }],
            limits,
            shutdown: shutdown.clone(),
        });
        Self {
            api,
            store,
            books,
            clock,
            catalog,
            registry,
            secrets,
            files,
            runs,
            tasks,
            driven,
            shutdown,
            folder,
        }
    }

    pub(super) async fn send(&self, request: Request<Full<Bytes>>) -> Read {
        let (parts, body) = self.api.serve(request).await.into_parts();
        // A stream is read up to the point where it is recognisable as one.
        let whole = parts.headers.get("content-type").is_none_or(|media| media != "text/event-stream");
        let bytes =
            if whole { body.collect().await.expect("it never fails").to_bytes() } else { Bytes::new() };
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        Read { status: parts.status, headers: parts.headers, text }
    }

    pub(super) async fn get(&self, who: &Principal, path: &str) -> Read {
        self.send(request(Method::GET, path, Some(who), "")).await
    }

    pub(super) async fn delete(&self, who: &Principal, path: &str) -> Read {
        self.send(request(Method::DELETE, path, Some(who), "")).await
    }

    pub(super) async fn post(&self, who: &Principal, path: &str, body: &str) -> Read {
        self.send(request(Method::POST, path, Some(who), body)).await
    }

    pub(super) async fn put(&self, who: &Principal, path: &str, body: &str) -> Read {
        self.send(request(Method::PUT, path, Some(who), body)).await
    }

    /// Asks for a transfer by `agent-7` that finance must agree to.
    pub(super) async fn ask(&self, arguments: &str) -> Approval {
        self.ask_in(arguments, None).await
    }

    /// The same in a run.
    pub(super) async fn ask_in(&self, arguments: &str, run: Option<RunId>) -> Approval {
        self.ask_naming(arguments, run, Vec::new()).await
    }

    /// The same with files that the arguments name.
    pub(super) async fn ask_naming(
        &self,
        arguments: &str,
        run: Option<RunId>,
        attachments: Vec<Attachment>,
    ) -> Approval {
        let tool = tool();
        let principal = somebody("agent-7", Role::Agent);
        let arguments = RawJson::parse(Bytes::from(arguments.to_owned())).expect("JSON");
        let new = NewApproval {
            call: CallId::new("tc_asked"),
            binding: Binding {
                principal: principal.id.clone(),
                tool: CanonicalName::recorded("bank:transfer"),
                tool_version: tool.version,
                proposed: toolgate_pipeline::canonical::digest_of(&arguments.decode().expect("JSON")),
                policies: requirement().basis(None),
            },
            requester: principal,
            arguments,
            attachments,
            credentials: Vec::new(),
            complete: true,
            requirement: requirement(),
            policy_version: None,
            session: None,
            opened_by: None,
            agent: None,
            template: None,
            run,
            task: None,
            timeout: Duration::from_secs(600),
        };
        self.books.open(new).await.expect("it is asked").approval
    }
}

fn files(
    store: &Store,
    books: &Arc<Books>,
    clock: &Arc<dyn Clock>,
    folder: &TempDir,
    shutdown: &CancellationToken,
) -> Arc<Files> {
    let settings = toolgate_files::FilesSettings {
        place: StoragePlace::Folder(folder.path().join("files")),
        upload_bytes_max: UPLOAD_BYTES_MAX,
        public_url: Some(PUBLIC_URL.to_owned()),
        ..toolgate_files::FilesSettings::default()
    };
    let setup = toolgate_files::FilesSetup {
        store: store.clone(),
        books: books.clone(),
        clock: clock.clone(),
        settings,
        signing_key: [7; 32],
        shutdown: shutdown.clone(),
    };
    Files::open(setup).expect("a place for files")
}

/// Requires approval for every call, and forbids expensive ones.
struct Gated;

impl Policy for Gated {
    fn decide(&self, question: &PolicyRequest<'_>) -> Decision {
        let decision = Allowing.decide(question);
        match decision.verdict {
            Verdict::Deny(_) => decision,
            _ => Decision { verdict: Verdict::Approve(requirement()), ..decision },
        }
    }

    fn visibility(&self, glimpse: &VisibilityRequest<'_>) -> Visibility {
        Allowing.visibility(glimpse)
    }

    fn version(&self) -> Digest {
        Policy::version(&Allowing)
    }
}

fn requirement() -> ApprovalRequirement {
    ApprovalRequirement {
        gates: vec![PolicyRef { id: "gates.cedar:1".into(), reason: None, text: Digest::of("gate") }],
        approvers: vec![vec!["finance".into()]],
        quorum: 1,
        timeout_seconds: None,
        on_timeout: OnTimeout::Deny,
        editable: true,
        unattended: false,
        excluded: Vec::new(),
    }
}

/// Waits until a condition holds.
pub(super) async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let waiting = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap_or_else(|_| panic!("never: {what}"));
}

pub(super) fn request(
    method: Method,
    path: &str,
    who: Option<&Principal>,
    body: &str,
) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(Bytes::from(body.to_owned())));
    *request.method_mut() = method;
    *request.uri_mut() = path.parse().expect("a path");
    request.headers_mut().insert("content-type", "application/json".parse().expect("a value"));
    if let Some(who) = who {
        introduce(&mut request, Credential::of(who.clone()));
    }
    request
}

/// The identity of the sender, as the edge sets it.
pub(super) fn introduce(request: &mut Request<Full<Bytes>>, credential: Credential) {
    request.extensions_mut().insert(credential.principal.clone());
    request.extensions_mut().insert(credential);
}
