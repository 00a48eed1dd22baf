//! Headlines compared: which of two is likely to be clicked more often, and the signs that say so.
//!
//! The weights were learned from experiments of one publisher (`train.py`); nothing here is known about other
//! audiences, pictures or languages.

mod model;
mod signs;
mod variants;

pub use model::{HeadlineModel, LengthRecord, ModelMeasure, ScoredSign, SignRecord};
pub use signs::{headline_terms, headline_words, sign_values};
pub use variants::{HeadlineVariant, digits_of, headline_variants};
