//! The domain `connector`: its tools, one file each.

mod list;
mod output;
mod preview;
mod status;
mod sync;
mod trying;

use toolgate_domain::Domain;

use crate::connectors::Connectors;

/// The tools over connectors.
pub fn domain() -> Domain<Connectors> {
    Domain::new()
        .tool(list::LIST, list::list)
        .tool(trying::TEST, trying::try_out)
        .tool(preview::PREVIEW, preview::preview)
        .tool(sync::SYNC, sync::sync)
        .tool(status::STATUS, status::status)
}
