#![doc = include_str!("../README.md")]

mod config;
mod encode;
mod error;
mod folder;
mod gelu;
mod lanes;
mod linear;
mod model;
mod network;
mod tokens;
mod weights;

pub use encode::{EncodeError, Encoder};
pub use error::LoadError;
pub use model::Model;
