//! The names that a document has: that of its file, and its title.

use docir::DocOrigin;
use engine_protocol::Parse;

/// Types that readers of a DocIR may not know as the type of a file.
const UNKNOWN_TYPES: &[&str] = &["image/webp"];
/// Titles that programs write by themselves.
const NO_TITLES: &[&str] = &["untitled", "document", "unknown", "none", "title"];
/// Endings of file names, which are no titles.
const FILE_ENDINGS: &[&str] = &[
    ".doc", ".docx", ".dvi", ".indd", ".odt", ".pdf", ".ps", ".ppt", ".pptx", ".rtf", ".tex", ".txt", ".xls",
];
const TITLE_LETTERS_MAX: usize = 300;

/// The name of the file without its folder and ending; the beginning of its digest if it has none.
pub(super) fn name(request: &Parse) -> String {
    let file = file_name(request);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => file,
    }
}

fn file_name(request: &Parse) -> String {
    let said = request.file_name.as_deref().unwrap_or_default();
    let said = said.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    match said.is_empty() {
        true => request.artifact.as_str().chars().take(12).collect(),
        false => said.to_owned(),
    }
}

pub(super) fn origin(request: &Parse, media_type: &str) -> Option<DocOrigin> {
    let digest = request.artifact.as_str();
    let last = digest.get(digest.len().checked_sub(16)?..)?;
    let binary_hash = u64::from_str_radix(last, 16).ok()?;
    let is_known = !UNKNOWN_TYPES.contains(&media_type);
    is_known.then(|| DocOrigin { mimetype: media_type.to_owned(), binary_hash, filename: file_name(request) })
}

/// The title that a file says it has, unless it is the name of a file or what programs write by themselves.
pub(super) fn title(said: Option<&str>) -> Option<String> {
    let said = said?.trim();
    let said = said
        .split_once(" - ")
        .filter(|(program, _)| program.starts_with("Microsoft "))
        .map_or(said, |(_, rest)| rest);
    let lower = said.to_lowercase();
    let is_title = said.chars().filter(|letter| letter.is_alphabetic()).count() > 1
        && said.chars().count() <= TITLE_LETTERS_MAX
        && !NO_TITLES.contains(&lower.as_str())
        && !FILE_ENDINGS.iter().any(|ending| lower.ends_with(ending));
    is_title.then(|| said.to_owned())
}
