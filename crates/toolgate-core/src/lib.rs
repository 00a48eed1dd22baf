#![doc = include_str!("../README.md")]

pub mod fault;
pub mod limits;
pub mod name;
pub mod port;
pub mod principal;
pub mod raw;
pub mod rpc;
pub mod server;

pub use fault::{Blame, Fault, FaultKind};
pub use limits::Limits;
pub use name::{CanonicalName, ServerName};
pub use principal::{Principal, PrincipalId, Role};
pub use raw::{Raw, RawJson};
pub use rpc::RpcError;
