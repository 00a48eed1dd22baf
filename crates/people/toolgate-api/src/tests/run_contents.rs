//! Contents of runs that consist of nothing but digests.

use toolgate_core::content::ContentHolder;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Digest, Refusal};
use toolgate_runs::{ContentAuthor, RunContents, RunEntry, StateAddress, StateBytes};

pub(super) struct DigestsOnly;

impl RunContents for DigestsOnly {
    fn snapshot(
        &self,
        _author: ContentAuthor,
        entries: Vec<RunEntry>,
        _message: &'static str,
    ) -> BoxFuture<'_, Result<Digest, Refusal>> {
        Box::pin(std::future::ready(Ok(Digest::of(format!("{entries:?}")))))
    }

    fn check_manifest(&self, _digest: Digest) -> BoxFuture<'_, Result<(), Refusal>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn put_state(&self, _json: String) -> BoxFuture<'_, Result<StateBytes, Refusal>> {
        unreachable!("no route saves a state")
    }

    fn find_state<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _id: &'a str,
    ) -> BoxFuture<'a, Result<StateBytes, Refusal>> {
        unreachable!("no route saves a state")
    }

    fn read_state<'a>(&'a self, _state: &'a StateBytes) -> BoxFuture<'a, Result<Option<String>, Refusal>> {
        unreachable!("no route reads a state")
    }

    fn address<'a>(&'a self, _state: &'a StateBytes) -> BoxFuture<'a, Result<StateAddress, Refusal>> {
        unreachable!("no route reads a state")
    }
}
