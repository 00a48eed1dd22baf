//! Writes a document that has everything, for `tests/docling/round_trip.py`.

use std::io::Write;

#[path = "../tests/docir/sample.rs"]
mod sample;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(&sample::sample().write())
}
