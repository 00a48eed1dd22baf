//! Texts of posts and advertisements: how easy they read, what they ask for, and what they would have to prove.

mod appeals;
mod claims;
mod readability;
mod tags;

pub use appeals::{Appeal, appeals};
pub use claims::{ClaimKind, TextClaim, claims};
pub use readability::{Readability, readability};
pub use tags::{SuggestedTag, TagFault, faulty_tags, suggested_tags};
