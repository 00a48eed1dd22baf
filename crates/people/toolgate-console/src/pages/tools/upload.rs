//! The form of a trial, with or without files: texts are kept, files are streamed to the API.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use multer::Multipart;
use serde::Deserialize;
use toolgate_core::codes;

use crate::PageContext;
use crate::address::PageAddress;
use crate::csrf::{CSRF, check_csrf};
use crate::fields::FormFields;
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

/// The prefix of a field that takes a file: the argument follows.
pub(super) const UPLOAD: &str = "upload:";
/// Fields and files of one form.
const PARTS_MAX: usize = 2_000;

/// The content of a trial's form.
pub(super) struct TrialForm {
    pub(super) fields: FormFields,
    /// Files that were stored, by the argument that names them.
    pub(super) uploads: Vec<FormUpload>,
}

pub(super) struct FormUpload {
    pub(super) argument: String,
    pub(super) file: StoredFileData,
}

#[derive(Deserialize)]
pub(super) struct StoredFileData {
    pub(super) id: String,
}

impl FromRequest<PageContext> for TrialForm {
    type Rejection = Box<ApiProblem>;

    async fn from_request(request: Request, context: &PageContext) -> PageResult<Self> {
        let kind =
            request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let Ok(boundary) = multer::parse_boundary(kind) else {
            let fields = FormFields::from_request(request, context).await?;
            return Ok(Self { fields, uploads: Vec::new() });
        };
        let visit = request
            .extensions()
            .get::<PageVisit>()
            .cloned()
            .ok_or_else(|| ApiProblem::bad_form("you are not logged in"))?;
        // The storage limits files, and texts are counted below.
        let form = Multipart::new(request.into_body().into_data_stream(), boundary);
        read(&visit, form, context.form_bytes_max).await
    }
}

async fn read(
    visit: &PageVisit,
    mut form: Multipart<'static>,
    text_bytes_max: usize,
) -> PageResult<TrialForm> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut uploads = Vec::new();
    let mut text_bytes = 0;
    for _ in 0..PARTS_MAX {
        let Some(mut field) = form.next_field().await.map_err(|error| broken(&error))? else { break };
        let name = field.name().unwrap_or_default().to_owned();
        if let Some(argument) = name.strip_prefix(UPLOAD) {
            // Our forms say who they are before anything else.
            check_csrf(text_of(&pairs, CSRF), Some(&visit.csrf))?;
            if let Some(file) = store(visit, field).await? {
                uploads.push(FormUpload { argument: argument.to_owned(), file });
            }
            continue;
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|error| broken(&error))? {
            text_bytes += chunk.len();
            if text_bytes > text_bytes_max {
                return Err(too_large(text_bytes_max));
            }
            bytes.extend_from_slice(&chunk);
        }
        pairs.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
    check_csrf(text_of(&pairs, CSRF), Some(&visit.csrf))?;
    Ok(TrialForm { fields: FormFields::from(pairs), uploads })
}

fn text_of<'a>(pairs: &'a [(String, String)], wanted: &str) -> Option<&'a str> {
    pairs.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
}

/// `None` if no file was chosen: browsers send such a field without a name.
async fn store(visit: &PageVisit, field: multer::Field<'static>) -> PageResult<Option<StoredFileData>> {
    let Some(name) = field.file_name().filter(|name| !name.is_empty()).map(str::to_owned) else {
        return Ok(None);
    };
    let address = PageAddress::of(["files"]).with("name", name);
    let request = http::Request::post(address.as_str()).header(CONTENT_TYPE, "application/octet-stream");
    let request = request.body(Body::from_stream(field)).expect("addresses are well formed");
    visit.read(request).await.map(Some)
}

fn too_large(bytes_max: usize) -> Box<ApiProblem> {
    let detail = format!("the form is larger than {bytes_max} bytes, files aside");
    ApiProblem::new(StatusCode::PAYLOAD_TOO_LARGE, &codes::BODY_TOO_LARGE, detail)
        .hint("upload long contents as a file")
}

fn broken(error: &multer::Error) -> Box<ApiProblem> {
    ApiProblem::bad_form(format!("the form was incomplete: {error}")).hint("send it again")
}
