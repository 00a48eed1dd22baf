//! A gateway inside the process, for targets that need one: the readers are real, down to the store and the
//! files, and their surroundings answer at once.

mod around;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic;
use std::sync::{Arc, Once};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::{Catalog, CatalogUpdate, HintTrust, ServerSettings, ToolNameFilter, ToolRule};
use toolgate_core::content::ContentHolder;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::file::FileName;
use toolgate_core::id::SessionId;
use toolgate_core::port::SourceError;
use toolgate_core::scope::{AgentName, Mounts, Scope, Seat, TokenBudget};
use toolgate_core::server::{AskPermissions, ServerListing};
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{MessageLimits, Principal, PrincipalId, RawJson, Role, ServerName};
use toolgate_discovery::Discovery;
use toolgate_edge::{AllowedHosts, Gateway, GatewaySetup, Hub, Quotas};
use toolgate_files::{ContentAccess, Files, FilesSettings, ResultSettings, StoragePlace};
use toolgate_pipeline::filter::Filters;
use toolgate_pipeline::redact::Redactor;
use toolgate_pipeline::{Pipeline, PipelineSettings};
use toolgate_policy::{PolicyEngine, Sources};
use toolgate_store::{Books, BooksSettings, Store};

pub(crate) use around::{FuzzEnvironment, SECRET, SERVER, TOOLS};

/// After this many inputs everything stored is dropped: it must not fill the disk.
const INPUTS_MAX: usize = 5_000;
/// Small, so that small inputs reach it.
pub(crate) const TEXT_BYTES_MAX: usize = 2_000;

/// The contents that arguments can name: `file_1` and so on, in this order.
pub(crate) const CONTENTS: [(&str, &[u8]); 5] = [
    ("words.txt", b"some words, and \"more\" of them\n"),
    ("dot.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0"),
    ("page.pdf", b"%PDF-1.7\nsome \xff\xfe bytes"),
    ("clip.mp4", b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"),
    ("empty", b""),
];

pub(crate) struct FuzzGateway {
    pub(crate) runtime: Runtime,
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) files: Arc<Files>,
    pub(crate) holder: ContentHolder,
    pub(crate) around: Arc<FuzzEnvironment>,
    shutdown: CancellationToken,
    _folder: TempDir,
}

thread_local! {
    static HOUSE: RefCell<Option<(FuzzGateway, usize)>> = const { RefCell::new(None) };
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Runs something in this thread's house. A panic of any of its tasks is one here.
pub(crate) fn within<T>(deed: impl FnOnce(&FuzzGateway) -> T) -> T {
    HOUSE.with_borrow_mut(|kept| {
        if kept.as_ref().is_some_and(|(_, inputs)| *inputs >= INPUTS_MAX) {
            *kept = None;
        }
        let (house, inputs) = kept.get_or_insert_with(|| (FuzzGateway::open(), 0));
        *inputs += 1;
        let done = deed(house);
        assert!(!PANICKED.get(), "a task panicked");
        done
    })
}

impl FuzzGateway {
    fn open() -> Self {
        notice_panics();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime can be made");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shutdown = CancellationToken::new();
        let around = Arc::<FuzzEnvironment>::default();
        let seat = around.seat.get_or_init(|| Arc::new(seat())).clone();
        let (gateway, files) = runtime.block_on(async {
            let store = Store::open(&folder.path().join("data")).await.expect("the store opens");
            let books = BooksSettings {
                stream: "fuzz".to_owned(),
                approved_valid: Duration::from_secs(60),
                escalate_to: Vec::new(),
            };
            let books = Arc::new(store.books(books).await.expect("the books open"));
            let files = open_files(&folder, &store, &books, &around, &shutdown);
            (open_gateway(&books, &files, &around, &shutdown), files)
        });
        let house = Self {
            runtime,
            gateway,
            files,
            holder: ContentHolder::of(&seat),
            around,
            shutdown,
            _folder: folder,
        };
        for (at, (name, content)) in CONTENTS.into_iter().enumerate() {
            let id = house.upload(name, content).expect("it is stored");
            assert_eq!(id, format!("file_{}", at + 1), "inputs name files by these ids");
        }
        house
    }

    /// Keeps a file, and returns its id.
    pub(crate) fn upload(&self, name: &str, content: &[u8]) -> Option<String> {
        let pieces = [Ok::<_, SourceError>(Bytes::copy_from_slice(content))];
        let name = FileName::new(name).expect("it is a name");
        let access = ContentAccess::Session(&self.holder);
        let stored = self.runtime.block_on(self.files.put(&access, name, stream::iter(pieces)));
        stored.ok().map(|file| file.id.to_string())
    }
}

impl Drop for FuzzGateway {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

/// Tasks of a runtime may panic unnoticed. They run on the thread that waits for them.
fn notice_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            PANICKED.set(true);
            before(info);
        }));
    });
}

