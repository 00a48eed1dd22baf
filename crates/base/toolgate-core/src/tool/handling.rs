//! How calls of a tool are handled: limits, files, whether results may be used again.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::FileSlot;
use crate::scope::Need;

/// What is not said is as the server's own settings have it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Handling {
    /// Capabilities the tool belongs to, sorted.
    pub capabilities: Arc<[String]>,
    /// What a session must have mounted for the tool to be of use, sorted.
    pub needs: Arc<[Need]>,
    /// Queries that should find it, in the operator's words.
    pub examples: Arc<[String]>,
    /// Arguments that are files to agents.
    pub files: Arc<[FileSlot]>,
    pub timeout: Option<Duration>,
    /// Calls of this tool under way at once.
    pub concurrency_max: Option<usize>,
    pub rate: Option<Rate>,
    /// Set only for tools that change nothing.
    pub cache: Option<CacheRule>,
    /// Whether values are held against `format` in the tool's schemas. They are, unless the operator says no.
    pub formats: Option<bool>,
}

/// How long a result may be used again for the same arguments, and for whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheRule {
    /// Where the result itself does not say (`ttlMs`).
    pub fresh: Duration,
    /// Where the result itself does not say (`cacheScope`).
    pub scope: CacheScope,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// For the principal who got it.
    #[default]
    Private,
    /// For everybody.
    Public,
}

/// So many within so long: `10/s`, `600/m`, `1000/h`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rate {
    pub count: NonZeroU32,
    pub per: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a rate is a number and a unit of time, such as `10/s`, `600/m` or `1000/h`")]
pub struct BadRate;

const UNITS: [(&str, u64); 3] = [("s", 1), ("m", 60), ("h", 3600)];

impl FromStr for Rate {
    type Err = BadRate;

    fn from_str(text: &str) -> Result<Self, BadRate> {
        let (count, unit) = text.split_once('/').ok_or(BadRate)?;
        let count = count.trim().parse().map_err(|_| BadRate)?;
        let unit = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or(BadRate)?;
        Ok(Rate { count, per: Duration::from_secs(unit.1) })
    }
}

impl fmt::Display for Rate {
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
            assert_eq!(text.parse::<Rate>().map(|rate| rate.to_string()), Ok(text.to_owned()));
        }
        for bad in ["", "10", "0/s", "-1/s", "10/d", "x/s", "10/"] {
            assert_eq!(bad.parse::<Rate>(), Err(BadRate), "{bad}");
        }
    }
}
