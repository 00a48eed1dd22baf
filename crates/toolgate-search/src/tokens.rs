//! What a text costs a model: its number of o200k tokens.
//!
//! The ranks are those of `tiktoken-rs`, taken at build time, and the tests hold the counts against it. It does not
//! count here itself because it keeps every token three times as a string of its own: 46 MB and a quarter of a second
//! (in a debug build nearly one) for each process that counts. Here a start costs nothing.

mod ascii;
mod bucket;
mod pieces;
mod ranks;
#[cfg(test)]
mod tests;

/// Named wherever a number of tokens is told, so that it can be compared.
pub const TOKENIZER: &str = "o200k_base";

/// The number of tokens of a text. What would be a control token elsewhere is plain text here: a description may not
/// make itself look cheap.
pub fn count(text: &str) -> usize {
    pieces::of(text).map(|piece| ranks::count(piece.as_bytes())).sum()
}
