//! Secrets towards servers: stored, listed by name, removed. No value ever leaves.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::moment::rfc3339;
use toolgate_core::{Principal, PrincipalId, ServerName};
use utoipa::{IntoParams, ToSchema};

use super::{json, server_name};
use crate::problem::{Answered, Problem};
use crate::read::{Json, Query, bad_parameter};
use crate::{Context, SecretPlace, SecretSource, StoredSecret};

const VALUE_BYTES_MAX: usize = 64 << 10;
const NAME_CHARS_MAX: usize = 128;
const PRINCIPAL_CHARS_MAX: usize = 256;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecretQuery {
    /// Whose it is; without it, it is everybody's who has none of their own
    #[serde(default)]
    principal: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SecretsPage {
    secrets: Vec<SecretView>,
}

/// What may be told of a secret
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SecretView {
    name: String,
    /// Whose it is; absent if it is everybody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    /// When it was stored; absent if it is kept elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    /// vault, file, command or openbao.
    source: &'static str,
    /// Where it may be sent beside the addresses that the operator's file has for the server; `*` is everywhere.
    origins: Vec<String>,
}

/// Where a secret may be sent
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OriginsBody {
    /// Schemes, hosts and ports. `*` is every address of the server.
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
pub(crate) async fn list(State(context): State<Context>, Path(server): Path<String>) -> Answered<Response> {
    let secrets = context.secrets.list(&server_name(&server)?).await?;
    let secrets = secrets.into_iter().map(SecretView::from).collect();
    Ok(json(StatusCode::OK, &SecretsPage { secrets }))
}

/// Store a secret
///
/// It takes the place of one that has the same name and owner. Headers and environment name it as `${vault:NAME}`.
#[utoipa::path(put, path = "/secrets/{server}/{name}", tag = "secrets", request_body = SecretBody,
    params(("server" = String, Path, description = "The server's name"), ("name" = String, Path, description = "The secret's name"), SecretQuery),
    responses((status = 204, description = "It is stored, encrypted"), (status = 422, description = "It cannot be one")))]
pub(crate) async fn store(
    State(context): State<Context>,
    Extension(principal): Extension<Principal>,
    Path((server, name)): Path<(String, String)>,
    Query(query): Query<SecretQuery>,
    Json(body): Json<SecretBody>,
) -> Answered<Response> {
    let place = place(server_name(&server)?, name, query)?;
    check_value(&body.value)?;
    context.secrets.store(&principal, place, body.value).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Say where a secret may be sent
///
/// It takes the place of what was said before, and holds for all secrets of this name, whoever has one. Addresses that the
/// operator's file has for the server need no permission.
#[utoipa::path(put, path = "/secrets/{server}/{name}/origins", tag = "secrets", request_body = OriginsBody,
    params(("server" = String, Path, description = "The server's name"), ("name" = String, Path, description = "The secret's name")),
    responses((status = 200, description = "Where it may be sent from now on", body = OriginsBody),
        (status = 422, description = "One of them is no origin")))]
pub(crate) async fn allow(
    State(context): State<Context>,
    Extension(principal): Extension<Principal>,
    Path((server, name)): Path<(String, String)>,
    Json(body): Json<OriginsBody>,
) -> Answered<Response> {
    let SecretPlace { server, name, .. } =
        place(server_name(&server)?, name, SecretQuery { principal: None })?;
    let origins = context.secrets.allow(&principal, server, name, body.origins).await?;
    Ok(json(StatusCode::OK, &OriginsBody { origins }))
}

/// Remove a secret
#[utoipa::path(delete, path = "/secrets/{server}/{name}", tag = "secrets",
    params(("server" = String, Path, description = "The server's name"), ("name" = String, Path, description = "The secret's name"), SecretQuery),
    responses((status = 204, description = "It is gone"), (status = 404, description = "There is none")))]
pub(crate) async fn remove(
    State(context): State<Context>,
    Extension(principal): Extension<Principal>,
    Path((server, name)): Path<(String, String)>,
    Query(query): Query<SecretQuery>,
) -> Answered<Response> {
    let place = place(server_name(&server)?, name, query)?;
    let text = format!("server {:?} has no secret {:?}", place.server.as_str(), place.name);
    if context.secrets.remove(&principal, place).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Err(Problem::not_found(text).hint(format!("GET /secrets/{server} lists the names there are")))
}

fn place(server: ServerName, name: String, query: SecretQuery) -> Answered<SecretPlace> {
    // What can stand between the braces of `${vault:NAME}`.
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.len() > NAME_CHARS_MAX || !name.bytes().all(fits) {
        let expected = format!("1 to {NAME_CHARS_MAX} of the characters A-Z a-z 0-9 . _ -");
        return Err(bad_parameter("name", &name, &expected));
    }
    let fits = |id: &str| !id.is_empty() && id.chars().count() <= PRINCIPAL_CHARS_MAX;
    match query.principal {
        Some(id) if !fits(&id) => Err(bad_parameter("principal", &id, "the id of a principal")),
        principal => Ok(SecretPlace { server, principal: principal.map(|id| PrincipalId::new(&id)), name }),
    }
}

/// A secret goes into a header or the environment, and NUL fits in neither.
fn check_value(value: &str) -> Answered<()> {
    let problem = match value {
        "" => "it is empty".to_owned(),
        _ if value.len() > VALUE_BYTES_MAX => format!("it is longer than {VALUE_BYTES_MAX} bytes"),
        _ if value.contains('\0') => "it has NUL in it".to_owned(),
        _ => return Ok(()),
    };
    let detail = format!("the secret cannot be used: {problem}");
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "secret_invalid", detail).with("field", "value"))
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
