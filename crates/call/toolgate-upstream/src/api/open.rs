//! Opening an API: its description is read, and it is introduced as a server would introduce itself.

use std::sync::Arc;

use serde_json::json;
use toolgate_core::RawJson;
use toolgate_core::server::ApiSpec;
use toolgate_outbound::OutboundSettings;
use toolgate_wire::ProtocolVersion;

use super::book::ApiBook;
use super::link::ApiLink;
use super::opened::ApiSources;
use crate::context::ServerContext;
use crate::link::ServerLink;
use crate::probe::{OpenError, ServerIntroduction};

/// Longer descriptions are cut.
const DESCRIPTION_CHARS_MAX: usize = 2000;

/// Reads the description and makes tools of it. The API itself is not asked anything.
pub(crate) async fn open(
    ctx: &Arc<ServerContext>,
    spec: &ApiSpec,
) -> Result<(ServerLink, ServerIntroduction), OpenError> {
    let way = OutboundSettings { reach: ctx.spec.reach, egress: ctx.spec.egress.clone() };
    let sources = ApiSources::new(&way, ctx.spec.connect_timeout, spec);
    let opened = sources.read(ctx).await.map_err(|trouble| OpenError::Fault(trouble.to_string()))?;
    let opening = introduction(ctx, &opened.book);
    let left_out = opened.book.left_out;
    if left_out > 0 {
        tracing::info!(server = %ctx.name(), left_out, "some operations of the description are no tools");
    }
    let link = ApiLink::new(ctx.clone(), sources, opened);
    Ok((ServerLink::Api(Box::new(link)), opening))
}

fn introduction(ctx: &ServerContext, book: &ApiBook) -> ServerIntroduction {
    let title = if book.title.is_empty() { ctx.name().as_str() } else { &book.title };
    let info = json!({ "name": ctx.name().as_str(), "title": title, "version": book.version });
    let description =
        book.description.as_deref().map(|text| text.chars().take(DESCRIPTION_CHARS_MAX).collect());
    ServerIntroduction {
        version: ProtocolVersion::LATEST_MODERN,
        capabilities: Some(capabilities(book)),
        server_info: Some(RawJson::from_serialize(&info)),
        instructions: description,
    }
}

/// Streams are declared as programs of connectors declare them.
fn capabilities(book: &ApiBook) -> RawJson {
    let mut said = json!({ "tools": {} });
    if !book.streams.is_empty() {
        let streams: Vec<&String> = book.streams.keys().collect();
        said["experimental"] = json!({ "dev.toolgate/connector": { "streams": streams } });
    }
    RawJson::from_serialize(&said)
}
