//! The cost of a text for a model: its number of o200k tokens.
//!
//! The ranks are those of `tiktoken-rs`, taken at build time, and the tests compare the counts with it. It
//! does not count here itself because it keeps every token three times as its own string: 46 MB and a quarter
//! of a second (in a debug build nearly one) for each process that counts. Here a start costs nothing.

mod ascii;
mod bucket;
mod pieces;
mod ranks;
#[cfg(test)]
mod tests;

/// Named beside every number of tokens, so that it can be compared.
pub const TOKENIZER: &str = "o200k_base";

/// The number of tokens of a text. Control tokens count as plain text here: a description may not make itself
/// look cheap.
pub fn count(text: &str) -> usize {
    pieces::of(text).map(|piece| ranks::count(piece.as_bytes())).sum()
}

/// Longer texts are estimated from as many pieces of this many bytes.
const SAMPLES: usize = 4;
const SAMPLE_BYTES: usize = 512;

/// The number of tokens, at a cost that does not grow with the text: exact for short ones, for long ones reckoned from
/// pieces that lie evenly in it.
pub fn estimate(text: &str) -> usize {
    if text.len() <= SAMPLES * SAMPLE_BYTES {
        return count(text);
    }
    let step = (text.len() - SAMPLE_BYTES) / (SAMPLES - 1);
    let pieces = (0..SAMPLES).map(|place| {
        let start = text.floor_char_boundary(place * step);
        &text[start..text.floor_char_boundary(place * step + SAMPLE_BYTES)]
    });
    let (tokens, bytes) =
        pieces.fold((0, 0), |(tokens, bytes), piece| (tokens + count(piece), bytes + piece.len()));
    text.len() * tokens / bytes
}
