//! The promises of runs, tested on a real database.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

mod batches;
mod calls;
mod contents;
mod ending;
mod life;
mod notes;
mod questions;
mod tasks;
mod world;
