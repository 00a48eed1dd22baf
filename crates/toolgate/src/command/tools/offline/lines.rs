//! Files with a JSON object on each line.

use std::path::Path;

use anyhow::{Context as _, bail};
use serde::de::DeserializeOwned;

/// More than any catalogue that was measured, by far.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// The number of listed invalid lines.
const TOLD_MAX: usize = 5;

/// An item of a file and its line, from 1.
pub(super) struct AtLine<T> {
    pub(super) line: usize,
    pub(super) value: T,
}

/// Parses all lines except empty ones. `what` and `expected` are for the message about invalid lines.
pub(super) fn read<T: DeserializeOwned>(
    path: &Path,
    what: &str,
    expected: &str,
) -> anyhow::Result<Vec<AtLine<T>>> {
    let text = whole(path).with_context(|| format!("could not read {}", path.display()))?;
    let (mut read, mut wrong) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        match serde_json::from_str(text) {
            Ok(value) => read.push(AtLine { line, value }),
            Err(error) => {
                wrong.push(format!("{}:{line}: this is not {what}: {}", path.display(), plain(&error)))
            }
        }
    }
    if wrong.is_empty() {
        return Ok(read);
    }
    let more = match wrong.len().saturating_sub(TOLD_MAX) {
        0 => String::new(),
        more => format!("\nand {more} more lines"),
    };
    wrong.truncate(TOLD_MAX);
    bail!("{}{more}\nhint: on each line {expected}", wrong.join("\n"))
}

fn whole(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::metadata(path)?.len();
    if bytes > FILE_BYTES_MAX {
        bail!("it has {bytes} bytes, and at most {FILE_BYTES_MAX} are read");
    }
    Ok(std::fs::read_to_string(path)?)
}

/// Every parsed text is one line, so only the column matters.
fn plain(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}
