//! The layout of a waterfall: one axis of time for all steps, and the place of each step on it.

/// In hundredths of the axis: what is shorter could not be seen.
const WIDTH_MIN: f64 = 0.5;

/// The time of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StepSpan {
    pub(super) began_ms: i64,
    /// `None` while it goes on.
    pub(super) ended_ms: Option<i64>,
}

pub(super) struct TimeAxis {
    from_ms: i64,
    until_ms: i64,
    now_ms: i64,
}

/// The place of a step, in hundredths of the axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct TimeBar {
    pub(super) left: f64,
    pub(super) width: f64,
}

impl StepSpan {
    /// The clocks of several machines may differ: an end before the beginning counts as the beginning.
    fn end_ms(self, now_ms: i64) -> i64 {
        self.ended_ms.unwrap_or(now_ms).max(self.began_ms)
    }

    /// Up to now while it goes on.
    pub(super) fn took_ms(self, now_ms: i64) -> i64 {
        self.end_ms(now_ms).saturating_sub(self.began_ms)
    }

    /// True if a clock was set back meanwhile.
    pub(super) fn is_backwards(self) -> bool {
        self.ended_ms.is_some_and(|ended| ended < self.began_ms)
    }

    /// True if there is a time at which both go on.
    fn overlaps(self, other: Self, now_ms: i64) -> bool {
        self.began_ms < other.end_ms(now_ms) && other.began_ms < self.end_ms(now_ms)
    }
}

impl TimeAxis {
    /// As long as the steps need.
    pub(super) fn over(spans: &[StepSpan], now_ms: i64) -> Self {
        let from_ms = spans.iter().map(|span| span.began_ms).min().unwrap_or(now_ms);
        let until_ms = spans.iter().map(|span| span.end_ms(now_ms)).max().unwrap_or(now_ms);
        Self { from_ms, until_ms: until_ms.max(from_ms.saturating_add(1)), now_ms }
    }

    pub(super) fn start_ms(&self) -> i64 {
        self.from_ms
    }

    pub(super) fn length_ms(&self) -> i64 {
        self.until_ms.saturating_sub(self.from_ms)
    }

    pub(super) fn bar(&self, span: StepSpan) -> TimeBar {
        let share = |ms: i64| ms.saturating_sub(self.from_ms) as f64 / self.length_ms().max(1) as f64 * 100.0;
        let left = share(span.began_ms).clamp(0.0, 100.0 - WIDTH_MIN);
        let width = (share(span.end_ms(self.now_ms)) - left).max(WIDTH_MIN).min(100.0 - left);
        TimeBar { left, width }
    }
}

/// For each span, the number of others that go on at the same time.
pub(super) fn beside(spans: &[StepSpan], now_ms: i64) -> Vec<usize> {
    let others = |at: usize, span: StepSpan| {
        let all = spans.iter().enumerate();
        all.filter(|(place, other)| *place != at && span.overlaps(**other, now_ms)).count()
    };
    spans.iter().enumerate().map(|(at, span)| others(at, *span)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 10_000;

    fn span(began_ms: i64, ended_ms: impl Into<Option<i64>>) -> StepSpan {
        StepSpan { began_ms, ended_ms: ended_ms.into() }
    }

    /// The bars of these spans, rounded.
    fn bars(spans: &[StepSpan]) -> Vec<(i64, i64)> {
        let axis = TimeAxis::over(spans, NOW_MS);
        spans
            .iter()
            .map(|span| {
                let bar = axis.bar(*span);
                assert!(bar.left >= 0.0 && bar.width >= WIDTH_MIN && bar.left + bar.width <= 100.000_001);
                (bar.left.round() as i64, bar.width.round() as i64)
            })
            .collect()
    }

    #[test]
    fn parallel_steps_stand_at_the_same_place_and_know_of_each_other() {
        let spans = [span(1_000, 2_000), span(1_000, 2_000), span(1_500, 3_000), span(3_000, 5_000)];
        assert_eq!(bars(&spans), [(0, 25), (0, 25), (13, 38), (50, 50)]);
        assert_eq!(beside(&spans, NOW_MS), [2, 2, 2, 0], "what only touches is not beside");
    }

    #[test]
    fn a_step_without_length_is_seen_also_at_the_end() {
        let spans = [span(1_000, 1_000), span(1_000, 5_000), span(5_000, 5_000)];
        assert_eq!(bars(&spans), [(0, 1), (0, 100), (100, 1)]);
        assert_eq!(bars(&[span(7, 7)]), [(0, 1)], "also if there is nothing else");
        assert_eq!(beside(&spans, NOW_MS), [0, 0, 0]);
    }

    #[test]
    fn a_step_that_goes_on_reaches_to_now() {
        let spans = [span(6_000, 8_000), span(8_000, None)];
        assert_eq!(bars(&spans), [(0, 50), (50, 50)]);
        assert_eq!((spans[1].took_ms(NOW_MS), beside(&spans, NOW_MS)), (2_000, vec![0, 0]));
        assert_eq!(span(12_000, None).took_ms(NOW_MS), 0, "another machine is ahead");
    }

    #[test]
    fn a_clock_that_went_backwards_moves_no_bar_out_of_the_axis() {
        let spans = [span(4_000, 1_000), span(2_000, 6_000)];
        assert_eq!(bars(&spans), [(50, 1), (0, 100)]);
        assert!(spans[0].is_backwards() && !spans[1].is_backwards());
        assert_eq!(spans[0].took_ms(NOW_MS), 0);
        let ahead = [span(20_000, None), span(9_000, 9_500)];
        assert_eq!(bars(&ahead), [(100, 1), (0, 5)]);
        bars(&[span(i64::MIN, i64::MAX), span(0, None)]);
        assert!(bars(&[]).is_empty());
    }
}
