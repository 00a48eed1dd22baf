//! The document that a call is about: an artifact, a file or a ref.

use toolgate_core::Refusal;
use toolgate_core::substrate::parse_digest;
use toolgate_domain::ToolContext;
use toolgate_files::FoundContent;

use crate::documents::Documents;
use crate::refusal::invalid;

const ONE_OF: &str = "give one of `artifact`, `file_id` and `ref_id`";

/// The three ways to name stored bytes.
pub(super) struct DocumentIds {
    pub(super) artifact: Option<String>,
    pub(super) file_id: Option<String>,
    pub(super) ref_id: Option<String>,
}

impl DocumentIds {
    /// True if none is given.
    pub(super) fn are_missing(&self) -> bool {
        self.artifact.is_none() && self.file_id.is_none() && self.ref_id.is_none()
    }
}

/// The bytes that the caller named and may read.
pub(super) async fn find(
    documents: &Documents,
    context: &ToolContext,
    ids: DocumentIds,
) -> Result<FoundContent, Refusal> {
    let DocumentIds { artifact, file_id, ref_id } = ids;
    let artifact = match artifact {
        Some(text) => Some(parse_digest(&text).map_err(|_| {
            invalid("`artifact` is no digest", "artifact").hint("give `sha256:` and 64 hexadecimal digits")
        })?),
        None => None,
    };
    let given: Vec<String> =
        [artifact.map(|digest| digest.to_string()), file_id, ref_id].into_iter().flatten().collect();
    match &given[..] {
        [id] => documents.files.find(&context.holder, id).await,
        [] => Err(invalid("no document is named", "artifact").hint(ONE_OF)),
        _ => Err(invalid("more than one document is named", "artifact").hint(ONE_OF)),
    }
}
