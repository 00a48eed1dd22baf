//! New times for old ones.

use crate::timecode::rounded;

/// New times: `time · numerator / denominator + offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeMap {
    pub numerator: i64,
    pub denominator: i64,
    pub offset_ms: i64,
}

impl TimeMap {
    pub fn shift(offset_ms: i64) -> Self {
        Self { numerator: 1, denominator: 1, offset_ms }
    }

    /// The map that moves two times to two others.
    pub fn through(one: (i64, i64), other: (i64, i64)) -> Option<Self> {
        let (before, after) = (other.0.checked_sub(one.0)?, other.1.checked_sub(one.1)?);
        if before == 0 || after == 0 || (before < 0) != (after < 0) {
            return None;
        }
        let scaled = Self { numerator: after.abs(), denominator: before.abs(), offset_ms: 0 };
        Some(Self { offset_ms: one.1 - scaled.scaled(one.0), ..scaled })
    }

    pub fn is_shift(self) -> bool {
        self.numerator == self.denominator
    }

    pub(crate) fn scaled(self, time: i64) -> i64 {
        rounded(i128::from(time) * i128::from(self.numerator), i128::from(self.denominator.max(1)))
    }

    pub(crate) fn at(self, time: i64) -> i64 {
        self.scaled(time).saturating_add(self.offset_ms)
    }
}
