//! Files in requests: in a form, or as the body itself with its name beside it. They are passed on as they
//! arrive.

mod metered;
mod name;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::Stream;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use multer::{Constraints, Field, Multipart, SizeLimit};
use toolgate_core::PrincipalId;
use toolgate_core::codes;
use toolgate_core::file::FileName;
use toolgate_files::{file_name, too_large};

use crate::problem::{ApiResult, Problem};
use metered::ByteMeter;
pub(crate) use name::beside;

/// The part of a form that is the file.
pub(crate) const FILE: &str = "file";
/// The fields that describe it.
const FIELDS: [&str; 3] = ["name", "expires_in_seconds", "owner"];
/// The maximum size of a field other than the file.
const FIELD_BYTES_MAX: u64 = 4 << 10;
/// The maximum size of a form besides its file: boundaries, headers, fields.
const FORM_BYTES_MAX: u64 = 64 << 10;

/// The description of an incoming file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct FileFields {
    pub(crate) name: Option<FileName>,
    pub(crate) owner: Option<PrincipalId>,
    pub(crate) keep: Option<Duration>,
}

impl FileFields {
    /// Adds one field.
    fn take(&mut self, field: &str, value: &str) -> ApiResult<()> {
        let is_new = match field {
            "name" => self.name.replace(file_name(value)?).is_none(),
            "owner" => self.owner.replace(PrincipalId::new(value)).is_none(),
            "expires_in_seconds" => self.keep.replace(seconds(value)?).is_none(),
            _ => return Err(unknown_field(field)),
        };
        match is_new {
            true => Ok(()),
            false => Err(Problem::bad_field(&codes::FIELD_INVALID, field, format!("`{field}` stands twice"))),
        }
    }

    /// The same for words that may be missing.
    pub(crate) fn with(mut self, field: &'static str, value: Option<&str>) -> ApiResult<Self> {
        if let Some(value) = value {
            self.take(field, value)?;
        }
        Ok(self)
    }

    pub(crate) fn name(&self) -> ApiResult<FileName> {
        self.name
            .clone()
            .ok_or_else(|| Problem::bad_field(&codes::NAME_MISSING, "name", "the file has no name"))
    }
}

fn seconds(value: &str) -> ApiResult<Duration> {
    let seconds = value.parse().map_err(|_| {
        let detail = format!("`expires_in_seconds`: {value:?} is no number of seconds");
        Problem::bad_field(&codes::FIELD_INVALID, "expires_in_seconds", detail)
    })?;
    Ok(Duration::from_secs(seconds))
}

fn unknown_field(field: &str) -> Box<Problem> {
    let known = FIELDS.iter().chain([&FILE]).copied().collect::<Vec<_>>().join(", ");
    Problem::bad_field(&codes::FIELD_UNKNOWN, field, format!("there is no field {field:?} here"))
        .hint(format!("a form has {known}"))
}

/// The next part of a form.
pub(crate) enum NextPart {
    Said,
    File(Box<FilePart>),
    End,
}

/// The bytes of a file, and the sender's name for it.
pub(crate) struct FilePart(Field<'static>);

impl FilePart {
    pub(crate) fn name(&self) -> ApiResult<Option<FileName>> {
        Ok(self.0.file_name().map(file_name).transpose()?)
    }

    pub(crate) fn stream(self) -> impl Stream<Item = Result<Bytes, multer::Error>> + Send {
        self.0
    }
}

/// A form on its way.
pub(crate) struct MultipartForm {
    parts: Multipart<'static>,
    meter: Arc<ByteMeter>,
}

impl MultipartForm {
    /// The body itself if it is not a form.
    pub(crate) fn of(headers: &HeaderMap, body: Body) -> ApiResult<Result<MultipartForm, Body>> {
        let media = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = media.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("multipart/form-data") {
            return Ok(Err(body));
        }
        let boundary = multer::parse_boundary(media).map_err(|error| bad_form(&error))?;
        let (meter, stream) = ByteMeter::over(body.into_data_stream());
        let sizes = SizeLimit::new().per_field(FIELD_BYTES_MAX).for_field(FILE, u64::MAX);
        let constraints = Constraints::new().size_limit(sizes);
        Ok(Ok(MultipartForm { parts: Multipart::with_constraints(stream, boundary, constraints), meter }))
    }

    /// Reads on up to the next file, or to the end. What was handed out before must have been read.
    pub(crate) async fn next(&mut self, said: &mut FileFields) -> ApiResult<NextPart> {
        self.meter.limit(FORM_BYTES_MAX);
        let Some(field) = self.parts.next_field().await.map_err(|error| bad_form(&error))? else {
            return Ok(NextPart::End);
        };
        let name = field.name().unwrap_or_default().to_owned();
        if name == FILE {
            self.meter.unlimit();
            return Ok(NextPart::File(Box::new(FilePart(field))));
        }
        if !FIELDS.contains(&name.as_str()) {
            return Err(unknown_field(&name));
        }
        let value = field.text().await.map_err(|error| bad_form(&error))?;
        said.take(&name, &value)?;
        Ok(NextPart::Said)
    }
}

fn bad_form(error: &multer::Error) -> Box<Problem> {
    use multer::Error as Why;
    match error {
        Why::FieldSizeExceeded { limit, field_name } => {
            let detail = format!("field {field_name:?} of the form is longer than {limit} bytes");
            Problem::new(&codes::FIELD_TOO_LARGE, detail)
        }
        Why::StreamReadFailed(_) | Why::IncompleteStream | Why::IncompleteFieldData { .. } => {
            let detail = format!("the form broke off, or is none: {error}");
            Problem::new(&codes::UPLOAD_CUT_OFF, detail)
        }
        error => Problem::new(&codes::FORM_BROKEN, format!("the form cannot be read: {error}")),
    }
}

pub(crate) fn file_missing() -> Box<Problem> {
    Problem::bad_field(&codes::FILE_MISSING, FILE, "the form has no part `file`")
}

pub(crate) fn second_file() -> Box<Problem> {
    Problem::bad_field(&codes::SECOND_FILE, FILE, "the form has more than one file, so none of them was kept")
}

/// Refuses a body whose declared length is too large.
pub(crate) fn check_length(headers: &HeaderMap, bytes_max: u64) -> ApiResult<()> {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let is_form = headers.get(CONTENT_TYPE).is_some_and(|media| media.as_bytes().starts_with(b"multipart/"));
    let beside = if is_form { FORM_BYTES_MAX } else { 0 };
    match length {
        Some(length) if length > bytes_max.saturating_add(beside) => Err(too_large(bytes_max).into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
