//! Aliases: other names of tools.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use toolgate_catalog::Alias;
use toolgate_core::moment::rfc3339;
use utoipa::ToSchema;

use super::answer::json;
use crate::ApiContext;
use crate::problem::ApiResult;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AliasesPage {
    aliases: Vec<AliasView>,
}

/// An alias of a tool
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AliasView {
    #[schema(example = "documents.text.extract")]
    name: String,
    /// The canonical name of the tool.
    tool: String,
    /// When it stops working; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// True while it still works.
    in_use: bool,
    /// True if agents see the tool under this name.
    primary: bool,
    /// Its source: the file, the settings, or a server.
    owner: String,
}

/// List aliases, by name
#[utoipa::path(get, path = "/aliases", tag = "tools", responses((status = 200, description = "The aliases", body = AliasesPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let now_ms = context.clock.now_ms();
    let snapshot = context.catalog.snapshot();
    let aliases = snapshot.aliases.values().map(|alias| AliasView::of(alias, now_ms)).collect();
    Ok(json(StatusCode::OK, &AliasesPage { aliases }))
}

impl AliasView {
    fn of(alias: &Alias, now_ms: i64) -> Self {
        Self {
            name: alias.name.clone(),
            tool: alias.target.to_string(),
            until: alias.until_ms.map(rfc3339),
            in_use: alias.until_ms.is_none_or(|until_ms| now_ms < until_ms),
            primary: alias.primary,
            owner: alias.owner.clone(),
        }
    }
}
