//! The handling of a tool's calls: limits, files, reuse of results.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::{FileSlot, SecretSlot, ToolTrait};
use crate::scope::MountNeed;

/// Missing values follow the server's own settings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ToolHandling {
    /// Capabilities the tool belongs to, sorted.
    pub capabilities: Arc<[String]>,
    /// The mounts that a session needs for the tool to be useful, sorted.
    pub needs: Arc<[MountNeed]>,
    /// The traits that levels of care rely on, if the tool declares them; otherwise its name tells them.
    pub traits: Option<&'static [ToolTrait]>,
    /// Queries that should find it, in the operator's words.
    pub examples: Arc<[String]>,
    /// Arguments that are files to agents.
    pub files: Arc<[FileSlot]>,
    /// Arguments that take the handle of a credential, and get its value once a call may be sent.
    pub secrets: Arc<[SecretSlot]>,
    pub timeout: Option<Duration>,
    /// Concurrent calls of this tool.
    pub concurrency_max: Option<usize>,
    pub rate: Option<CallRate>,
    /// Set only for tools that change nothing.
    pub cache: Option<CacheRule>,
    /// True if values are checked against `format` in the tool's schemas, the default unless the operator
    /// turns it off.
    pub formats: Option<bool>,
}

/// The time for which a result may be reused for the same arguments, and by whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheRule {
    /// Used if the result itself has no `ttlMs`.
    pub fresh: Duration,
    /// Used if the result itself has no `cacheScope`.
    pub scope: CacheScope,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// For the principal who got it.
    #[default]
    Private,
    /// For everyone.
    Public,
}

/// A number of calls per unit of time: `10/s`, `600/m`, `1000/h`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallRate {
    pub count: NonZeroU32,
    pub per: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a rate is a number and a unit of time, such as `10/s`, `600/m` or `1000/h`")]
pub struct BadRate;

const UNITS: [(&str, u64); 3] = [("s", 1), ("m", 60), ("h", 3600)];

impl FromStr for CallRate {
    type Err = BadRate;

    fn from_str(text: &str) -> Result<Self, BadRate> {
        let (count, unit) = text.split_once('/').ok_or(BadRate)?;
        let count = count.trim().parse().map_err(|_| BadRate)?;
        let unit = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or(BadRate)?;
        Ok(CallRate { count, per: Duration::from_secs(unit.1) })
    }
}

impl fmt::Display for CallRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit =
            UNITS.iter().find(|(_, seconds)| *seconds == self.per.as_secs()).map_or("s", |unit| unit.0);
        write!(f, "{}/{unit}", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_reads_back_and_nothing_else_does() {
        for text in ["10/s", "600/m", "1000/h"] {
            assert_eq!(text.parse::<CallRate>().map(|rate| rate.to_string()), Ok(text.to_owned()));
        }
        for bad in ["", "10", "0/s", "-1/s", "10/d", "x/s", "10/"] {
            assert_eq!(bad.parse::<CallRate>(), Err(BadRate), "{bad}");
        }
    }
}
