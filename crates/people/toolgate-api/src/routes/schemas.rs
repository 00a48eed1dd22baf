//! Versions of schemas, for people. Agents have the tools `schema.*`.

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_core::codes;
use toolgate_core::id::SchemaId;
use toolgate_core::schema::{SchemaKind, SchemaRecord, SchemaState};
use toolgate_store::{PageCursor, SCHEMAS_PAGE_MAX, SchemaFilter};
use utoipa::IntoParams;

use super::answer::json;
use super::schema_view::{SchemaDetailView, SchemaView, SchemasPage};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, bad_parameter, limit, word};

const PAGE_USUAL: usize = 50;
const KINDS: [&str; 4] = ["structured_type", "ontology_class", "relationship_type", "enum"];
const STATES: [&str; 4] = ["draft", "active", "deprecated", "superseded"];

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchemasQuery {
    /// Only this namespace
    #[serde(default)]
    namespace: Option<String>,
    /// Only versions of this name
    #[serde(default)]
    name: Option<String>,
    /// structured_type, ontology_class, relationship_type or enum
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// draft, active, deprecated or superseded
    #[serde(default)]
    status: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchemaQuery {
    /// Version to compare with; usually the one before
    #[serde(default)]
    #[param(value_type = Option<u64>)]
    compare_to: Option<String>,
}

/// List versions of schemas, newest first
#[utoipa::path(get, path = "/schemas", tag = "schema", params(SchemasQuery),
    responses((status = 200, description = "A page", body = SchemasPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<SchemasQuery>,
) -> ApiResult<Response> {
    let SchemasQuery { namespace, name, kind, status, cursor, limit: wanted } = query;
    let kind = word("type", kind.as_deref(), &KINDS, SchemaKind::parse)?;
    let state = word("status", status.as_deref(), &STATES, SchemaState::parse)?;
    let read = |text: &str| {
        text.parse::<PageCursor>().map_err(|_| bad_parameter("cursor", text, "a `next_cursor` of a page"))
    };
    let cursor = cursor.as_deref().map(read).transpose()?;
    let limit = limit(wanted.as_deref(), PAGE_USUAL, SCHEMAS_PAGE_MAX)?;
    let filter = SchemaFilter { namespace, name, kind, state };
    let (found, next) = context.store.schemas(&filter, cursor.as_ref(), limit).await?;
    let schemas = found.into_iter().map(SchemaView::from).collect();
    let next_cursor = next.map(|next| next.to_string());
    Ok(json(StatusCode::OK, &SchemasPage { schemas, next_cursor }))
}

/// Show a version of a schema, and what changed
#[utoipa::path(get, path = "/schemas/{id}", tag = "schema",
    params(("id" = String, Path, description = "sch_…"), SchemaQuery),
    responses((status = 200, description = "The version", body = SchemaDetailView),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Path(id): Path<String>,
    Query(query): Query<SchemaQuery>,
) -> ApiResult<Response> {
    let found = context.store.schema_by_id(&SchemaId::new(id.as_str())).await?;
    let schema =
        found.ok_or_else(|| Problem::new(&codes::UNKNOWN_SCHEMA, format!("there is no schema {id:?}")))?;
    let before = before(&context, &schema, query.compare_to.as_deref()).await?;
    let compared = before.as_ref().map(|before| before.definition.clone());
    let changes = match before {
        Some(before) => Some(context.schema_words.changes(before, schema.clone()).await),
        None => None,
    };
    let definition = schema.definition.clone();
    let view = SchemaDetailView { schema: schema.into(), definition, changes, compared };
    Ok(json(StatusCode::OK, &view))
}

/// The version to compare with: the named one, which must be there, or the one before, if there is one.
async fn before(
    context: &ApiContext,
    schema: &SchemaRecord,
    named: Option<&str>,
) -> ApiResult<Option<SchemaRecord>> {
    let number = match named {
        None => schema.version.saturating_sub(1),
        Some(text) => {
            text.parse().map_err(|_| bad_parameter("compare_to", text, "the number of a version"))?
        }
    };
    let found = context.store.schema_version(&schema.namespace, &schema.name, number).await?;
    match (found, named) {
        (None, Some(_)) => {
            let detail = format!("{:?} has no version {number}", schema.name);
            Err(Problem::new(&codes::UNKNOWN_SCHEMA, detail))
        }
        (found, _) => Ok(found),
    }
}
