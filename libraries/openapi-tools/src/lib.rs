#![doc = include_str!("../README.md")]

mod bad;
mod document;
mod limits;
mod method;
mod plan;
mod security;
mod servers;
mod tool;

pub use bad::{BadArguments, BadDocument};
pub use document::{ApiDocument, read};
pub use limits::{DOCUMENTS_MAX, ReadLimits};
pub use method::{ApiEffects, Method};
pub use plan::{ApiBody, ApiRequest, FileArgument, RequestPlan};
pub use security::{SecretParameter, SecretPlace, SecurityKind, SecurityScheme};
pub use servers::{ApiServer, join_base};
pub use tool::{ApiTool, ApiTools, LeftOut};
