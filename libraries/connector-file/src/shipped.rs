//! The connector files that come with the program.

use crate::error::BadConnectorFile;
use crate::file::ConnectorFile;

/// Names with their files.
pub const SHIPPED: &[(&str, &str)] = &[
    ("github", include_str!("shipped/github.toml")),
    ("hubspot", include_str!("shipped/hubspot.toml")),
    ("slack", include_str!("shipped/slack.toml")),
    ("webhook", include_str!("shipped/webhook.toml")),
];

/// A connector file that comes with the program.
pub fn shipped(name: &str) -> Option<Result<ConnectorFile, BadConnectorFile>> {
    let (_, text) = SHIPPED.iter().find(|(one, _)| *one == name)?;
    Some(ConnectorFile::read(text))
}

#[cfg(test)]
mod tests;
