//! Texts as weighted words, for use without an encoder: a word's rarity among the parts of a text is its
//! weight.

use std::collections::HashMap;

use crate::lexicon::Lexicon;

/// A text as numbers of words with their weights, by number; of length 1.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Sparse(Vec<(u32, f32)>);

impl Sparse {
    fn normalized(mut weights: Vec<(u32, f32)>) -> Self {
        weights.sort_unstable_by_key(|(term, _)| *term);
        let length = weights.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        if length > 0.0 {
            weights.iter_mut().for_each(|(_, weight)| *weight /= length);
        }
        Self(weights)
    }

    pub(crate) fn cosine(&self, other: &Self) -> f64 {
        let (mut one, mut two) = (self.0.as_slice(), other.0.as_slice());
        let mut sum = 0.0;
        while let ([(left, weight), one_rest @ ..], [(right, other), two_rest @ ..]) = (one, two) {
            match left.cmp(right) {
                std::cmp::Ordering::Less => one = one_rest,
                std::cmp::Ordering::Greater => two = two_rest,
                std::cmp::Ordering::Equal => {
                    sum += f64::from(weight * other);
                    (one, two) = (one_rest, two_rest);
                }
            }
        }
        sum
    }

    pub(crate) fn sum(parts: &[Self]) -> Self {
        let mut weights: HashMap<u32, f32> = HashMap::new();
        for (term, weight) in parts.iter().flat_map(|part| &part.0) {
            *weights.entry(*term).or_default() += weight;
        }
        Self::normalized(weights.into_iter().collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Numbers and weights of the words of some texts.
pub(crate) struct TermSpace {
    terms: HashMap<String, (u32, f32)>,
}

impl TermSpace {
    /// The weights from `texts`, in which frequent words weigh little; and the texts as vectors.
    pub(crate) fn of(lexicon: &Lexicon, texts: &[&str]) -> (Self, Vec<Sparse>) {
        let counted: Vec<_> = texts.iter().map(|text| lexicon.counts(text)).collect();
        let mut documents: HashMap<&str, u32> = HashMap::new();
        for term in counted.iter().flat_map(HashMap::keys) {
            *documents.entry(term).or_default() += 1;
        }
        let total = texts.len() as f32;
        let mut names: Vec<_> = documents.into_iter().collect();
        names.sort_unstable();
        let weigh = |(number, (term, count)): (usize, (&str, u32))| {
            (term.to_owned(), (number as u32, (1.0 + total / count as f32).ln()))
        };
        let space = Self { terms: names.into_iter().enumerate().map(weigh).collect() };
        let vectors = counted.iter().map(|counts| space.vector(counts)).collect();
        (space, vectors)
    }

    /// Another text; words that the space does not know have no weight in it.
    pub(crate) fn vector(&self, counts: &HashMap<String, u32>) -> Sparse {
        let weigh = |(term, count): (&String, &u32)| {
            let (number, rarity) = self.terms.get(term)?;
            Some((*number, (1.0 + (*count as f32).ln()) * rarity))
        };
        let mut known: Vec<_> = Vec::with_capacity(counts.len());
        known.extend(counts.iter().filter_map(weigh));
        Sparse::normalized(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_about_the_same_are_near() {
        let english = Lexicon::of(Some("en"));
        let (_, vectors) =
            TermSpace::of(&english, &["Cats chase mice.", "A cat chased a mouse and mice.", "Rain falls."]);
        assert!(vectors[0].cosine(&vectors[1]) > 0.5);
        assert_eq!(vectors[0].cosine(&vectors[2]), 0.0);
        assert!((vectors[0].cosine(&vectors[0]) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn nothing_is_near_nothing() {
        let (_, vectors) = TermSpace::of(&Lexicon::of(None), &["", "…"]);
        assert!(vectors[0].is_empty());
        assert_eq!(Sparse::sum(&vectors).cosine(&vectors[0]), 0.0);
    }
}
