//! Lines for the reader of a measurement.

use std::io::Write as _;

use anyhow::Context as _;

pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).context("write to stdout")
}
