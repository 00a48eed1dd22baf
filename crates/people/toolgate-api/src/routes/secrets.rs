//! Secrets towards servers: stored, listed by name, removed. No value ever leaves.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::moment::rfc3339;
use toolgate_core::{Principal, PrincipalId, ServerName};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, bad_parameter, server_name};
use crate::{ApiContext, SecretIdentity, SecretSource, StoredSecret};

const VALUE_BYTES_MAX: usize = 64 << 10;
const NAME_CHARS_MAX: usize = 128;
const PRINCIPAL_CHARS_MAX: usize = 256;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecretQuery {
    /// Owner; without it, the secret is shared by all principals that have none of their own
    #[serde(default)]
    principal: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SecretsPage {
    secrets: Vec<SecretView>,
}

/// A secret, without its value
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SecretView {
    name: String,
    /// The owner; absent if it is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    /// When it was stored; absent if it is stored outside the vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    /// vault, file, command or openbao.
    source: &'static str,
    /// Origins that it may be sent to, besides the addresses of the server in the configuration file; `*` is
    /// any.
    origins: Vec<String>,
}

/// The origins that a secret may be sent to
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OriginsBody {
    /// Each is scheme, host and port. `*` is every address of the server.
    #[schema(example = json!(["https://api.example.com"]))]
    origins: Vec<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecretBody {
    value: String,
}

/// List the names of a server's secrets
#[utoipa::path(get, path = "/secrets/{server}", tag = "secrets", params(("server" = String, Path, description = "The server's name")),
    responses((status = 200, description = "Names, never values", body = SecretsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Path(server): Path<String>,
) -> ApiResult<Response> {
    let secrets = context.secrets.list(&server_name(&server)?).await?;
    let secrets = secrets.into_iter().map(SecretView::from).collect();
    Ok(json(StatusCode::OK, &SecretsPage { secrets }))
}

/// Store a secret
///
/// Replaces a secret of the same name and owner. Headers and environment variables refer to it as
/// `${vault:NAME}`.
#[utoipa::path(put, path = "/secrets/{server}/{name}", tag = "secrets", request_body = SecretBody,
    params(("server" = String, Path, description = "The server's name"), ("name" = String, Path, description = "The secret's name"), SecretQuery),
    responses((status = 204, description = "Stored, encrypted"), (status = 422, description = "The secret is not valid")))]
pub(crate) async fn store(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path((server, name)): Path<(String, String)>,
    Query(query): Query<SecretQuery>,
    Json(body): Json<SecretBody>,
) -> ApiResult<Response> {
    let place = place(server_name(&server)?, name, query)?;
    check_value(&body.value)?;
    context.secrets.store(&principal, place, body.value).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Set the origins that a secret may be sent to
///
/// Replaces the previous origins, and applies to all secrets of this name, of all owners. Addresses of
/// the server in the configuration file need no permission.
#[utoipa::path(put, path = "/secrets/{server}/{name}/origins", tag = "secrets", request_body = OriginsBody,
    params(("server" = String, Path, description = "The server's name"), ("name" = String, Path, description = "The secret's name")),
    responses((status = 200, description = "The new origins", body = OriginsBody),
        (status = 422, description = "One of them is not an origin")))]
pub(crate) async fn allow(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path((server, name)): Path<(String, String)>,
    Json(body): Json<OriginsBody>,
) -> ApiResult<Response> {
    let SecretIdentity { server, name, .. } =
        place(server_name(&server)?, name, SecretQuery { principal: None })?;
    let origins = context.secrets.allow(&principal, server, name, body.origins).await?;
    Ok(json(StatusCode::OK, &OriginsBody { origins }))
}

/// Remove a secret
#[utoipa::path(delete, path = "/secrets/{server}/{name}", tag = "secrets",
    params(("server" = String, Path, description = "The server's name"), ("name" = String, Path, description = "The secret's name"), SecretQuery),
    responses((status = 204, description = "Removed"), (status = 404, description = "Not found")))]
pub(crate) async fn remove(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path((server, name)): Path<(String, String)>,
    Query(query): Query<SecretQuery>,
) -> ApiResult<Response> {
    let place = place(server_name(&server)?, name, query)?;
    let text = format!("server {:?} has no secret {:?}", place.server.as_str(), place.name);
    if context.secrets.remove(&principal, place).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Err(Problem::not_found(text).hint(format!("GET /secrets/{server} lists the names there are")))
}

fn place(server: ServerName, name: String, query: SecretQuery) -> ApiResult<SecretIdentity> {
    // The characters allowed in the braces of `${vault:NAME}`.
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.len() > NAME_CHARS_MAX || !name.bytes().all(fits) {
        let expected = format!("1 to {NAME_CHARS_MAX} of the characters A-Z a-z 0-9 . _ -");
        return Err(bad_parameter("name", &name, &expected));
    }
    let fits = |id: &str| !id.is_empty() && id.chars().count() <= PRINCIPAL_CHARS_MAX;
    match query.principal {
        Some(id) if !fits(&id) => Err(bad_parameter("principal", &id, "the id of a principal")),
        principal => {
            Ok(SecretIdentity { server, principal: principal.map(|id| PrincipalId::new(&id)), name })
        }
    }
}

/// A secret goes into a header or the environment, and NUL fits in neither.
fn check_value(value: &str) -> ApiResult<()> {
    let problem = match value {
        "" => "it is empty".to_owned(),
        _ if value.len() > VALUE_BYTES_MAX => format!("it is longer than {VALUE_BYTES_MAX} bytes"),
        _ if value.contains('\0') => "it has NUL in it".to_owned(),
        _ => return Ok(()),
    };
    let detail = format!("the secret cannot be used: {problem}");
    Err(Problem::new(&codes::SECRET_INVALID, detail).with("field", "value"))
}

impl From<StoredSecret> for SecretView {
    fn from(secret: StoredSecret) -> Self {
        let (source, updated_at) = match secret.source {
            SecretSource::Vault { updated_at_ms } => ("vault", Some(rfc3339(updated_at_ms))),
            SecretSource::Outside(kind) => (kind, None),
        };
        Self {
            name: secret.place.name,
            principal: secret.place.principal.map(|principal| principal.to_string()),
            updated_at,
            source,
            origins: secret.origins,
        }
    }
}
