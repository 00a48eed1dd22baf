#![doc = include_str!("../README.md")]

// The entrance: a data folder or a database, opened.
mod open;
mod store;

// Databases, statements and rows.
mod advice;
mod cut_off;
mod db;
mod digest_list;
mod error;
mod known_days;
mod migrations;
mod row;
mod rows;

// Pages of lists.
mod cursor;
mod page;

// Governance: the books, the ledger and approvals.
mod approval;
mod books;
mod counts;
mod grant;
mod ledger;
mod shown;
mod waiting;
mod warrant;

// The registry and servers.
mod registry;
mod server;

// Sessions, agents and runs.
mod agent_loop;
mod agent_version;
mod automation;
mod quota;
mod run;
mod session;

// Files, and trees of them.
mod file;
mod substrate;

// Versions of schemas.
mod schema;

// Claims with their evidence and decisions.
mod claim;

// Documents, indexes over them, knowledge bases, and the long work behind them.
mod index;
mod knowledge;
mod work;

// Secrets, credentials and logins.
mod credential;
mod login;
mod saved_view;
mod secret;
mod token;
mod token_cache;

// Another database for the same store.
mod transfer;

// Several gateways on one database.
mod gateways;
mod revision_beat;
mod revisions;

// Time, and the availability of the database.
pub mod clock;
mod outage;
mod pulse;

// Failures on demand, for tests.
mod fault;

