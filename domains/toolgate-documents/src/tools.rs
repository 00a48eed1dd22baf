//! The domain `document`: its tools, one file each.

mod classify;
mod extract_tables;
mod parse;
mod source;
mod tier;

use toolgate_domain::Domain;

use crate::documents::Documents;

/// The tools over documents.
pub fn domain() -> Domain<Documents> {
    Domain::new()
        .tool(parse::PARSE, parse::parse)
        .tool(extract_tables::EXTRACT_TABLES, extract_tables::extract_tables)
        .tool(classify::CLASSIFY, classify::classify)
}
