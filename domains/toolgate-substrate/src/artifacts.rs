//! `substrate.artifact.*`: bytes under their digest, for the whole tenant.

mod look;
mod read;
mod upload;

use toolgate_domain::Domain;

use crate::state::Substrate;

pub(crate) fn tools(domain: Domain<Substrate>) -> Domain<Substrate> {
    domain
        .tool(upload::UPLOAD, upload::upload)
        .tool(look::INFO, look::info)
        .tool(look::URL, look::url)
        .tool(read::READ, read::read)
}
