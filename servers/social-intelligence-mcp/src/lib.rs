#![doc = include_str!("../README.md")]

// Texts.
pub mod copy;
pub mod headline;

// Platforms and pictures.
pub mod creative;
pub mod platform;

// The server.
mod given;
mod rounded;
mod tools;

pub use tools::{SocialOptions, capability};
