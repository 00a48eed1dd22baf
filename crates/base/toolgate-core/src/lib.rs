#![doc = include_str!("../README.md")]

// Who acts, and under which names.
pub mod id;
pub mod name;
pub mod principal;
pub mod scope;

// Tools and servers.
pub mod connector;
pub mod platform;
pub mod registry;
pub mod server;
pub mod tool;

// Models that agents think with.
pub mod model;

// Governance of calls.
pub mod approval;
pub mod decision;
pub mod event;
pub mod governance;

// Work and bytes.
pub mod automation;
pub mod claim;
pub mod content;
pub mod credential;
pub mod file;
pub mod named_bytes;
pub mod pointer;
pub mod run;
pub mod schema;
pub mod substrate;

// Addresses and messages outside.
pub mod address;
pub mod egress;
pub mod signature;

// Failures.
pub mod blame;
pub mod codes;
pub mod fault;
pub mod refusal;
pub mod rpc;

// Ports between edge and upstream, and limits.
pub mod limits;
pub mod port;

// Values that all of them use.
pub mod commitment;
pub mod digest;
pub mod moment;
pub mod raw;

// For tests that kill the process.
pub mod stop_point;

pub use blame::{Blame, RefusalKind};
pub use commitment::{Commitment, Salt};
pub use digest::Digest;
pub use fault::{Fault, FaultKind};
pub use limits::MessageLimits;
pub use name::{CanonicalName, DomainName, ServerName};
pub use principal::{Principal, PrincipalId, PrincipalKind, Role};
pub use raw::{Raw, RawJson};
pub use refusal::Refusal;
pub use rpc::RpcError;
pub use tool::{AuditLevel, Effects, OutputCheck, Tool, ToolHandling};
