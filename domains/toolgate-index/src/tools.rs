//! The domain `index`: its tools, one file each.

mod arguments;
mod evaluate;
mod explain;
mod ingest;
mod output;
mod search;
mod status;
mod target;

use toolgate_domain::Domain;

use crate::indexes::Indexes;

/// The tools over indexes.
pub fn domain() -> Domain<Indexes> {
    Domain::new()
        .tool(ingest::INGEST, ingest::ingest)
        .tool(search::SEARCH, search::search)
        .tool(explain::EXPLAIN, explain::explain)
        .tool(evaluate::EVALUATE, evaluate::evaluate)
        .tool(status::STATUS, status::status)
}
