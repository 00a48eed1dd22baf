//! One request: the work that it asks for, on a thread or in a worker process.

use std::sync::Arc;

use engine_protocol::{EngineFault, EngineRequest};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::classify::classify;
use crate::fault::{bad_request, cancelled, internal};
use crate::ticket::RequestTicket;
use crate::workshop::Workshop;

/// The answer to a request, or a fault at once when it is cancelled. A thread that cannot be interrupted ends its work unheard.
pub(super) async fn answer(
    workshop: Arc<Workshop>,
    request: EngineRequest,
    ticket: RequestTicket,
) -> Result<Value, EngineFault> {
    let given_up = ticket.cancelled();
    tokio::select! {
        biased;
        () = given_up.cancelled() => Err(cancelled()),
        done = dispatch(workshop, request, ticket) => done,
    }
}

async fn dispatch(
    shop: Arc<Workshop>,
    request: EngineRequest,
    ticket: RequestTicket,
) -> Result<Value, EngineFault> {
    let (quick, long) = (Arc::clone(&shop.quick), Arc::clone(&shop.long));
    match request {
        EngineRequest::Hello => on_thread(quick, move || shop.greeting()).await,
        EngineRequest::Parse(parse) => value(shop.documents.parse(parse, ticket.cancelled()).await?),
        EngineRequest::PagePicture(picture) => {
            value(shop.documents.page_picture(picture, ticket.cancelled()).await?)
        }
        EngineRequest::Classify(asked) => {
            on_thread(quick, move || classify(&shop.contents, &shop.model, &asked)).await
        }
        EngineRequest::BeginBuild(begin) => on_thread(long, move || shop.builds.begin(*begin)).await,
        EngineRequest::PutDocuments(put) => on_thread(long, move || shop.builds.put(put, &ticket)).await,
        EngineRequest::DropDocuments(dropped) => {
            on_thread(long, move || shop.builds.drop_documents(&dropped)).await
        }
        EngineRequest::FinishBuild(finish) => on_thread(long, move || shop.builds.finish(finish.build)).await,
        EngineRequest::AbandonBuild(abandon) => {
            on_thread(long, move || {
                shop.builds.abandon(abandon.build);
                Ok(())
            })
            .await
        }
        EngineRequest::Search(search) => on_thread(quick, move || shop.searches.search(&search)).await,
        EngineRequest::Explain(explain) => on_thread(quick, move || shop.searches.explain(&explain)).await,
        EngineRequest::Passages(asked) => {
            on_thread(quick, move || shop.searches.passages(&asked.search)).await
        }
        EngineRequest::Check(listing) => on_thread(long, move || shop.searches.check(&listing)).await,
        EngineRequest::Cancel(id) => Err(bad_request(
            format!("the cancellation of {id} has no answer"),
            "cancellations are heard where lines are read",
        )),
    }
}

/// Runs blocking work when one of the lane's threads is free. The thread is taken until the work ends, cancelled or not.
async fn on_thread<T: Serialize + Send + 'static>(
    lane: Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, EngineFault> + Send + 'static,
) -> Result<Value, EngineFault> {
    let permit = lane.acquire_owned().await.map_err(|error| internal("waiting for a thread", error))?;
    let done = spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    value(done.await.map_err(|error| internal("the work of a thread", error))??)
}

fn value(answer: impl Serialize) -> Result<Value, EngineFault> {
    serde_json::to_value(answer).map_err(|error| internal("writing an answer", error))
}
