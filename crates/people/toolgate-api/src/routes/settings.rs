//! Settings: values that can be changed while the gateway runs, one under each key.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::Principal;
use toolgate_core::moment::rfc3339;
use toolgate_registry::{CurrentSetting, NewSettingValue, PastSetting, Refusal, RefusalKind};
use utoipa::ToSchema;

use super::answer::json;
use super::tag::{expected_version, tagged};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::Json;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingsPage {
    settings: Vec<SettingView>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingView {
    #[schema(example = "mcp_servers")]
    key: &'static str,
    #[schema(value_type = Object)]
    value: Value,
    /// Increases with every change; 0 if it was never changed.
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_by: Option<String>,
}

/// A new value
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettingBody {
    /// The whole value; it replaces the old one.
    #[schema(value_type = Object, example = json!([{ "name": "job-app", "url": "http://localhost:4000/mcp" }]))]
    value: Value,
    /// The reason of the change, which the ledger and the version keep. The setting `policy` needs one.
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingVersionsPage {
    /// The latest first, up to 50.
    versions: Vec<SettingVersionView>,
}

/// A value that a setting has or had
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingVersionView {
    version: u64,
    #[schema(value_type = Object)]
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    set_at: String,
    set_by: String,
}

/// List settings
#[utoipa::path(get, path = "/settings", tag = "settings",
    responses((status = 200, description = "All settings", body = SettingsPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let settings = context.registry.records().settings().await?;
    let settings = settings.into_iter().map(SettingView::from).collect();
    Ok(json(StatusCode::OK, &SettingsPage { settings }))
}

/// Show a setting
#[utoipa::path(get, path = "/settings/{key}", tag = "settings",
    params(("key" = String, Path, description = "mcp_servers, disabled_servers, aliases, registry, agents, capabilities, models or policy")),
    responses((status = 200, description = "The setting; `etag` is its version", body = SettingView),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(key): Path<String>) -> ApiResult<Response> {
    Ok(shown(context.registry.records().setting(&key).await?))
}

/// List the versions of a setting
///
/// Changing the setting to an earlier value takes a change back.
#[utoipa::path(get, path = "/settings/{key}/versions", tag = "settings",
    params(("key" = String, Path, description = "mcp_servers, disabled_servers, aliases, registry, agents, capabilities, models or policy")),
    responses((status = 200, description = "The versions that are kept", body = SettingVersionsPage),
        (status = 404, description = "Not found")))]
pub(crate) async fn versions(
    State(context): State<ApiContext>,
    Path(key): Path<String>,
) -> ApiResult<Response> {
    let view = |one: PastSetting| SettingVersionView {
        version: one.version,
        value: one.value,
        reason: one.reason,
        set_at: rfc3339(one.set_at_ms),
        set_by: one.set_by.to_string(),
    };
    let versions = context.registry.records().setting_versions(&key).await?;
    let versions = versions.into_iter().map(view).collect();
    Ok(json(StatusCode::OK, &SettingVersionsPage { versions }))
}

/// Change a setting
///
/// The whole value is checked before anything changes, and takes effect with the next call.
#[utoipa::path(patch, path = "/settings/{key}", tag = "settings", request_body = SettingBody,
    params(("key" = String, Path, description = "mcp_servers, disabled_servers, aliases, registry, agents, capabilities, models or policy"),
        ("if-match" = Option<String>, Header, description = "The `etag` of what was read: it is changed only if it still has this version")),
    responses((status = 200, description = "The new setting", body = SettingView),
        (status = 403, description = "Only admins change the setting `policy`"),
        (status = 404, description = "Not found"),
        (status = 412, description = "It was changed in the meantime; `version` is the current one"),
        (status = 422, description = "The value is not valid; `field` says which part")))]
pub(crate) async fn change(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(key): Path<String>,
    headers: HeaderMap,
    Json(body): Json<SettingBody>,
) -> ApiResult<Response> {
    let expected = expected_version(&headers)?;
    let new = NewSettingValue { value: body.value, expected, reason: body.reason };
    match context.registry.change_setting(&principal, &key, new).await {
        Ok(setting) => Ok(shown(setting)),
        Err(refusal) => Err(refused(&context, &key, refusal).await),
    }
}

/// A late client learns which version to read again.
pub(super) async fn refused(context: &ApiContext, key: &str, refusal: Refusal) -> Box<Problem> {
    if refusal.kind != RefusalKind::Stale {
        return refusal.into();
    }
    let problem = Box::<Problem>::from(refusal);
    match context.registry.records().setting(key).await {
        Ok(setting) => problem.with("version", setting.version),
        Err(_) => problem,
    }
}

fn shown(setting: CurrentSetting) -> Response {
    tagged(setting.version, json(StatusCode::OK, &SettingView::from(setting)))
}

impl From<CurrentSetting> for SettingView {
    fn from(setting: CurrentSetting) -> Self {
        Self {
            key: setting.key,
            value: setting.value,
            version: setting.version,
            updated_at: setting.updated_at_ms.map(rfc3339),
            updated_by: setting.updated_by.map(|by| by.to_string()),
        }
    }
}
