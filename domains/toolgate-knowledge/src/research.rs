//! A walk through a domain: sub-questions, passages for each, and what is missing. No language model takes part.

mod facets;
mod missing;
mod questions;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use missing::MissingPart;
pub(crate) use walk::{AnsweredQuestion, ResearchRequest, ResearchedDomain};
