//! Right, found and expected answers, counted.

/// The numbers of right, found and expected answers.
#[derive(Clone, Copy, Default)]
pub(super) struct AnswerCounts {
    pub(super) right: usize,
    pub(super) found: usize,
    pub(super) wanted: usize,
}

impl AnswerCounts {
    pub(super) fn f1(self) -> f64 {
        match self.found + self.wanted {
            0 => 1.0,
            all => 2.0 * self.right as f64 / all as f64,
        }
    }

    pub(super) fn add(&mut self, other: AnswerCounts) {
        self.right += other.right;
        self.found += other.found;
        self.wanted += other.wanted;
    }
}
