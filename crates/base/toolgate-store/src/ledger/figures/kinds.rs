//! Properties and spans by which figures are told apart.

/// The property by which figures are told apart. The numbers are stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FigureBy {
    /// All together.
    All = 0,
    /// The caller, or the agent of a run.
    Agent = 1,
    Tool = 2,
    Server = 3,
    Model = 4,
    /// The code of an error.
    Error = 5,
}

impl FigureBy {
    pub const ALL: [FigureBy; 6] =
        [Self::All, Self::Agent, Self::Tool, Self::Server, Self::Model, Self::Error];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::Server => "server",
            Self::Model => "model",
            Self::Error => "error",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str() == text)
    }

    pub(super) fn of_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|by| i64::from(*by as u8) == number)
    }
}

/// The length of time that a row counts. The numbers are stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FigureSpan {
    Minute = 60,
    Hour = 3_600,
    Day = 86_400,
}

impl FigureSpan {
    pub const ALL: [FigureSpan; 3] = [Self::Minute, Self::Hour, Self::Day];

    pub const fn ms(self) -> i64 {
        self as i64 * 1_000
    }

    /// The full days for which its rows are kept; `None` for always.
    pub const fn days_kept(self) -> Option<i64> {
        match self {
            Self::Minute => Some(14),
            Self::Hour => Some(400),
            Self::Day => None,
        }
    }
}

/// Names of one property in one span that have a row of their own; the others share one.
pub(super) const NAMES_MAX: usize = 100;

/// The row of the names that have none of their own.
pub const OTHER_NAMES: &str = "(other)";
