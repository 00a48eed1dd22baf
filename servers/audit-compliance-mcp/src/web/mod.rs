//! Web pages by rules of WCAG 2.2 that a program can decide without a browser.

mod contrast;
mod names;
mod rules;
mod style;
mod tree;

pub use rules::{NOT_CHECKED, check};
pub(crate) use tree::{attribute_values, texts};

#[cfg(test)]
mod tests;
