//! Pieces of answers for those who watch a run. Nobody is waited for: one who is too slow misses pieces.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::broadcast;
use toolgate_core::id::RunId;
use toolgate_core::model::ModelPiece;

/// The maximum number of pieces that wait for a watcher.
const PIECES_MAX: usize = 256;

/// A piece of an answer that is under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopPiece {
    pub turn: u64,
    pub piece: ModelPiece,
}

#[derive(Default)]
pub(crate) struct LoopWatchers {
    watched: Mutex<BTreeMap<RunId, broadcast::Sender<LoopPiece>>>,
}

impl LoopWatchers {
    pub(crate) fn watch(&self, run: &RunId) -> broadcast::Receiver<LoopPiece> {
        let mut watched = self.watched.lock();
        watched.retain(|_, sender| sender.receiver_count() > 0);
        watched.entry(run.clone()).or_insert_with(|| broadcast::Sender::new(PIECES_MAX)).subscribe()
    }

    pub(crate) fn tell(&self, run: &RunId, turn: u64, piece: ModelPiece) {
        if let Some(sender) = self.watched.lock().get(run) {
            // Without a watcher there is nobody to miss it.
            drop(sender.send(LoopPiece { turn, piece }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_reach_the_watchers_of_their_run_only() {
        let watchers = LoopWatchers::default();
        let (one, two) = (RunId::new("run_1"), RunId::new("run_2"));
        let mut heard = watchers.watch(&one);
        watchers.tell(&two, 1, ModelPiece::Text("x".to_owned()));
        watchers.tell(&one, 1, ModelPiece::Text("y".to_owned()));
        let piece = heard.try_recv().expect("a piece");
        assert_eq!(piece, LoopPiece { turn: 1, piece: ModelPiece::Text("y".to_owned()) });
        assert!(heard.try_recv().is_err());
    }

    #[test]
    fn a_slow_watcher_misses_pieces_and_a_gone_one_is_forgotten() {
        let watchers = LoopWatchers::default();
        let run = RunId::new("run_1");
        let mut heard = watchers.watch(&run);
        for _ in 0..=PIECES_MAX {
            watchers.tell(&run, 1, ModelPiece::Call("a".to_owned()));
        }
        assert_eq!(heard.try_recv(), Err(broadcast::error::TryRecvError::Lagged(1)));
        drop(heard);
        drop(watchers.watch(&RunId::new("run_2")));
        assert!(!watchers.watched.lock().contains_key(&run));
    }
}
