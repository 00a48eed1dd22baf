//! An OpenAPI document with the documents that it refers to.

use std::collections::BTreeSet;

use openapi_tools::{ApiDocument, BadDocument, DOCUMENTS_MAX, ReadLimits};

use super::source::{SourcePlace, SourceReader, SourceStamp, SourceTrouble};

/// A document that was read, and its place.
pub(super) struct ReadDocument {
    pub(super) document: ApiDocument,
    pub(super) place: SourcePlace,
    pub(super) stamp: SourceStamp,
}

/// Reads the document at `place`. `None` if it is still the one that `before` marks.
pub(super) async fn read(
    reader: &SourceReader,
    place: &SourcePlace,
    before: Option<&SourceStamp>,
) -> Result<Option<ReadDocument>, SourceTrouble> {
    let Some(found) = reader.read(place, before).await? else { return Ok(None) };
    let at = place.shown();
    let limits = ReadLimits::default();
    let bytes = found.bytes;
    let read = on_a_thread(move || openapi_tools::read(&bytes, &limits)).await?;
    let document = read.map_err(|bad| refused(&at, &bad))?;
    let document = supplied(reader, place, document).await?;
    Ok(Some(ReadDocument { document, place: place.clone(), stamp: found.stamp }))
}

/// The document with those that its references name, as far as they are allowed and there. Operations that need others are
/// left out, each with its reason.
async fn supplied(
    reader: &SourceReader,
    place: &SourcePlace,
    mut document: ApiDocument,
) -> Result<ApiDocument, SourceTrouble> {
    let mut asked = BTreeSet::new();
    while let Some(reference) = document.external_references().into_iter().find(|one| !asked.contains(one)) {
        asked.insert(reference.clone());
        if asked.len() > DOCUMENTS_MAX {
            break;
        }
        let other = SourcePlace::of(&reference, Some(place))?;
        if !place.may_lead_to(&other) {
            tracing::debug!(
                document = place.shown(),
                reference,
                "a reference leads elsewhere and is not followed"
            );
            continue;
        }
        let Some(found) = reader.read(&other, None).await? else { continue };
        let with_it = on_a_thread(move || {
            let outcome = document.supply(&reference, &found.bytes, &ReadLimits::default());
            outcome.map(|()| document)
        });
        document = with_it.await?.map_err(|bad| refused(&other.shown(), &bad))?;
    }
    Ok(document)
}

/// Runs what takes long without keeping others waiting.
pub(super) async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SourceTrouble> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.map_err(|_| SourceTrouble::Bad("the document could not be read: its reader broke down".to_owned()))
}

fn refused(place: &str, bad: &BadDocument) -> SourceTrouble {
    SourceTrouble::Bad(format!(
        "{place} is no document that tools can be made of: {bad}; check that `openapi` names an OpenAPI document of \
         version 2.0, 3.0 or 3.1, as JSON or YAML"
    ))
}
