//! Documents that are not in an index, with the reason. Those of the index before stay, unless the document changed.

use std::collections::BTreeSet;

use toolgate_store::{INDEX_PROBLEMS_NAMED_MAX, IndexBuildRow, IndexProblem};

use crate::limits::PROBLEM_CHARS_MAX;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct IngestProblems {
    named: Vec<IndexProblem>,
    count: u64,
}

impl IngestProblems {
    /// The problems of the index that is gone on from.
    pub(super) fn of(base: &IndexBuildRow) -> Self {
        Self { named: base.problems.clone(), count: base.problem_count }
    }

    /// These documents changed or are gone, and so are their problems.
    pub(super) fn forget(&mut self, paths: &BTreeSet<&str>) {
        let before = self.named.len();
        self.named.retain(|problem| !paths.contains(problem.path.as_str()));
        let gone = u64::try_from(before - self.named.len()).unwrap_or_default();
        self.count = self.count.saturating_sub(gone);
    }

    pub(super) fn add(&mut self, path: &str, why: &str) {
        self.count += 1;
        if self.named.len() < INDEX_PROBLEMS_NAMED_MAX {
            let why = why.chars().take(PROBLEM_CHARS_MAX).collect();
            self.named.push(IndexProblem { path: path.to_owned(), why });
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn named(&self) -> &[IndexProblem] {
        &self.named
    }

    /// A line for each, and one for those that are not named.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.named.iter().map(|problem| format!("{}: {}", problem.path, problem.why)).collect();
        let more = self.count.saturating_sub(lines.len() as u64);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_changed_loses_its_problem() {
        let mut problems = IngestProblems::default();
        problems.add("a.pdf", "it is encrypted");
        problems.add("b.pdf", "it is damaged");
        problems.forget(&BTreeSet::from(["a.pdf", "c.pdf"]));
        assert_eq!(problems.count(), 1);
        assert_eq!(problems.lines(), ["b.pdf: it is damaged"]);
    }

    #[test]
    fn all_problems_are_counted_and_the_first_are_named() {
        let mut problems = IngestProblems::default();
        for number in 0..INDEX_PROBLEMS_NAMED_MAX + 3 {
            problems.add(&format!("{number}.pdf"), &"x".repeat(PROBLEM_CHARS_MAX * 2));
        }
        assert_eq!(problems.named().len(), INDEX_PROBLEMS_NAMED_MAX);
        assert_eq!(problems.named()[0].why.len(), PROBLEM_CHARS_MAX);
        assert_eq!(problems.lines().last().map(String::as_str), Some("and 3 more"));
    }
}
