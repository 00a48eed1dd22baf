//! Lines for the reader of a measurement.

pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).context("write to stdout")
}
