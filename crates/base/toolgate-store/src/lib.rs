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
    CONDEMNED_LEASE_MS, Claim, Doer, FILES_PAGE_MAX, FileEnd, FileFilter, NewUpload, StoreArtifactError,
    Stored, Touched, Upload,
};
pub use gateways::{
    CLAIM_SILENCE_MAX, ClaimError, GATEWAY_SILENCE_MAX, StoredGateway, StreamClaim, StreamWatch,
};
pub use grant::{GRANTS_MAX, Grants};
pub use ledger::{
    BadCallCursor, CALL_ENDS_MAX, CALLS_PAGE_MAX, CLOUD_EVENT_SOURCE, CLOUD_EVENT_TYPE_PREFIX, CallCursor,
    CallEnd, CallEnds, CallEntry, CallFilter, CallPage, CallStanding, CallState, ExportFormat, ExportedLines,
    LEDGER_PAGE_MAX, LedgerExport, LedgerFault, LedgerWriter, OUTBOX_LEASE_MS, Order, OutboxBatch, SinkStart,
    Tampering, Verified, ledger_event_cloudevent, ledger_event_json,
};
pub use login::StoredLogin;
pub use open::Others;
pub use outage::Outage;
pub use page::RUN_PAGE_MAX;
pub use registry::{
    Join, Joined, NAMES_PER_SERVER_MAX, RegisterError, RegisteredServer, Registering, RegistrationLimits,
    SealedSecret, SecretOrigin, Setting, StoredInstance, StoredTool, StoredVersion, ToolRowChange,
    ToolRowFilter, ToolRowPage, ToolRowsWritten, ToolTraits, VERSIONS_PER_TOOL_MAX, Whose, WriteSettingError,
};
pub use revisions::Revisions;
pub use run::{
    Act, BatchCall, Completion, Ending, Exhausted, InputAnswer, InputFilter, RUN_CALLS_MAX, RUN_DEPTH_MAX,
    RUNS_OPEN_MAX, RunCallState, RunError, RunFilter, Stepped, StoredRunCall, TaskVersion,
};
pub use server::{Counts, ServerStatus, StoredListing};
pub use session::{
    ChangeSessionError, Closing, NewSessionError, OpenSessions, SESSIONS_PAGE_MAX, SessionFilter,
    SessionKind, SessionMark, SessionStanding, StoredSession, Unused,
};
pub use store::Store;
pub use token::{NewToken, NewTokenSpec, Token, TokenState, is_reserved_principal};
pub use token_cache::TokenCache;
