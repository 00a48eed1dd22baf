//! Addresses that take one file, once. They are secret, so there is no token.

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_core::codes;
use toolgate_core::file::File;
use toolgate_core::id::UploadId;
use utoipa::IntoParams;

use super::answer::json;
use super::file_view::FileView;
use crate::ApiContext;
use crate::form::{self, FileFields, MultipartForm, NextPart};
use crate::problem::{ApiResult, Problem};
use crate::read::Query;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyQuery {
    /// Key in the upload URL
    #[serde(default)]
    key: Option<String>,
}

/// Upload a file to an upload URL
///
/// The file is the body, or the part `file` of a form. Its name was set when the URL was requested.
#[utoipa::path(put, path = "/uploads/{id}", tag = "files", params(("id" = String, Path, description = "upl_…"), KeyQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, description = "The file", body = FileView),
        (status = 400, description = "The upload was interrupted; the URL can be used again"),
        (status = 401, description = "The URL is incomplete"), (status = 404, description = "There is no such upload URL"),
        (status = 409, description = "The URL was already used"), (status = 410, description = "The URL has expired"),
        (status = 413, description = "The file is too large")))]
pub(crate) async fn put(
    State(context): State<ApiContext>,
    Path(id): Path<String>,
    Query(query): Query<KeyQuery>,
    request: Request,
) -> ApiResult<Response> {
    take(&context, &UploadId::new(id), query, request).await
}

/// Upload a file to an upload URL
///
/// The same as with PUT.
#[utoipa::path(post, path = "/uploads/{id}", tag = "files", params(("id" = String, Path, description = "upl_…"), KeyQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, description = "The file", body = FileView)))]
pub(crate) async fn post(
    State(context): State<ApiContext>,
    Path(id): Path<String>,
    Query(query): Query<KeyQuery>,
    request: Request,
) -> ApiResult<Response> {
    take(&context, &UploadId::new(id), query, request).await
}

async fn take(context: &ApiContext, id: &UploadId, query: KeyQuery, request: Request) -> ApiResult<Response> {
    let key = query.key.filter(|key| !key.is_empty()).ok_or_else(|| {
        Problem::new(&codes::SIGNATURE_MISSING, "the address is not whole: there is no `key`")
            .hint("use it exactly as it was issued")
    })?;
    let (parts, body) = request.into_parts();
    form::check_length(&parts.headers, context.files.settings().upload_bytes_max)?;
    let file = match MultipartForm::of(&parts.headers, body)? {
        Err(body) => context.files.take_upload(id, &key, body.into_data_stream()).await?,
        Ok(form) => take_form(context, id, &key, form).await?,
    };
    Ok(json(StatusCode::CREATED, &FileView::from(file)))
}

async fn take_form(
    context: &ApiContext,
    id: &UploadId,
    key: &str,
    mut form: MultipartForm,
) -> ApiResult<File> {
    loop {
        // The other fields of the form were fixed when the address was requested.
        match form.next(&mut FileFields::default()).await? {
            NextPart::Said => {}
            NextPart::File(file) => return Ok(context.files.take_upload(id, key, file.stream()).await?),
            NextPart::End => return Err(form::file_missing()),
        }
    }
}
