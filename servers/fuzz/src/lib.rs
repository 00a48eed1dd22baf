#![doc = include_str!("../README.md")]

mod mutate;
mod seeds;
mod targets;

pub use targets::ServerTarget;
