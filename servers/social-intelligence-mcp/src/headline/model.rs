//! The weights: read from the file that `train.py` writes.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::signs::{headline_terms, sign_values};

/// Learned weights, and the records they rest on.
pub struct HeadlineModel {
    signs: Vec<SignRecord>,
    terms: HashMap<String, f64>,
    lengths: Vec<LengthRecord>,
    measured: ModelMeasure,
}

/// A sign, and how headlines with more of it fared.
#[derive(Clone, PartialEq, Debug)]
pub struct SignRecord {
    pub name: String,
    weight: f64,
    /// Of the pairs that differ in it, the share won by the headline with more of it.
    pub share: f64,
    pub pairs: u32,
}

/// A range of lengths, and how often its headlines won against other lengths.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LengthRecord {
    /// In words.
    pub from: usize,
    pub to: usize,
    pub share: f64,
    pub pairs: u32,
}

/// The quality of the model on experiments that it had not seen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ModelMeasure {
    pub accuracy: f64,
    pub calibration_error: f64,
    pub pairs: u32,
}

/// The contribution of a sign, or of a word, to one headline over another.
#[derive(Clone, PartialEq, Debug)]
pub struct ScoredSign {
    /// The name of a sign, or a word or two in quotation marks.
    pub name: String,
    /// In units of the logarithm of the odds.
    pub effect: f64,
    /// Known for signs, not for words.
    pub record: Option<SignRecord>,
}

static SHIPPED: LazyLock<HeadlineModel> =
    LazyLock::new(|| HeadlineModel::parse(include_str!("../../data/headlines.txt")));

impl HeadlineModel {
    /// The one that comes with the program.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Lines that are not understood are skipped.
    pub fn parse(text: &str) -> Self {
        let mut model = Self {
            signs: Vec::new(),
            terms: HashMap::new(),
            lengths: Vec::new(),
            measured: ModelMeasure::default(),
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            model.add(line).unwrap_or_default();
        }
        model
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["measured", accuracy, error, pairs] => {
                let (accuracy, calibration_error) = (accuracy.parse().ok()?, error.parse().ok()?);
                self.measured = ModelMeasure { accuracy, calibration_error, pairs: pairs.parse().ok()? };
            }
            ["sign", name, weight, share, pairs] => self.signs.push(SignRecord {
                name: (*name).to_owned(),
                weight: weight.parse().ok()?,
                share: share.parse().ok()?,
                pairs: pairs.parse().ok()?,
            }),
            ["length", from, to, share, pairs] => self.lengths.push(LengthRecord {
                from: from.parse().ok()?,
                to: to.parse().ok()?,
                share: share.parse().ok()?,
                pairs: pairs.parse().ok()?,
            }),
            [weight, term] => {
                self.terms.insert((*term).to_owned(), weight.parse().ok()?);
            }
            _ => return None,
        }
        Some(())
    }

    pub fn measured(&self) -> ModelMeasure {
        self.measured
    }

    pub fn lengths(&self) -> &[LengthRecord] {
        &self.lengths
    }

    /// The record of a sign.
    pub fn sign(&self, name: &str) -> Option<&SignRecord> {
        self.signs.iter().find(|sign| sign.name == name)
    }

    /// Comparable with that of other headlines for the same story and picture; means nothing alone.
    pub fn score(&self, headline: &str) -> f64 {
        let values: HashMap<&str, f64> = sign_values(headline).into_iter().collect();
        let signs =
            self.signs.iter().map(|sign| sign.weight * values.get(sign.name.as_str()).unwrap_or(&0.0));
        let words = headline_terms(headline);
        signs.sum::<f64>() + words.iter().filter_map(|term| self.terms.get(term)).sum::<f64>()
    }

    /// The probability that a headline with the first score is clicked more often than one with the second,
    /// if the two differ clearly.
    pub fn probability(score: f64, other: f64) -> f64 {
        1.0 / (1.0 + (other - score).exp())
    }

    /// The contributions to the difference of two headlines, the largest first.
    pub fn difference(&self, headline: &str, other: &str) -> Vec<ScoredSign> {
        let mut found = self.sign_differences(headline, other);
        let (one, two) = (headline_terms(headline), headline_terms(other));
        let term = |term: &String, direction: f64| {
            let weight = self.terms.get(term)?;
            Some(ScoredSign { name: format!("{term:?}"), effect: direction * weight, record: None })
        };
        found.extend(one.difference(&two).filter_map(|name| term(name, 1.0)));
        found.extend(two.difference(&one).filter_map(|name| term(name, -1.0)));
        found.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()).then_with(|| a.name.cmp(&b.name)));
        found
    }

    fn sign_differences(&self, headline: &str, other: &str) -> Vec<ScoredSign> {
        let one: HashMap<&str, f64> = sign_values(headline).into_iter().collect();
        let two: HashMap<&str, f64> = sign_values(other).into_iter().collect();
        let value = |values: &HashMap<&str, f64>, name: &str| values.get(name).copied().unwrap_or_default();
        let signs = self.signs.iter().map(|sign| {
            let by = value(&one, &sign.name) - value(&two, &sign.name);
            ScoredSign { name: sign.name.clone(), effect: sign.weight * by, record: Some(sign.clone()) }
        });
        signs.filter(|sign| sign.effect != 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "# a remark\nmeasured\t0.66\t0.02\t10\nsign\tquestion_mark\t-0.5\t0.33\t40\n\
        length\t1\t7\t0.40\t12\n0.25\t^ he\nnonsense\nsign\tbroken\tx\t0\t0\n";

    #[test]
    fn a_file_is_read_and_lines_that_make_no_sense_are_skipped() {
        let model = HeadlineModel::parse(SMALL);
        assert_eq!(model.measured(), ModelMeasure { accuracy: 0.66, calibration_error: 0.02, pairs: 10 });
        assert_eq!((model.signs.len(), model.lengths().len(), model.terms.len()), (1, 1, 1));
    }

    #[test]
    fn the_contributions_add_up_to_the_difference() {
        let model = HeadlineModel::shipped();
        let (one, two) = ("He Asked 3 Kids One Question. Watch Her Face.", "Are You Ready For The Answer?!");
        let sum: f64 = model.difference(one, two).iter().map(|sign| sign.effect).sum();
        assert!((sum - (model.score(one) - model.score(two))).abs() < 1e-9);
    }

    #[test]
    fn probabilities_of_both_directions_add_up_to_one() {
        let there = HeadlineModel::probability(0.3, -0.2);
        assert!((there + HeadlineModel::probability(-0.2, 0.3) - 1.0).abs() < 1e-12);
        assert_eq!(HeadlineModel::probability(0.1, 0.1), 0.5);
    }

    #[test]
    fn the_shipped_model_knows_all_signs_and_says_how_good_it_is() {
        let model = HeadlineModel::shipped();
        let counted: Vec<&str> = sign_values("a").into_iter().map(|(name, _)| name).collect();
        let learned: Vec<&str> = model.signs.iter().map(|sign| sign.name.as_str()).collect();
        assert_eq!(learned, counted);
        let measured = model.measured();
        assert!(measured.accuracy > 0.65 && measured.calibration_error < 0.05, "{measured:?}");
    }
}