pub use agent_loop::{
    AnsweredTurn, BilledSummary, CHANGED_RUNS_MAX, Folding, LOOP_MESSAGES_PAGE_MAX, LOOP_TURNS_PAGE_MAX,
    LoopError, LoopLease, MessageVerification, NewMessage, SPEND_ROWS_MAX, SpendBy, SpendQuery, SpendRow,
};
pub use agent_version::{AgentVersion, NewAgentVersion};
pub use approval::{APPROVALS_PAGE_MAX, ApprovalFilter};
pub use automation::{
    AUTOMATIONS_MAX, AutomationError, BusyFires, FIRES_PAGE_MAX, FireClaim, FireHolder, FireOutcome,
    FireRetake, FireVerdict, InstantPass, MissedInstant, NewFire, WatchedAutomation,
};
pub use books::{Books, BooksSettings};
pub use claim::{
    CLAIM_DECISIONS_MAX, CLAIM_EVIDENCE_MAX, CLAIM_REVISIONS_MAX, CLAIM_TYPES_MAX, CLAIMS_PAGE_MAX,
    ClaimChangeError, ClaimFilter, ClaimRevising, ClaimSuperseding, ClaimTypeError, ClaimTypeWrite,
    LinkedEvidence, NewClaim, NewDecision, NewEvidence,
};
pub use counts::WaitingCounts;
pub use credential::{
    CREDENTIALS_MAX, CredentialField, FieldValue, NewCredential, NewCredentialError, SealedField,
    StoredCredential,
};
pub use cursor::PageCursor;
pub use error::StoreError;
pub use file::{
    Actor, ArtifactOutcome, BlobReservation, CONDEMNED_LEASE_MS, FILES_PAGE_MAX, FileEnd, FileFilter,
    NewUpload, ParsedDocument, StoreArtifactError, Upload, UploadClaim,
};
pub use gateways::{
    CLAIM_SILENCE_MAX, ClaimError, GATEWAY_SILENCE_MAX, StoredGateway, StreamClaim, StreamWatch,
};
pub use grant::{GRANTS_MAX, GrantFilter};
pub use index::{
    ActiveProfile, INDEX_BUILDS_MAX, INDEX_PROBLEMS_NAMED_MAX, IndexBuildKey, IndexBuildRow, IndexProblem,
    ProfileChangeError, ProfilePromotion,
};
pub use knowledge::{
    KNOWLEDGE_BASES_MAX, KNOWLEDGE_BASES_PAGE_MAX, KnowledgeBase, KnowledgeBaseError, KnowledgeBaseWrite,
};
pub use ledger::{
    ArchivalLine, AskedApproval, BadCallCursor, BodyCheck, CALL_ENDS_MAX, CALLS_COUNTED_MAX, CALLS_PAGE_MAX,
    CALLS_SEARCHED_MAX, CLOUD_EVENT_SOURCE, CLOUD_EVENT_TYPE_PREFIX, CallCounts, CallCursor, CallEnd,
    CallEnds, CallEntry, CallError, CallFilter, CallPage, CallStanding, CallState, CutOutcome, ErasureCounts,
    ErasureReport, ErasureRequest, ErasureScope, ExportFormat, ExportedLines, FaultyBody, Figure, FigureBy,
    FigureQuery, FigureSeries, FigureSpan, FigureSums, KeptBody, LEDGER_PAGE_MAX, LedgerCut, LedgerDay,
    LedgerExport, LedgerFault, LedgerOrder, LedgerVerification, LedgerWriter, LineFields, LinePlace,
    LineReader, OTHER_NAMES, OUTBOX_LEASE_MS, OutboxBatch, SignedRootMatch, SinkStart, StreamEnd, Tampering,
    TimeFigure, event_of_line, exported, ledger_event_cloudevent, ledger_event_json, ledger_root,
    ledger_start,
};
pub use login::{StoredLogin, login_label};
pub use open::{OtherUsersAccess, POSTGRES_CONNECTIONS, PostgresSettings, StoreVersion};
pub use outage::Outage;
pub use page::RUN_PAGE_MAX;
pub use registry::{
    JoinKind, JoinedInstance, NAMES_PER_SERVER_MAX, NewInstance, OutdatedServer, RegisterError,
    RegisteredServer, RegistrationLimits, SETTING_VERSIONS_MAX, SealedSecret, SecretOrigin, SecretOwner,
    SettingVersion, SettingWrite, StoredInstance, StoredSetting, StoredTool, StoredVersion, ToolRowChange,
    ToolRowFilter, ToolRowPage, ToolRowsWritten, ToolTraits, VERSIONS_PER_TOOL_MAX, WriteSettingError,
};
pub use revision_beat::Revisions;
pub use run::{
    ActionStamp, BatchCall, BudgetExhausted, CHECKPOINTS_KEPT_MAX, EndRequest, InputAnswer, InputFilter,
    LeftOutput, NewCheckpoint, NotePhase, NoteSubject, NumberedEvent, RUN_CALLS_MAX, RUN_DEPTH_MAX,
    RUN_EVENTS_MAX, RUN_EVENTS_PAGE_MAX, RUNS_OPEN_MAX, RunCallState, RunCheckpoint, RunCompletion,
    RunEnding, RunError, RunFilter, RunNote, SavedCheckpoint, SteppedRun, StoredRunCall, StoredTaskVersion,
    TASK_VERSIONS_MAX, TaskVersion, TaskWords,
};
pub use saved_view::{
    SAVED_VIEW_NAME_CHARS_MAX, SAVED_VIEW_QUERY_BYTES_MAX, SAVED_VIEWS_MAX, SavedView, SavedViewOutcome,
};
pub use schema::{
    NewSchema, RegisteredSchema, SCHEMA_VERSIONS_MAX, SCHEMAS_COMPARED_MAX, SCHEMAS_PAGE_MAX,
    SchemaChangeError, SchemaDeprecation, SchemaFilter, SchemaPromotion,
};
pub use server::{ListCounts, ServerStatus, StoredListing};
pub use session::{
    ChangeSessionError, IdleCriteria, NewSessionError, OpenSessions, SESSIONS_PAGE_MAX, SessionEnd,
    SessionFilter, SessionKind, SessionMark, SessionStanding, StoredSession,
};
pub use shown::ArgumentNames;
pub use store::Store;
pub use substrate::{
    COLLECTION_LEASE_MS, CollectionTerms, CollectionTurn, ManifestOutcome, ManifestPin, MarkKind, MarkedNode,
    MoveStamp, MovedPointer, NewHead, NewManifest, PINS_MAX, PINS_PAGE_MAX, POINTER_MOVES_PAGE_MAX,
    POINTERS_PAGE_MAX, PinError, PinFilter, PointerError, PointerFilter, RemovalStep, RootManifest,
    StoreManifestError, StoredManifest, UnreachedRows,
};
pub use token::{ListedToken, NewToken, NewTokenSpec, TokenState, is_reserved_principal};
pub use token_cache::TokenCache;
pub use transfer::{
    CopyProgress, StoreTransfer, TransferError, TransferOutset, TransferPhase, TransferReport,
};
pub use work::{NewWork, OpenedWork, WORKS_PAGE_MAX, WorkFilter, WorkRow, WorkState};
