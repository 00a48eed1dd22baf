#![doc = include_str!("../README.md")]

mod agent_version;
mod approval;
mod books;
pub mod clock;
mod counts;
mod cursor;
mod cut_off;
mod db;
mod error;
mod fault;
mod file;
mod gateways;
mod grant;
mod ledger;
mod login;
mod migrations;
mod open;
mod outage;
mod page;
mod pulse;
mod quota;
mod registry;
mod revisions;
mod row;
mod rows;
mod run;
mod secret;
mod server;
mod session;
mod store;
mod token;
mod token_cache;
mod waiting;
mod warrant;

pub use agent_version::{AgentVersion, NewAgentVersion};
pub use approval::{APPROVALS_PAGE_MAX, ApprovalFilter};
pub use books::{Books, BooksSettings};
pub use counts::WaitingCounts;
pub use cursor::PageCursor;
pub use error::StoreError;
pub use file::{
    Actor, ArtifactOutcome, BlobReservation, CONDEMNED_LEASE_MS, FILES_PAGE_MAX, FileEnd, FileFilter,
    NewUpload, StoreArtifactError, Upload, UploadClaim,
};
pub use gateways::{
    CLAIM_SILENCE_MAX, ClaimError, GATEWAY_SILENCE_MAX, StoredGateway, StreamClaim, StreamWatch,
};
pub use grant::{GRANTS_MAX, GrantFilter};
pub use ledger::{
    ArchivalLine, BadCallCursor, CALL_ENDS_MAX, CALLS_PAGE_MAX, CLOUD_EVENT_SOURCE, CLOUD_EVENT_TYPE_PREFIX,
    CallCursor, CallEnd, CallEnds, CallEntry, CallFilter, CallPage, CallStanding, CallState, ExportFormat,
    ExportedLines, LEDGER_PAGE_MAX, LedgerDay, LedgerExport, LedgerFault, LedgerOrder, LedgerVerification,
    LedgerWriter, LineFields, LinePlace, LineReader, OUTBOX_LEASE_MS, OutboxBatch, SinkStart, StreamEnd,
    Tampering, exported, ledger_event_cloudevent, ledger_event_json, ledger_root, ledger_start,
};
pub use login::StoredLogin;
pub use open::OtherUsersAccess;
pub use outage::Outage;
pub use page::RUN_PAGE_MAX;
pub use registry::{
    JoinKind, JoinedInstance, NAMES_PER_SERVER_MAX, NewInstance, RegisterError, RegisteredServer,
    RegistrationLimits, SealedSecret, SecretOrigin, SecretOwner, StoredInstance, StoredSetting, StoredTool,
    StoredVersion, ToolRowChange, ToolRowFilter, ToolRowPage, ToolRowsWritten, ToolTraits,
    VERSIONS_PER_TOOL_MAX, WriteSettingError,
};
pub use revisions::Revisions;
pub use run::{
    ActionStamp, BatchCall, BudgetExhausted, InputAnswer, InputFilter, RUN_CALLS_MAX, RUN_DEPTH_MAX,
    RUNS_OPEN_MAX, RunCallState, RunCompletion, RunEnding, RunError, RunFilter, SteppedRun, StoredRunCall,
    TaskVersion,
};
pub use server::{ListCounts, ServerStatus, StoredListing};
pub use session::{
    ChangeSessionError, IdleCriteria, NewSessionError, OpenSessions, SESSIONS_PAGE_MAX, SessionEnd,
    SessionFilter, SessionKind, SessionMark, SessionStanding, StoredSession,
};
pub use store::Store;
pub use token::{ListedToken, NewToken, NewTokenSpec, TokenState, is_reserved_principal};
pub use token_cache::TokenCache;
