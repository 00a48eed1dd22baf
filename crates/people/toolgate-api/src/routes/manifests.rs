//! Manifests for people, a page of a folder at a time. Agents have the tools `substrate.manifest.*`.

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_core::substrate::ManifestDigest;
use utoipa::IntoParams;

use super::answer::json;
use super::artifacts::digest;
use crate::ApiContext;
use crate::manifests::{
    ManifestChangesPage, ManifestChangesRequest, ManifestEntriesPage, ManifestFolderRequest, ManifestView,
};
use crate::problem::ApiResult;
use crate::read::{Query, limit};

const PAGE_USUAL: usize = 100;
const PAGE_MAX: usize = 500;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestEntriesQuery {
    /// Folder whose entries are listed, such as reports/2026; usually the outermost
    #[serde(default)]
    folder: Option<String>,
    /// `next_after` of the previous page
    #[serde(default)]
    after: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestChangesQuery {
    /// Manifest to compare with, as its digest; without one, everything counts as added
    #[serde(default)]
    since: Option<String>,
    /// `next_after` of the previous page
    #[serde(default)]
    after: Option<String>,
    /// Maximum number of changes on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: Option<String>,
}

/// Show a manifest
#[utoipa::path(get, path = "/manifests/{sha256}", tag = "substrate",
    params(("sha256" = String, Path, description = "sha256:…, or the hexadecimal digits alone")),
    responses((status = 200, description = "The manifest, without its entries", body = ManifestView),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Path(sha256): Path<String>,
) -> ApiResult<Response> {
    let view = context.manifests.manifest(manifest("sha256", &sha256)?).await?;
    Ok(json(StatusCode::OK, &view))
}

/// List a folder of a manifest
///
/// Folders come as one entry each, so that a page is short however many paths lie in them.
#[utoipa::path(get, path = "/manifests/{sha256}/entries", tag = "substrate",
    params(("sha256" = String, Path, description = "sha256:…, or the hexadecimal digits alone"), ManifestEntriesQuery),
    responses((status = 200, description = "A page", body = ManifestEntriesPage),
        (status = 404, description = "Not found")))]
pub(crate) async fn entries(
    State(context): State<ApiContext>,
    Path(sha256): Path<String>,
    Query(query): Query<ManifestEntriesQuery>,
) -> ApiResult<Response> {
    let ManifestEntriesQuery { folder, after, limit: wanted } = query;
    let page = context.manifests.entries(ManifestFolderRequest {
        manifest: manifest("sha256", &sha256)?,
        folder: folder.map(with_slash).unwrap_or_default(),
        after,
        limit: limit(wanted.as_deref(), PAGE_USUAL, PAGE_MAX)?,
    });
    Ok(json(StatusCode::OK, &page.await?))
}

/// Compare a manifest with another one
#[utoipa::path(get, path = "/manifests/{sha256}/changes", tag = "substrate",
    params(("sha256" = String, Path, description = "sha256:…, or the hexadecimal digits alone"), ManifestChangesQuery),
    responses((status = 200, description = "A page", body = ManifestChangesPage),
        (status = 404, description = "Not found")))]
pub(crate) async fn changes(
    State(context): State<ApiContext>,
    Path(sha256): Path<String>,
    Query(query): Query<ManifestChangesQuery>,
) -> ApiResult<Response> {
    let ManifestChangesQuery { since, after, limit: wanted } = query;
    let page = context.manifests.changes(ManifestChangesRequest {
        old: since.map(|since| manifest("since", &since)).transpose()?,
        new: manifest("sha256", &sha256)?,
        after,
        limit: limit(wanted.as_deref(), PAGE_USUAL, PAGE_MAX)?,
    });
    Ok(json(StatusCode::OK, &page.await?))
}

fn manifest(parameter: &str, text: &str) -> ApiResult<ManifestDigest> {
    let shown: String = text.chars().take(80).collect();
    digest(parameter, &shown).map(ManifestDigest::new)
}

/// `reports` and `reports/` are the same folder.
fn with_slash(folder: String) -> String {
    let folder = folder.trim_matches('/');
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}
