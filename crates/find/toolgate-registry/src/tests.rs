//! Whole registries on a real store, with fake servers and agents.

mod defining;
mod kit;
mod registering;
mod reviewing;
mod setting;
mod speed;
mod tools;
