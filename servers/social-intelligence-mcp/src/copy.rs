//! Texts of posts and advertisements: readability, calls to action, claims, hashtags.

mod appeals;
mod claims;
mod readability;
mod tags;

pub use appeals::{Appeal, appeals};
pub use claims::{ClaimKind, TextClaim, claims};
pub use readability::{Readability, readability};
pub use tags::{SuggestedTag, TagFault, faulty_tags, suggested_tags};
