#![doc = include_str!("../README.md")]

// An advertisement, read into a posting.
pub mod advert;
mod fields;
mod jsonld;
pub mod posting;
pub mod reading;
mod requirements;

// Other answers about jobs.
pub mod duplicates;
mod occupation;
mod query;
pub mod skills;

// The tools over them.
pub mod tools;
