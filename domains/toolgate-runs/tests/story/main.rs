//! The promises of runs, tested on a real database.

mod batches;
mod calls;
mod ending;
mod life;
mod questions;
mod tasks;
mod world;
