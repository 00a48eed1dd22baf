//! The corpus of traces: calls and runs of the ledger as small documents in a manifest. It is made when it is ingested, and goes on where
//! it ended.

mod collecting;
mod document;
