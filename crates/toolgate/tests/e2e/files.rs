//! Files by id and results by reference, on the real binary: what the model sees of bytes is a name. The servers behind the
//! gateway say what they were given, by size and sha256, so every test can tell what reached them.

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
