//! Documents read and cut into passages, a few ahead of the build that takes them.

use std::sync::mpsc::sync_channel;
use std::thread;

use docir::DocIr;
use engine_protocol::{Chunking, EngineErrorCode, EngineFault, IngestDocument};

use crate::chunks::{Chunk, chunks};
use crate::contents::Contents;
use crate::fault::hinted;

/// The passages of a document, or why it has none.
pub(super) type PreparedDocument = Result<Vec<Chunk>, EngineFault>;

/// Documents that are ready before they are needed.
const AHEAD: usize = 4;

/// Gives `take` each document with its passages, in order, and reads the next ones meanwhile. It ends with the first fault of `take`.
pub(super) fn prepared(
    contents: &Contents,
    documents: &[IngestDocument],
    chunking: &Chunking,
    mut take: impl FnMut(usize, &IngestDocument, PreparedDocument) -> Result<(), EngineFault>,
) -> Result<(), EngineFault> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(AHEAD);
        scope.spawn(move || {
            for document in documents {
                // The other end is gone when something failed.
                if sender.send(prepare(contents, document, chunking)).is_err() {
                    break;
                }
            }
        });
        for (at, document) in documents.iter().enumerate() {
            let Ok(made) = receiver.recv() else { break };
            take(at, document, made)?;
        }
        Ok(())
    })
}

fn prepare(contents: &Contents, document: &IngestDocument, chunking: &Chunking) -> PreparedDocument {
    let bytes = contents.read(&document.docir)?;
    let read = DocIr::read(&bytes).map_err(|error| {
        let message = format!("the DocIR of {} cannot be read: {error}", document.path);
        hinted(EngineErrorCode::Unreadable, message, "parse the document again")
    })?;
    chunks(&read, chunking)
}
