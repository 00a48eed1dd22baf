//! The domain `claim`: its tools, one file each.

mod create;
mod decide;
mod export;
mod get;
mod link_evidence;
mod list;
mod output;
mod put_type;
mod review;
mod revise;
mod supersede;
mod type_output;
mod types;
mod whole;

use toolgate_domain::Domain;

use crate::claims::Claims;

/// The tools over claims.
pub fn domain() -> Domain<Claims> {
    Domain::new()
        .tool(create::CREATE, create::create)
        .tool(revise::REVISE, revise::revise)
        .tool(link_evidence::LINK_EVIDENCE, link_evidence::link_evidence)
        .tool(review::REVIEW, review::review)
        .prepared_tool(decide::DECIDE, decide::prepare, decide::decide)
        .tool(get::GET, get::get)
        .tool(list::LIST, list::list)
        .tool(supersede::SUPERSEDE, supersede::supersede)
        .tool(export::EXPORT, export::export)
        .tool(put_type::PUT_TYPE, put_type::put_type)
        .tool(types::LIST_TYPES, types::list_types)
}
