//! Faults of requests: one sentence about what happened, then a hint.

use std::fmt::Display;

use engine_protocol::{ContentId, EngineErrorCode, EngineFault};

pub(crate) fn fault(code: EngineErrorCode, message: impl Into<String>) -> EngineFault {
    EngineFault { code, message: message.into(), hint: None, missing: Vec::new() }
}

pub(crate) fn bad_request(message: impl Into<String>, hint: &str) -> EngineFault {
    hinted(EngineErrorCode::BadRequest, message, hint)
}

pub(crate) fn too_large(message: impl Into<String>, hint: &str) -> EngineFault {
    hinted(EngineErrorCode::TooLarge, message, hint)
}

pub(crate) fn unsupported(message: impl Into<String>, hint: &str) -> EngineFault {
    hinted(EngineErrorCode::Unsupported, message, hint)
}

/// A fault of the engine or of its machine, such as a full disk.
pub(crate) fn internal(attempted: &str, error: impl Display) -> EngineFault {
    hinted(
        EngineErrorCode::Internal,
        format!("{attempted} failed: {error}"),
        "this is no fault of the request; see the engine's log and the room in its folder",
    )
}

pub(crate) fn cancelled() -> EngineFault {
    fault(EngineErrorCode::Cancelled, "the request was cancelled")
}

/// Names all of them, so that they are brought at once.
pub(crate) fn missing_contents(missing: Vec<ContentId>) -> EngineFault {
    let message = match missing.as_slice() {
        [one] => format!("the content {} is not in the engine's folder", one.as_str()),
        many => format!("{} contents are not in the engine's folder", many.len()),
    };
    EngineFault {
        code: EngineErrorCode::MissingContents,
        message,
        hint: Some("put them in the folder of contents and ask again".to_owned()),
        missing,
    }
}

pub(crate) fn hinted(code: EngineErrorCode, message: impl Into<String>, hint: &str) -> EngineFault {
    EngineFault { hint: Some(hint.to_owned()), ..fault(code, message) }
}
