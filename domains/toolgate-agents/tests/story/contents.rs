//! Contents that are never read: runs of these stories leave no files.

use toolgate_core::content::ContentHolder;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Digest, Refusal, codes};
use toolgate_runs::{ContentAuthor, RunContents, RunEntry, StateAddress, StateBytes};

pub(crate) struct NoContents;

fn none<T: Send + 'static>() -> BoxFuture<'static, Result<T, Refusal>> {
    let refusal = Refusal::new(&codes::UNKNOWN_ARTIFACT, "there are no contents in this story");
    Box::pin(std::future::ready(Err(refusal)))
}

impl RunContents for NoContents {
    fn snapshot(
        &self,
        _author: ContentAuthor,
        entries: Vec<RunEntry>,
        _message: &'static str,
    ) -> BoxFuture<'_, Result<Digest, Refusal>> {
        Box::pin(std::future::ready(Ok(Digest::of(format!("{}", entries.len())))))
    }

    fn check_manifest(&self, _digest: Digest) -> BoxFuture<'_, Result<(), Refusal>> {
        none()
    }

    fn put_state(&self, _json: String) -> BoxFuture<'_, Result<StateBytes, Refusal>> {
        none()
    }

    fn find_state<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _id: &'a str,
    ) -> BoxFuture<'a, Result<StateBytes, Refusal>> {
        none()
    }

    fn read_state<'a>(&'a self, _state: &'a StateBytes) -> BoxFuture<'a, Result<Option<String>, Refusal>> {
        none()
    }

    fn address<'a>(&'a self, _state: &'a StateBytes) -> BoxFuture<'a, Result<StateAddress, Refusal>> {
        none()
    }
}
