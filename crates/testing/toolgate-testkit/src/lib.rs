//! Test doubles for Toolgate: servers that behave by the book and helpers to run them.
//! Nothing here ships; the product never depends on this crate.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

pub mod applicant;
pub mod bank;
pub mod conformance;
pub mod front;
pub mod gateway;
pub mod idp;
pub mod jobsite;
pub mod mailbox;
pub mod model;
pub mod neighbour;
pub mod openbao;
pub mod pki;
pub mod providers;
pub mod registry;
pub mod web_api;
pub mod worker;
