#![doc = include_str!("../README.md")]

// The database.
mod clock;
mod db;

// Rules that need none.
pub mod key;
pub mod posting;
pub mod state;

// What is known, and the tools over it.
mod options;
mod records;
pub mod seed;
mod tools;

pub use clock::JobClock;
pub use db::open::DatabasePlace;
pub use options::{JobAppOptions, PlaceOptions};
pub use records::{JobRecords, SeedCounts, SeedData};
pub use tools::capability;
