//! The promises of agents that run here, tested on a real database with a scripted model and tools in memory.

mod contents;
mod crowd;
mod ending;
mod faults;
mod kill;
mod limits;
mod script;
mod tools;
mod waits;
mod world;
