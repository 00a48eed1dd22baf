//! What happens in runs, for those who watch them, and is not kept: pieces of answers, progress of calls. Nobody is waited for: one who
//! is too slow misses some.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use toolgate_core::id::RunId;

/// The maximum number of pieces that wait for a watcher.
const PIECES_MAX: usize = 256;

#[derive(Debug)]
pub struct RunWatchers<T> {
    watched: Mutex<BTreeMap<RunId, broadcast::Sender<T>>>,
}

impl<T> Default for RunWatchers<T> {
    fn default() -> Self {
        Self { watched: Mutex::default() }
    }
}

impl<T: Clone> RunWatchers<T> {
    pub fn watch(&self, run: &RunId) -> broadcast::Receiver<T> {
        let mut watched = self.watched.lock();
        watched.retain(|_, sender| sender.receiver_count() > 0);
        watched.entry(run.clone()).or_insert_with(|| broadcast::Sender::new(PIECES_MAX)).subscribe()
    }

    pub fn tell(&self, run: &RunId, piece: T) {
        if let Some(sender) = self.watched.lock().get(run) {
            // Without a watcher there is nobody to miss it.
            drop(sender.send(piece));
        }
    }
}

/// The next piece and the rest, for a stream.
pub async fn next_watched<T: Clone>(
    mut pieces: broadcast::Receiver<T>,
) -> Option<(T, broadcast::Receiver<T>)> {
    loop {
        match pieces.recv().await {
            Ok(piece) => return Some((piece, pieces)),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_reach_the_watchers_of_their_run_only() {
        let watchers = RunWatchers::default();
        let (one, two) = (RunId::new("run_1"), RunId::new("run_2"));
        let mut heard = watchers.watch(&one);
        watchers.tell(&two, "x");
        watchers.tell(&one, "y");
        assert_eq!(heard.try_recv(), Ok("y"));
        assert!(heard.try_recv().is_err());
    }

    #[tokio::test]
    async fn a_slow_watcher_misses_pieces_and_a_gone_one_is_forgotten() {
        let watchers = RunWatchers::default();
        let run = RunId::new("run_1");
        let heard = watchers.watch(&run);
        for number in 0..=PIECES_MAX {
            watchers.tell(&run, number);
        }
        let (first, heard) = next_watched(heard).await.expect("a piece");
        assert_eq!(first, 1, "the oldest is missed");
        drop(heard);
        drop(watchers.watch(&RunId::new("run_2")));
        assert!(!watchers.watched.lock().contains_key(&run));
    }
}
