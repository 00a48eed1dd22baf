#![doc = include_str!("../README.md")]

mod bad;
mod document;
mod limits;
mod method;
mod names;
mod operation;
mod plan;
mod reading;
mod reference;
mod schema;
mod security;
mod servers;
mod swagger;
mod tool;

#[cfg(test)]
mod tests;

pub use bad::{BadArguments, BadDocument};
pub use document::{ApiDocument, read};
pub use limits::{DEPTH_MAX, DOCUMENTS_MAX, ReadLimits};
pub use method::{ApiEffects, Method};
pub use plan::{ApiBody, ApiRequest, FileArgument, FileLabel, FileLabels, RequestPlan};
pub use security::{SecretParameter, SecretPlace, SecurityKind, SecurityScheme};
pub use servers::{ApiServer, join_base};
pub use tool::{ApiTool, ApiTools, SkippedOperation};
