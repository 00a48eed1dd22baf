//! Credentials for sites, which agents use by handle: created, listed, rotated, erased. No value ever leaves.

use std::collections::BTreeMap;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::credential::CredentialUser;
use toolgate_core::moment::{parse_rfc3339, rfc3339};
use toolgate_core::{Principal, ServerName, codes};
use toolgate_store::{CredentialField, StoredCredential};
use utoipa::ToSchema;

use super::answer::json;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, JsonObject};
use crate::{ApiContext, CredentialSpec, FieldInput};

/// A credential to be created
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CredentialBody {
    /// The name that people know it by. No other credential has it.
    #[schema(example = "Example Jobs (Ada)")]
    name: String,
    /// An address of the site: scheme, host and port count. It is https, or on this machine.
    #[schema(example = "https://jobs.example")]
    origin: String,
    /// What the site asks for, by name: `username`, `password`, `code` and the like.
    #[schema(value_type = BTreeMap<String, FieldBody>)]
    fields: BTreeMap<String, Value>,
    /// Who may use it: `agent:NAME`, `principal:ID` or `group:NAME`.
    #[schema(example = json!(["agent:applicant"]))]
    users: Vec<String>,
    /// The servers that may get its values. Their tools must have arguments for secrets.
    #[schema(example = json!(["browser"]))]
    servers: Vec<String>,
    /// When it ends; by default never.
    #[serde(default)]
    #[schema(example = "2027-01-01T00:00:00Z")]
    expires_at: Option<String>,
}

/// The value of a field: itself, or the name of a secret that has it
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldBody {
    /// The value. It is sealed, and never shown again.
    #[serde(default)]
    value: Option<String>,
    /// A secret of server `toolgate`, in the vault or under `[[secrets]]`, that may be sent to the origin.
    #[serde(default)]
    secret: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CredentialsPage {
    credentials: Vec<CredentialView>,
}

/// A credential, without its values
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CredentialView {
    /// Agents write it, a dot and the name of a field.
    #[schema(example = "cred_0198f5c2a4b07c3d8e1f")]
    id: String,
    name: String,
    /// The only origin that its values are for.
    origin: String,
    fields: Vec<FieldView>,
    /// Who may use it.
    users: Vec<String>,
    /// The servers that may get its values.
    servers: Vec<String>,
    created_by: String,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// When a call last used it, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FieldView {
    name: String,
    /// The secret that has its value, if it is not sealed here.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// When it got its value.
    updated_at: String,
}

/// List the credentials
#[utoipa::path(get, path = "/credentials", tag = "credentials",
    responses((status = 200, description = "By name, without values", body = CredentialsPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let credentials = context.credentials.list().await?;
    let credentials = credentials.into_iter().map(CredentialView::from).collect();
    Ok(json(StatusCode::OK, &CredentialsPage { credentials }))
}

/// Create a credential
///
/// Agents use it by its handle: the id, a dot and the name of a field. The gateway puts the value in the place of the handle after
/// a call was allowed, for arguments that the tool declares, and for the servers and users named here.
#[utoipa::path(post, path = "/credentials", tag = "credentials", request_body = CredentialBody,
    responses((status = 201, description = "Created, its values sealed", body = CredentialView),
        (status = 409, description = "Another credential has this name"),
        (status = 422, description = "It cannot be created like this")))]
pub(crate) async fn create(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Json(body): Json<CredentialBody>,
) -> ApiResult<Response> {
    let created = context.credentials.create(&principal, body.read()?).await?;
    Ok(json(StatusCode::CREATED, &CredentialView::from(created)))
}

/// Show a credential
#[utoipa::path(get, path = "/credentials/{id}", tag = "credentials",
    params(("id" = String, Path, description = "Its id or its name")),
    responses((status = 200, description = "Without values", body = CredentialView), (status = 404, description = "Not found"),
        (status = 410, description = "It was erased")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(id): Path<String>) -> ApiResult<Response> {
    let found = context.credentials.find(&id).await?;
    Ok(json(StatusCode::OK, &CredentialView::from(found)))
}

/// Give a field of a credential another value
///
/// The handle stays the same. Calls have the new value from now on.
#[utoipa::path(put, path = "/credentials/{id}/fields/{name}", tag = "credentials", request_body = FieldBody,
    params(("id" = String, Path, description = "Its id or its name"), ("name" = String, Path, description = "The field's name")),
    responses((status = 200, description = "Rotated", body = CredentialView), (status = 404, description = "Not found"),
        (status = 422, description = "There is no such field, or the value cannot be used")))]
