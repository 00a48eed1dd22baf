//! Agents that do nothing by themselves: their loops are rows, and what is asked of them is written down.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use parking_lot::Mutex;
use toolgate_core::id::RunId;
use toolgate_core::model::ModelPiece;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::NewLoop;
use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_store::{ActionStamp, Books};

use crate::{DrivenRuns, RunPiece};

const AT_MS: i64 = 1_800_000_000_000;

pub(super) struct StillAgents {
    books: Arc<Books>,
    interrupted: Mutex<Vec<RunId>>,
    /// The code of the refusal that the next start ends with.
    broken: Mutex<Option<&'static codes::Code>>,
}

impl StillAgents {
    pub(super) fn new(books: &Arc<Books>) -> Arc<Self> {
        Arc::new(Self { books: books.clone(), interrupted: Mutex::default(), broken: Mutex::default() })
    }

    /// The runs that were interrupted, in their order.
    pub(super) fn interrupted(&self) -> Vec<String> {
        self.interrupted.lock().iter().map(ToString::to_string).collect()
    }

    pub(super) fn break_next(&self, code: &'static codes::Code) {
        *self.broken.lock() = Some(code);
    }
}

impl DrivenRuns for StillAgents {
    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }

    fn begin<'a>(&'a self, new: NewLoop, by: &'a PrincipalId) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move {
            if let Some(code) = self.broken.lock().take() {
                return Err(Refusal::new(code, "the loop cannot be created"));
            }
            let act = ActionStamp { by, at_ms: AT_MS };
            let run = new.run.clone();
            self.books.create_loop(new, 10, act).await.expect("the loop is created");
            // As the gateway does that takes it up.
            self.books.start_run(&run, act).await.expect("the run begins");
            Ok(())
        })
    }

    fn retry<'a>(
        &'a self,
        from: &'a RunId,
        turn: u64,
        new: NewLoop,
        by: &'a PrincipalId,
    ) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move {
            let act = ActionStamp { by, at_ms: AT_MS };
            self.books.fork_loop(from, turn, new, act).await.expect("the loop is forked");
            Ok(())
        })
    }

    fn interrupt<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.interrupted.lock().push(run.clone()) })
    }

    fn watch(&self, _run: &RunId) -> Option<BoxStream<'static, RunPiece>> {
        let piece = RunPiece { turn: 1, piece: ModelPiece::Text("Hel\nlo".to_owned()) };
        Some(stream::iter([piece]).chain(stream::pending()).boxed())
    }
}
