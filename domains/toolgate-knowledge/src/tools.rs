//! The domain `knowledge`: its tools, one file each.

mod address;
mod create;
mod list;
mod output;
mod passages;
mod query;
mod research;

use toolgate_domain::Domain;

use crate::bases::KnowledgeBases;

/// The tools over knowledge bases.
pub fn domain() -> Domain<KnowledgeBases> {
    Domain::new()
        .tool(create::CREATE, create::create)
        .tool(list::LIST, list::list)
        .tool(query::QUERY, query::query)
        .tool(research::RESEARCH, research::research)
}
