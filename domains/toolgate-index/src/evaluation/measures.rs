//! The measures of a ranking: nDCG@10, recall@100 and the reciprocal rank of the first relevant document. Gains are linear, as trec_eval
//! has them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::profiles::JudgedDocument;

const NDCG_AT: usize = 10;
const RECALL_AT: usize = 100;
/// Two measures of the same ranking may differ in their last digits.
const EQUAL_WITHIN: f64 = 1e-9;

/// From 0 to 1 each.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct SearchMeasures {
    pub(crate) ndcg_at_10: f64,
    pub(crate) recall_at_100: f64,
    /// The mean of 1 / rank of the first relevant document
    pub(crate) mrr: f64,
}

impl SearchMeasures {
    /// The measures of one ranking. Several hits of one document count once, at the first of them.
    pub(crate) fn of(ranked: &[String], relevant: &[JudgedDocument]) -> Self {
        let grades: BTreeMap<&str, f64> =
            relevant.iter().filter(|one| one.grade > 0).map(|one| (&*one.path, one.grade.into())).collect();
        if grades.is_empty() {
            return Self::default();
        }
        let documents = distinct(ranked);
        let gains: Vec<f64> =
            documents.iter().map(|path| grades.get(path).copied().unwrap_or_default()).collect();
        let mut ideal: Vec<f64> = grades.values().copied().collect();
        ideal.sort_by(|one, other| other.total_cmp(one));
        let found = gains.iter().take(RECALL_AT).filter(|gain| **gain > 0.0).count();
        let first = gains.iter().position(|gain| *gain > 0.0);
        Self {
            ndcg_at_10: discounted(&gains) / discounted(&ideal),
            recall_at_100: found as f64 / grades.len() as f64,
            mrr: first.map_or(0.0, |at| 1.0 / (at + 1) as f64),
        }
    }

    pub(crate) fn mean(all: &[SearchMeasures]) -> Self {
        let mean = |of: fn(&SearchMeasures) -> f64| match all.len() {
            0 => 0.0,
            count => all.iter().map(of).sum::<f64>() / count as f64,
        };
        Self {
            ndcg_at_10: mean(|one| one.ndcg_at_10),
            recall_at_100: mean(|one| one.recall_at_100),
            mrr: mean(|one| one.mrr),
        }
    }

    /// Words about the first measure that is below that of `before`, or nothing.
    pub(crate) fn fall(&self, before: &SearchMeasures) -> Option<String> {
        let pairs = [
            ("nDCG@10", before.ndcg_at_10, self.ndcg_at_10),
            ("recall@100", before.recall_at_100, self.recall_at_100),
            ("MRR", before.mrr, self.mrr),
        ];
        let fallen = pairs.into_iter().find(|(_, before, now)| *now < before - EQUAL_WITHIN);
        fallen.map(|(name, before, now)| format!("{name} falls from {before:.3} to {now:.3}"))
    }
}

fn distinct(ranked: &[String]) -> Vec<&str> {
    let mut documents: Vec<&str> = Vec::new();
    for path in ranked {
        if !documents.contains(&path.as_str()) {
            documents.push(path);
        }
    }
    documents
}

fn discounted(gains: &[f64]) -> f64 {
    gains.iter().take(NDCG_AT).enumerate().map(|(at, gain)| gain / ((at + 2) as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    fn judged(paths: &[(&str, u8)]) -> Vec<JudgedDocument> {
        paths.iter().map(|(path, grade)| JudgedDocument { path: (*path).to_owned(), grade: *grade }).collect()
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn a_perfect_ranking_measures_one() {
        let measures = SearchMeasures::of(&ranked(&["a", "b", "x"]), &judged(&[("a", 2), ("b", 1)]));
        assert!(
            near(measures.ndcg_at_10, 1.0) && near(measures.recall_at_100, 1.0) && near(measures.mrr, 1.0)
        );
    }

    #[test]
    fn numbers_are_those_of_trec_eval() {
        // The only relevant document is third: 1 / log2(4) of an ideal of 1 / log2(2).
        let third = SearchMeasures::of(&ranked(&["x", "y", "a"]), &judged(&[("a", 1)]));
        assert!(near(third.ndcg_at_10, 0.5) && near(third.mrr, 1.0 / 3.0));
        // The better one is second: (1 + 2 / log2(3)) / (2 + 1 / log2(3)).
        let swapped = SearchMeasures::of(&ranked(&["b", "a"]), &judged(&[("a", 2), ("b", 1)]));
        assert!(near(swapped.ndcg_at_10, (1.0 + 2.0 / 3_f64.log2()) / (2.0 + 1.0 / 3_f64.log2())));
    }

    #[test]
    fn a_document_counts_once_however_many_passages_are_found() {
        let twice = SearchMeasures::of(&ranked(&["x", "x", "x", "a", "a"]), &judged(&[("a", 1), ("b", 1)]));
        assert!(near(twice.mrr, 0.5) && near(twice.recall_at_100, 0.5));
    }

    #[test]
    fn what_is_found_late_counts_for_recall_alone() {
        let many: Vec<String> = (0..120).map(|number| number.to_string()).collect();
        let late = SearchMeasures::of(&many, &judged(&[("50", 1), ("110", 1)]));
        assert!(near(late.ndcg_at_10, 0.0) && near(late.recall_at_100, 0.5) && near(late.mrr, 1.0 / 51.0));
        assert_eq!(SearchMeasures::of(&many, &[]), SearchMeasures::default());
        assert_eq!(SearchMeasures::of(&[], &judged(&[("a", 1)])), SearchMeasures::default());
    }

    #[test]
    fn every_measure_may_fall_and_the_same_is_no_fall() {
        let before = SearchMeasures { ndcg_at_10: 0.5, recall_at_100: 0.8, mrr: 0.6 };
        assert_eq!(before.fall(&before), None);
        assert_eq!(SearchMeasures { ndcg_at_10: 0.6, ..before }.fall(&before), None);
        for (now, name) in [
            (SearchMeasures { ndcg_at_10: 0.49, ..before }, "nDCG@10 falls from 0.500 to 0.490"),
            (SearchMeasures { recall_at_100: 0.7, mrr: 1.0, ..before }, "recall@100"),
            (SearchMeasures { mrr: 0.5, ndcg_at_10: 0.9, ..before }, "MRR"),
        ] {
            assert!(now.fall(&before).expect("a fall").contains(name), "{name}");
        }
    }

    #[test]
    fn the_mean_is_over_all_questions() {
        let one = SearchMeasures { ndcg_at_10: 1.0, recall_at_100: 1.0, mrr: 1.0 };
        let mean = SearchMeasures::mean(&[one, SearchMeasures::default()]);
        assert!(near(mean.ndcg_at_10, 0.5) && near(mean.mrr, 0.5));
        assert_eq!(SearchMeasures::mean(&[]), SearchMeasures::default());
    }
}
