#![doc = include_str!("../README.md")]

pub mod address;
pub mod approval;
pub mod codes;
pub mod content;
pub mod decision;
pub mod digest;
pub mod event;
pub mod fault;
pub mod file;
pub mod governance;
pub mod id;
pub mod limits;
pub mod moment;
pub mod name;
pub mod platform;
pub mod port;
pub mod principal;
pub mod raw;
pub mod refusal;
pub mod registry;
pub mod rpc;
pub mod run;
pub mod scope;
pub mod server;
pub mod signature;
pub mod stop_point;
pub mod tool;

pub use digest::Digest;
pub use fault::{Blame, Fault, FaultKind};
pub use limits::Limits;
pub use name::{CanonicalName, DomainName, ServerName};
pub use principal::{Kind, Principal, PrincipalId, Role};
pub use raw::{Raw, RawJson};
pub use refusal::{Refusal, RefusalKind};
pub use rpc::RpcError;
pub use tool::{AuditLevel, Effects, Handling, OutputCheck, Tool};