fn seat() -> Seat {
    let scope = Scope {
        layers: Vec::new(),
        mounts: Mounts::default(),
        template: None,
        servers: None,
        pinned: Vec::new(),
        token_budget: TokenBudget::Off,
        schema_diet: false,
        reveal_found: false,
    };
    Seat {
        principal: Principal::new(PrincipalId::new("ada"), Role::Agent),
        session: SessionId::new("ses_1"),
        agent: AgentName::default_agent(),
        scope_id: scope.id(),
        scope: Arc::new(scope),
        opened_by: None,
        run: None,
        task: None,
    }
}

fn open_files(
    folder: &TempDir,
    store: &Store,
    books: &Arc<Books>,
    around: &Arc<FuzzEnvironment>,
    shutdown: &CancellationToken,
) -> Arc<Files> {
    let settings = FilesSettings {
        place: StoragePlace::Folder(folder.path().join("files")),
        public_url: Some("http://gateway.test/".to_owned()),
        results: ResultSettings { text_bytes_max: TEXT_BYTES_MAX, ..ResultSettings::default() },
        ..FilesSettings::default()
    };
    let files = Files::open(toolgate_files::FilesSetup {
        store: store.clone(),
        books: Arc::clone(books),
        clock: around.clone(),
        settings,
        signing_key: [7; 32],
        shutdown: shutdown.clone(),
    });
    let files = files.expect("the files open");
    files.supply(around.clone());
    files
}

fn open_gateway(
    books: &Arc<Books>,
    files: &Arc<Files>,
    around: &Arc<FuzzEnvironment>,
    shutdown: &CancellationToken,
) -> Arc<Gateway> {
    let catalog = Arc::new(Catalog::new());
    let sources = Sources { folder: None, extra: Vec::new(), template: PolicyTemplate::Exploratory };
    let policy = Arc::new(PolicyEngine::load(sources).expect("a template alone loads"));
    let pipeline = Arc::new(Pipeline::new(toolgate_pipeline::PipelineSetup {
        policy: policy.clone(),
        approvals: books.clone(),
        ledger: books.clone(),
        clock: around.clone(),
        redactor: Redactor::new(Vec::new()).expect("no rules are good rules"),
        filters: Filters::new(&[]).expect("no filters are good filters"),
        settings: PipelineSettings { hold: Duration::ZERO, ..PipelineSettings::default() },
        closing: shutdown.clone(),
    }));
    let discovery = Arc::new(Discovery::new(catalog.clone(), policy));
    let hub = Hub::new(catalog, discovery.clone(), pipeline.clone());
    hub.arrange(offer());
    Gateway::new(GatewaySetup {
        discovery,
        seats: around.clone(),
        servers: around.clone(),
        pipeline,
        approvals: books.clone(),
        contents: files.clone(),
        handles: around.clone(),
        runs: around.clone(),
        quotas: Quotas::new(Vec::new(), around.clone()),
        platform: around.clone(),
        rest: None,
        hub,
        credentials: around.clone(),
        protected_resource: None,
        numbers: around.clone(),
        allowed: AllowedHosts::new(([127, 0, 0, 1], 8700).into(), &[], &[]),
        limits: MessageLimits { input_wait: Duration::from_millis(200), ..MessageLimits::default() },
        sealing_key: [7; 32],
        shutdown: shutdown.clone(),
    })
}

/// One server with every kind of offer.
fn offer() -> CatalogUpdate {
    let server = ServerName::new(SERVER).expect("it is a name");
    let raw = |value: Value| vec![RawJson::from(value)];
    let tools = TOOLS.map(|name| {
        let text = json!({"type": "string", "x-mcp-header": "What"});
        RawJson::from(json!({"name": name, "description": name, "inputSchema": {"type": "object", "properties": {"what": text}}}))
    });
    let listing = ServerListing {
        tools: tools.to_vec(),
        prompts: raw(json!({"name": "greet", "arguments": [{"name": "who"}]})),
        resources: raw(json!({"name": "page", "uri": "doc://page"})),
        templates: raw(json!({"name": "any", "uriTemplate": "doc://{name}"})),
        ..ServerListing::default()
    };
    let settings = ServerSettings {
        name: server.clone(),
        prefix: true,
        filter: ToolNameFilter::default(),
        hints: HintTrust::Believed,
        asks: AskPermissions { elicitation: true, sampling: true },
    };
    let files = Some(vec![FileSlot::of(FileStrategy::BinaryBase64)]);
    let rule = ToolRule { files, ..ToolRule::new(&format!("{SERVER}:upload")) };
    CatalogUpdate {
        servers: Some(vec![settings]),
        rules: Some(vec![rule]),
        listings: BTreeMap::from([(server, Some(listing))]),
        ..CatalogUpdate::default()
    }
}
