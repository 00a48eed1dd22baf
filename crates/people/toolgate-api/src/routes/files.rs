//! Files: uploaded, listed, fetched, deleted. `toolgate-files` decides the owner.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderMap, Method, StatusCode};
use serde::Deserialize;
use toolgate_core::PrincipalId;
use toolgate_core::id::FileId;
use toolgate_core::scope::Credential;
use toolgate_files::{
    ContentAccess, FILES_PAGE_MAX, FileQuery, FoundContent, NewFile, PageCursor, StoredBlob, StoredKind,
    file_name,
};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::caller::ContentCaller;
use super::content::{ContentRequest, send};
use super::file_view::{FileView, FilesPage};
use crate::ApiContext;
use crate::form::{self, FileFields, MultipartForm, NextPart};
use crate::problem::ApiResult;
use crate::read::{Query, bad_parameter, limit};

const PAGE_USUAL: usize = 100;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilesQuery {
    /// Only files of this principal; only admins and operators see files of others
    #[serde(default)]
    owner: Option<String>,
    /// Only files of this name
    #[serde(default)]
    name: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadQuery {
    /// Name of the file, if the body is the file
    #[serde(default)]
    name: Option<String>,
    /// The time it is kept; by default as long as the gateway keeps files
    #[serde(default)]
    #[param(value_type = Option<u64>)]
    expires_in_seconds: Option<String>,
    /// Owner of the file; only for admins and operators
    #[serde(default)]
    owner: Option<String>,
}

/// A file in a form
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the form, which is read part by part")]
pub(crate) struct UploadForm {
    /// The file itself.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// The name of the file, if it differs from that of the part.
    name: Option<String>,
    expires_in_seconds: Option<u64>,
    owner: Option<String>,
}

/// Store a file
///
/// The file is the part `file` of a form, or the body itself; then `name`, the header `x-file-name`
/// (percent-encoded) or `content-disposition` has its name. Its media type is detected from its bytes.
#[utoipa::path(post, path = "/files", tag = "files", params(UploadQuery),
    request_body(content((UploadForm = "multipart/form-data"), (Vec<u8> = "application/octet-stream"))),
    responses((status = 201, description = "The file", body = FileView),
        (status = 400, description = "The upload was interrupted; nothing was kept"),
        (status = 403, description = "Only admins and operators may store files for others"),
        (status = 413, description = "The file is too large"),
        (status = 422, description = "The name is missing or not valid; `field` says what is wrong"),
        (status = 503, description = "The file storage is not available")))]
pub(crate) async fn upload(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<UploadQuery>,
    request: Request,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let (parts, body) = request.into_parts();
    let desk = FileIntake { context: &context, access: caller.access() };
    let said = query.read()?;
    desk.check(&said)?;
    form::check_length(&parts.headers, context.files.settings().upload_bytes_max)?;
    let (put, new) = match MultipartForm::of(&parts.headers, body)? {
        Ok(form) => desk.take_form(form, said).await?,
        Err(body) => desk.take_body(&parts.headers, body, said).await?,
    };
    let file = context.files.keep(&desk.access, put, new).await?;
    let location = format!("/files/{}", file.id);
    Ok(([(LOCATION, location)], json(StatusCode::CREATED, &FileView::from(file))).into_response())
}

/// The intake of files.
struct FileIntake<'a> {
    context: &'a ApiContext,
    access: ContentAccess<'a>,
}

