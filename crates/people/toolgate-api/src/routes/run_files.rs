//! The input files of runs and tasks, as bodies name them.

use serde::Deserialize;
use toolgate_core::content::ContentHolder;
use toolgate_core::id::FileId;
use toolgate_core::run::{InputFile, Run};
use toolgate_core::scope::Credential;
use toolgate_core::{Refusal, RefusalKind};
use toolgate_files::ContentAccess;
use utoipa::ToSchema;

use crate::ApiContext;
use crate::problem::ApiResult;

/// A file of the caller, and its name in the run
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputFileBody {
    #[schema(example = "resume.pdf")]
    path: String,
    #[schema(example = "file_0198f5c2a4b07c3d8e1f")]
    file_id: String,
}

/// The files that a body names, if the caller may use them.
pub(super) async fn files(
    context: &ApiContext,
    credential: &Credential,
    parent: Option<&Run>,
    given: Vec<InputFileBody>,
) -> ApiResult<Vec<InputFile>> {
    let mut files = Vec::with_capacity(given.len());
    for (place, InputFileBody { path, file_id }) in given.into_iter().enumerate() {
        let found = usable(context, credential, parent, &FileId::new(file_id)).await;
        let file = found.map_err(|refusal| refusal.field(format!("input[{place}].file_id")))?;
        files.push(InputFile { path, file: file.id, digest: file.digest });
    }
    Ok(files)
}

/// A file of the caller, or one that the parent was given.
async fn usable(
    context: &ApiContext,
    credential: &Credential,
    parent: Option<&Run>,
    id: &FileId,
) -> Result<toolgate_core::file::File, Refusal> {
    let own = context.files.get(&ContentAccess::Person(&credential.principal), id).await;
    let is_unknown = own.as_ref().is_err_and(|refusal| refusal.kind == RefusalKind::NotFound);
    let Some(session) = parent.and_then(|parent| parent.session.clone()).filter(|_| is_unknown) else {
        return own;
    };
    let holder = ContentHolder {
        principal: credential.principal.clone(),
        session,
        opened_by: None,
        run: parent.map(|parent| parent.id.clone()),
        call: None,
    };
    context.files.get(&ContentAccess::Session(&holder), id).await
}
