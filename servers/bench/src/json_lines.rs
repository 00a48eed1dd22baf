//! Files with one JSON value on each line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context;
use serde::de::DeserializeOwned;

pub(crate) fn json_lines<T: DeserializeOwned>(
    path: &Path,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<T>> + use<T>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let read = |line: std::io::Result<String>| -> anyhow::Result<T> { Ok(serde_json::from_str(&line?)?) };
    Ok(BufReader::new(file).lines().map(read))
}