pub(crate) async fn rotate(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path((id, name)): Path<(String, String)>,
    JsonObject(body): JsonObject,
) -> ApiResult<Response> {
    let value = FieldBody::of(&name, body.decode().unwrap_or_default())?.read(&name)?;
    let rotated = context.credentials.rotate(&principal, &id, &name, value).await?;
    Ok(json(StatusCode::OK, &CredentialView::from(rotated)))
}

/// Erase a credential
///
/// Its values are gone. Calls that name it are told that it was erased.
#[utoipa::path(delete, path = "/credentials/{id}", tag = "credentials",
    params(("id" = String, Path, description = "Its id or its name")),
    responses((status = 204, description = "Erased"), (status = 404, description = "Not found"),
        (status = 410, description = "It was erased before")))]
pub(crate) async fn erase(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    context.credentials.erase(&principal, &id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

impl CredentialBody {
    fn read(self) -> ApiResult<CredentialSpec> {
        let CredentialBody { name, origin, fields, users, servers, expires_at } = self;
        let field = |(name, given): (String, Value)| -> ApiResult<(String, FieldInput)> {
            let value = FieldBody::of(&name, given)?.read(&name)?;
            Ok((name, value))
        };
        let user = |text: &String| {
            text.parse::<CredentialUser>()
                .map_err(|bad| invalid("users", bad.to_string(), "such as agent:applicant"))
        };
        let server = |text: &String| {
            ServerName::new(text)
                .map_err(|bad| invalid("servers", bad.to_string(), "GET /servers lists those there are"))
        };
        let expires_at_ms = match expires_at {
            None => None,
            Some(text) => Some(parse_rfc3339(&text).ok_or_else(|| {
                let detail = format!("`expires_at` is not {text:?}");
                invalid("expires_at", detail, "write a time such as 2027-01-01T00:00:00Z")
            })?),
        };
        Ok(CredentialSpec {
            name,
            origin,
            fields: fields.into_iter().map(field).collect::<ApiResult<_>>()?,
            users: users.iter().map(user).collect::<ApiResult<_>>()?,
            servers: servers.iter().map(server).collect::<ApiResult<_>>()?,
            expires_at_ms,
        })
    }
}

impl FieldBody {
    /// Read by hand: a refusal must not repeat a value that stands in the wrong place.
    fn of(name: &str, given: Value) -> ApiResult<Self> {
        let Value::Object(mut members) = given else { return Err(unclear(name)) };
        let (value, secret) = (members.remove("value"), members.remove("secret"));
        match (value, secret) {
            (Some(Value::String(value)), None) if members.is_empty() => {
                Ok(Self { value: Some(value), secret: None })
            }
            (None, Some(Value::String(secret))) if members.is_empty() => {
                Ok(Self { value: None, secret: Some(secret) })
            }
            _ => Err(unclear(name)),
        }
    }

    fn read(self, name: &str) -> ApiResult<FieldInput> {
        match (self.value, self.secret) {
            (Some(value), None) => Ok(FieldInput::Value(value)),
            (None, Some(secret)) => Ok(FieldInput::Secret(secret)),
            _ => Err(unclear(name)),
        }
    }
}

fn unclear(name: &str) -> Box<Problem> {
    let detail = format!("the field {name:?} has not exactly one text, `value` or `secret`");
    invalid("fields", detail, "write {\"value\": \"…\"}, or {\"secret\": \"NAME\"}")
}

fn invalid(field: &str, detail: String, hint: &str) -> Box<Problem> {
    Problem::new(&codes::CREDENTIAL_INVALID, detail).hint(hint).with("field", field)
}

impl From<StoredCredential> for CredentialView {
    fn from(one: StoredCredential) -> Self {
        Self {
            id: one.id.to_string(),
            name: one.name,
            origin: one.origin,
            fields: one.fields.into_iter().map(FieldView::from).collect(),
            users: one.users.iter().map(ToString::to_string).collect(),
            servers: one.servers.iter().map(ToString::to_string).collect(),
            created_by: one.created_by.to_string(),
            created_at: rfc3339(one.created_at_ms),
            expires_at: one.expires_at_ms.map(rfc3339),
            last_used_at: one.last_used_at_ms.map(rfc3339),
        }
    }
}

impl From<CredentialField> for FieldView {
    fn from(one: CredentialField) -> Self {
        Self { name: one.name, secret: one.secret, updated_at: rfc3339(one.updated_at_ms) }
    }
}
