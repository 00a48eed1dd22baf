//! Files by id and results by reference, on the real binary: the model sees bytes only as a name. The servers
//! behind the gateway report what they received, by size and sha256, so every test can check what reached
//! them.

mod addresses;
mod agreed;
pub(crate) mod archive;
mod artifacts;
pub(crate) mod bucket;
pub(crate) mod bytes;
mod chain;
mod collected;
mod commands;
mod damage;
mod large;
mod minted;
pub(crate) mod model;
mod names;
mod outages;
mod owners;
mod places;
mod refs;
mod shared;
mod strategies;
mod texts;
mod toll;
mod uploads;
