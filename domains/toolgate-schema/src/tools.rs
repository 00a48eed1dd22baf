//! The domain `schema`: its tools, one file each.

mod deprecate;
mod get;
mod list;
mod output;
mod promote;
mod register;
mod validate;

use toolgate_domain::Domain;

use crate::schemas::SchemaVersions;

/// The tools over versioned schemas.
pub fn domain() -> Domain<SchemaVersions> {
    Domain::new()
        .tool(register::REGISTER, register::register)
        .tool(validate::VALIDATE, validate::validate)
        .tool(list::LIST, list::list)
        .tool(get::GET, get::get)
        .prepared_tool(promote::PROMOTE, promote::prepare, promote::promote)
        .tool(deprecate::DEPRECATE, deprecate::deprecate)
}