impl FileIntake<'_> {
    /// Before the bytes arrive, as far as possible.
    fn check(&self, said: &FileFields) -> ApiResult<()> {
        self.context.files.owner(&self.access, said.owner.clone())?;
        self.context.files.keep_time(said.keep)?;
        Ok(())
    }

    async fn take_body(
        &self,
        headers: &HeaderMap,
        body: Body,
        mut said: FileFields,
    ) -> ApiResult<(StoredBlob, NewFile)> {
        if said.name.is_none() {
            said.name = form::beside(headers)?;
        }
        said.name()?;
        let put = self.context.files.receive(body.into_data_stream()).await?;
        Ok((put, new_file(said)?))
    }

    /// Fields may come before the file or after it.
    async fn take_form(
        &self,
        mut form: MultipartForm,
        mut said: FileFields,
    ) -> ApiResult<(StoredBlob, NewFile)> {
        let mut put = None;
        let mut own_name = None;
        loop {
            match form.next(&mut said).await? {
                NextPart::Said => self.check(&said)?,
                NextPart::File(_) if put.is_some() => return Err(form::second_file()),
                NextPart::File(file) => {
                    own_name = if said.name.is_none() { file.name()? } else { None };
                    put = Some(self.context.files.receive(file.stream()).await?);
                }
                NextPart::End => break,
            }
        }
        let put = put.ok_or_else(form::file_missing)?;
        said.name = said.name.or(own_name);
        Ok((put, new_file(said)?))
    }
}

fn new_file(said: FileFields) -> ApiResult<NewFile> {
    Ok(NewFile { name: said.name()?, owner: said.owner, keep: said.keep })
}

/// List files, newest first
///
/// Admins and operators see all files, others see their own.
#[utoipa::path(get, path = "/files", tag = "files", params(FilesQuery),
    responses((status = 200, description = "A page", body = FilesPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<FilesQuery>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, FILES_PAGE_MAX)?;
    let page = context.files.list(&caller.access(), query.read()?, limit).await?;
    Ok(json(StatusCode::OK, &FilesPage::from(page)))
}

/// Show a file
#[utoipa::path(get, path = "/files/{id}", tag = "files", params(("id" = String, Path, description = "file_…")),
    responses((status = 200, description = "The file", body = FileView),
        (status = 404, description = "Not found, or not available to the caller")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let file = context.files.get(&caller.access(), &FileId::new(id)).await?;
    Ok(json(StatusCode::OK, &FileView::from(file)))
}

/// Fetch the content of a file
///
/// Supports `range` for a part of it, and `if-none-match` with the `etag` of what the caller has.
#[utoipa::path(get, path = "/files/{id}/content", tag = "files",
    params(("id" = String, Path, description = "file_…"),
        ("range" = Option<String>, Header, description = "One range of bytes, such as bytes=0-1023")),
    responses((status = 200, description = "The whole content", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The requested range"), (status = 304, description = "Not modified"),
        (status = 404, description = "Not found, or not available to the caller"),
        (status = 416, description = "The range is outside the content; `content-range` has its length")))]
pub(crate) async fn content(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    let file = context.files.get(&caller.access(), &FileId::new(id)).await?;
    let found = FoundContent {
        what: StoredKind::File,
        digest: file.digest,
        bytes: file.bytes,
        media_type: file.media_type,
        name: Some(file.name),
    };
    send(&context, &ContentRequest::of(&method, &headers), found).await
}

/// Delete a file
///
/// What was made from it stays.
#[utoipa::path(delete, path = "/files/{id}", tag = "files", params(("id" = String, Path, description = "file_…")),
    responses((status = 204, description = "Removed"),
        (status = 403, description = "Only its owner and operators may delete it"),
        (status = 404, description = "Not found, or not available to the caller")))]
pub(crate) async fn delete(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let caller = ContentCaller::of(&context, &credential).await?;
    context.files.delete(&caller.access(), &FileId::new(id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

impl UploadQuery {
    fn read(&self) -> ApiResult<FileFields> {
        let said = FileFields::default().with("name", self.name.as_deref())?;
        let said = said.with("expires_in_seconds", self.expires_in_seconds.as_deref())?;
        said.with("owner", self.owner.as_deref())
    }
}

impl FilesQuery {
    fn read(self) -> ApiResult<FileQuery> {
        let cursor = |text: &str| {
            text.parse::<PageCursor>().map_err(|_| bad_parameter("cursor", text, "a `next_cursor` of a page"))
        };
        Ok(FileQuery {
            owner: self.owner.as_deref().map(PrincipalId::new),
            name: self.name.as_deref().map(file_name).transpose()?,
            cursor: self.cursor.as_deref().map(cursor).transpose()?,
        })
    }
}
