//! The past versions of a tool, and the differences between two of them.

use toolgate_core::codes;
use toolgate_core::registry::{Definition, ToolRow};
use toolgate_core::{Digest, Refusal};
use toolgate_store::StoredVersion;

use super::{Records, down};
use crate::diff;
use crate::known::{ToolVersion, VersionComparison, VersionStanding};

/// The prefix of a digest.
const KIND: &str = "sha256:";
/// The minimum number of digits that name a version.
const BEGINNING_MIN: usize = 4;

impl Records {
    /// Every definition that a tool was seen with, the oldest first.
    pub async fn versions(&self, name: &str) -> Result<Vec<ToolVersion>, Refusal> {
        let row = self.tool(name).await?;
        let stored = self.store.read_tool_versions(&row.name).await.map_err(down)?;
        let known = |one: StoredVersion| ToolVersion {
            standing: standing(&row, one.definition.version),
            definition: one.definition,
            first_seen_ms: one.first_seen_ms,
        };
        Ok(stored.into_iter().map(known).collect())
    }

    /// The differences between two versions of a tool, each named by the beginning of its digest; the default
    /// is the pinned one.
    pub async fn compare(
        &self,
        name: &str,
        from: &str,
        to: Option<&str>,
    ) -> Result<VersionComparison, Refusal> {
        let row = self.tool(name).await?;
        let stored = self.store.read_tool_versions(&row.name).await.map_err(down)?;
        let from = version(&stored, "from", from, &row)?;
        let to = match to {
            Some(to) => version(&stored, "to", to, &row)?,
            None => row.pinned.clone(),
        };
        let (text, summary) = (diff::between(&from, &to), diff::told(&from, &to).0);
        Ok(VersionComparison { text, summary, from: from.version, to: to.version, tool: row })
    }
}

fn standing(row: &ToolRow, version: Digest) -> VersionStanding {
    if version == row.pinned.version {
        VersionStanding::Pinned
    } else if row.candidate.as_ref().is_some_and(|candidate| candidate.version == version) {
        VersionStanding::Offered
    } else if row.rejected == Some(version) {
        VersionStanding::Rejected
    } else {
        VersionStanding::Past
    }
}

fn version(
    stored: &[StoredVersion],
    parameter: &'static str,
    beginning: &str,
    row: &ToolRow,
) -> Result<Definition, Refusal> {
    let bare = beginning.strip_prefix(KIND).unwrap_or(beginning).trim_end_matches('…');
    let begins = |one: &&StoredVersion| {
        let whole = one.definition.version.to_string();
        bare.len() >= BEGINNING_MIN && whole.strip_prefix(KIND).unwrap_or(&whole).starts_with(bare)
    };
    let mut found = stored.iter().filter(begins);
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only.definition.clone()),
        (Some(_), Some(_)) => {
            Err(unknown_version(parameter, format!("several versions begin with {beginning:?}"), row))
        }
        (None, _) => Err(unknown_version(parameter, format!("no version begins with {beginning:?}"), row)),
    }
}

fn unknown_version(parameter: &'static str, what: String, row: &ToolRow) -> Refusal {
    Refusal::new(&codes::PARAMETER_INVALID, format!("{what} of {}", row.name))
        .field(parameter)
        .hint(format!("`toolgate tools history {}` shows all of them", row.name))
}
