//! Credentials for sites outside, which agents use by handle. `desk` creates, rotates and erases them; `filler` looks up
//! those that a call names, and writes their values into it once it may be sent.

mod desk;
mod draft;
mod events;
mod filler;
mod mention;
mod origin;

#[cfg(test)]
mod tests;

pub use desk::{CredentialDesk, find_credential};
pub use draft::{CredentialDraft, DraftValue, FieldDraft};
pub use filler::HandleFiller;
