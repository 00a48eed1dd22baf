//! One request: a place, a running engine, the contents that it lacks, and the answer.

use engine_protocol::{
    ContentId, EngineAnswer, EngineErrorCode, EngineRequest, IndexFile, IndexListing, Search,
};
use toolgate_core::{Refusal, codes};

use crate::contents::LostContent;
use crate::link::EngineLink;
use crate::places::RequestClass;
use crate::refusal;
use crate::supervision::RunningEngine;
use crate::waiting::RequestTrouble;

/// How often contents are brought for one request.
const ROUNDS_MAX: usize = 3;

impl EngineLink {
    /// Asks whichever engine runs.
    pub(crate) async fn ask<T: EngineAnswer>(
        &self,
        request: EngineRequest,
        class: RequestClass,
    ) -> Result<T, Refusal> {
        let running = self.supervisor.running().await?;
        self.ask_of(&running, request, class).await
    }

    /// Asks this very engine, which knows of requests before.
    pub(crate) async fn ask_of<T: EngineAnswer>(
        &self,
        running: &RunningEngine,
        request: EngineRequest,
        class: RequestClass,
    ) -> Result<T, Refusal> {
        let _place = self.places.take(class).await?;
        let mut rounds = 0;
        loop {
            let reply = running.talk.exchange(request.clone(), class.limit(&self.limits)).await;
            match reply {
                Ok(result) => {
                    return serde_json::from_value(result).map_err(|error| refusal::garbled(&error));
                }
                Err(RequestTrouble::Fault(fault))
                    if fault.code == EngineErrorCode::MissingContents && rounds < ROUNDS_MAX =>
                {
                    rounds += 1;
                    let brought = self.contents.bring_all(&fault.missing).await;
                    brought.map_err(|lost| lost_for(&request, lost))?;
                }
                Err(trouble) => return Err(refusal::unanswered(trouble, class)),
            }
        }
    }
}

/// A content that is not to be had is damage, if it is a file of an index.
fn lost_for(request: &EngineRequest, lost: LostContent) -> Refusal {
    let LostContent { content, refusal } = lost;
    match file_of(request, &content) {
        Some(file) if *refusal.code == codes::FILE_CHANGED => refusal::lost_file(file, &refusal.message),
        _ => refusal,
    }
}

/// The file of an index that a request names by its content.
fn file_of<'a>(request: &'a EngineRequest, content: &ContentId) -> Option<&'a IndexFile> {
    let listings: Vec<&IndexListing> = match request {
        EngineRequest::BeginBuild(begin) => begin.base.iter().collect(),
        EngineRequest::Search(search) => listings_of(search),
        EngineRequest::Explain(explain) => listings_of(&explain.search),
        EngineRequest::Passages(passages) => listings_of(&passages.search),
        EngineRequest::Check(listing) => vec![&**listing],
        _ => Vec::new(),
    };
    listings.into_iter().flat_map(|listing| &listing.files).find(|file| file.content == *content)
}

fn listings_of(search: &Search) -> Vec<&IndexListing> {
    search.indexes.iter().map(|index| &index.listing).collect()
}
