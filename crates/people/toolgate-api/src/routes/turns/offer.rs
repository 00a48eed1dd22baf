//! The tools that a driven run is offered: what `tools/list` gives its session, all pages of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use toolgate_core::model::OfferedTool;
use toolgate_core::run::ToolOffer;
use toolgate_core::scope::Seat;
use toolgate_core::server::ServerHealth;
use toolgate_core::{RawJson, ServerName};

use crate::ApiContext;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::routes::servers::statuses;

/// One page of a list, as a client of MCP reads it.
#[derive(Deserialize)]
struct ListedPage {
    tools: Vec<RawJson>,
    #[serde(default, rename = "nextCursor")]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct ListedTool {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "inputSchema")]
    input_schema: Option<RawJson>,
}

pub(super) async fn offer(context: &ApiContext, seat: Arc<Seat>) -> ApiResult<ToolOffer> {
    context.caller.settled().await;
    let away = away(context, &seat).await?;
    let listing = context.clone();
    let mut tools = run_blocking(move || listed(&listing, &seat)).await;
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(ToolOffer { tools, away })
}

fn listed(context: &ApiContext, seat: &Seat) -> Vec<OfferedTool> {
    let view = context.discovery.view(seat);
    let (mut tools, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = context.discovery.page(&view, &[], cursor.as_deref(), context.limits.page_size);
        let page = page.expect("the cursor is the one that the list gave");
        let page: ListedPage = page.decode().expect("a list is written by the gateway itself");
        // A definition that makes no sense to a model is not offered.
        let readable = page.tools.iter().filter_map(|tool| tool.decode::<ListedTool>().ok());
        tools.extend(readable.map(OfferedTool::from));
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => return tools,
        }
    }
}

impl From<ListedTool> for OfferedTool {
    fn from(tool: ListedTool) -> Self {
        Self {
            name: tool.name,
            description: tool.description.unwrap_or_default(),
            schema: tool.input_schema.unwrap_or(RawJson::EMPTY),
        }
    }
}

/// Servers that the session could have tools of, and that cannot be reached.
async fn away(context: &ApiContext, seat: &Seat) -> ApiResult<Vec<ServerName>> {
    let statuses = statuses(context).await?;
    let snapshot = context.discovery.snapshot();
    let listed: BTreeSet<&ServerName> = snapshot.tools.entries().iter().map(|entry| &entry.server).collect();
    let is_away = |server: &ServerName| match statuses.get(server).map(|status| status.state.health) {
        Some(ServerHealth::Healthy) => false,
        Some(ServerHealth::Degraded) => true,
        // Its state may be written a little later than its tools are listed.
        Some(ServerHealth::Starting) | None => !listed.contains(server),
    };
    // Nobody waits for a disabled server.
    let known = context.registry.servers().into_iter().filter(|server| server.disabled.is_none());
    let known = known.map(|server| server.name);
    Ok(known.filter(|server| seat.scope.could_hold(server) && is_away(server)).collect())
}
