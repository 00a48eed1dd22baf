//! Whole registries on a real store, with servers and agents that are made up.

mod defining;
mod kit;
mod registering;
mod reviewing;
mod setting;
mod speed;
mod tools;
