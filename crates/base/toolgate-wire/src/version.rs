//! The revisions of MCP, and which era each belongs to.

use toolgate_core::server::Era;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ProtocolVersion {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl ProtocolVersion {
    pub const ALL: [ProtocolVersion; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];
    /// The newest revision that opens with `initialize`.
    pub const LATEST_LEGACY: ProtocolVersion = Self::V2025_11_25;
    pub const LATEST_MODERN: ProtocolVersion = Self::V2026_07_28;

    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    pub fn parse(text: &str) -> Option<ProtocolVersion> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }

    pub fn era(self) -> Era {
        if self >= Self::V2026_07_28 { Era::Modern } else { Era::Legacy }
    }

    /// The answer to an `initialize` that asks for `requested`.
    pub fn negotiate_legacy(requested: &str) -> ProtocolVersion {
        match Self::parse(requested) {
            Some(version) if version.era() == Era::Legacy => version,
            _ => Self::LATEST_LEGACY,
        }
    }

    pub fn allows_batches(self) -> bool {
        self == Self::V2025_03_26
    }
}
