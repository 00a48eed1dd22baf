//! The folder `docs`, built into the program.

use include_dir::{Dir, include_dir};

pub(super) static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../../docs");

/// The page about an error code, if there is one.
pub(crate) fn error_page(code: &str) -> Option<String> {
    let plain = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    let known = plain && FOLDER.get_file(format!("reference/errors/{code}.md")).is_some();
    known.then(|| format!("/docs/reference/errors/{code}"))
}
