#![doc = include_str!("../README.md")]

// Rules that need nothing.
mod checks;
mod general;
mod prov;
mod refusal;
mod requirement;

// The state of the tools, and its ports.
mod claims;
mod ports;

// Claims as a whole, their evidence, and decisions on them.
mod case;
mod evidence;
mod package;
mod review;
mod shown;

mod tools;

pub use claims::{Claims, ClaimsSetup};
pub use ports::{ClaimProofs, ProvedCall};
pub use tools::domain;
