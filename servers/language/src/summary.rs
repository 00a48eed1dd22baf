//! Summaries from the sentences of a text: those that represent the rest, come early, and do not repeat each
//! other.

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use sentence_encoder::{EncodeError, Encoder};
use serde::{Deserialize, Serialize};

use crate::Method;
use crate::language::detect;
use crate::lexicon::Lexicon;
use crate::sentences::{Sentence, sentences};
use crate::statistics::{Sparse, TermSpace};
use crate::vectors::{cosine, embed, mean};

/// The maximum length of a summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SummaryLength {
    Sentences(usize),
    Words(usize),
}

/// The requested summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SummaryOptions {
    pub length: SummaryLength,
    /// A question or some words: sentences about it come first.
    pub focus: Option<String>,
    /// ISO 639-1; found out if not said.
    pub language: Option<String>,
}

/// Sentences of the text, in order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    pub summary: String,
    /// The chosen sentences one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<SummarySentence>,
    /// Sentences of the whole text.
    pub sentences_total: usize,
    /// ISO 639-1.
    pub language: Option<String>,
    pub method: Method,
}

/// A chosen sentence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SummarySentence {
    /// Its number in the text, from 0.
    pub index: usize,
    pub text: String,
    /// From 0 to 1: how well it represents the text.
    pub score: f64,
}

/// More sentences are not compared with each other; they are chosen from by how near they are to the text.
const COMPARED_MAX: usize = 400;
/// The weight of an early position in the score.
const POSITION_WEIGHT: f64 = 0.25;
/// The weight of the focus in the score, if there is one.
const FOCUS_WEIGHT: f64 = 0.6;
/// The penalty for similarity to a chosen sentence.
const REPEAT_WEIGHT: f64 = 0.35;
/// Fewer words are a heading or a shout, and more are no summary.
const SENTENCE_WORDS: std::ops::RangeInclusive<usize> = 5..=70;
/// The penalty for an unusual length.
const ODD_LENGTH_FACTOR: f64 = 0.5;

pub fn summarize(
    text: &str,
    options: &SummaryOptions,
    encoder: Option<&dyn Encoder>,
) -> Result<Summary, EncodeError> {
    let language = options.language.clone().or_else(|| detect(text).language);
    let all = sentences(text);
    let lexicon = Lexicon::of(language.as_deref());
    let texts: Vec<&str> = all.iter().map(|sentence| sentence.text).collect();
    let (space, sparse) = TermSpace::of(&lexicon, &texts);
    let focus = options.focus.as_deref();
    let counted = CountedSentences {
        focus: focus.map(|focus| space.vector(&lexicon.counts(focus))),
        sentences: sparse,
    };
    let compared = counted.best(COMPARED_MAX);
    let (scored, method) = match encoder {
        Some(encoder) if !all.is_empty() => (
            EmbeddedSentences::read(encoder, &texts, &compared, focus)?.scores(&compared),
            Method::Embeddings,
        ),
        _ => (counted.scores(&compared), Method::Statistical),
    };
    let chosen = choose(&all, &compared, scored, options.length);
    Ok(Summary { sentences_total: all.len(), language, method, ..written(&all, chosen) })
}

/// The score of each compared sentence, and its similarity to the others.
struct Scores {
    worth: Vec<f64>,
    likeness: Vec<Vec<f64>>,
}

/// Sentences as counted words.
struct CountedSentences {
    focus: Option<Sparse>,
    sentences: Vec<Sparse>,
}

impl CountedSentences {
    /// The `count` sentences closest to the text or the focus, in text order.
    fn best(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sentences.len()).collect();
        if order.len() > count {
            let centre = Sparse::sum(&self.sentences);
            let near = |index: usize| {
                let sentence = &self.sentences[index];
                let focus = self.focus.as_ref().map_or(0.0, |focus| sentence.cosine(focus));
                sentence.cosine(&centre) + focus
            };
            let near: Vec<f64> = order.iter().map(|index| near(*index)).collect();
            order.sort_by(|one, other| near[*other].total_cmp(&near[*one]));
            order.truncate(count);
            order.sort_unstable();
        }
        order
    }

    /// A sentence is central if it is similar to many other central sentences (LexRank).
    fn scores(&self, compared: &[usize]) -> Scores {
        let sentence = |index: &usize| &self.sentences[*index];
        let likeness: Vec<Vec<f64>> = compared
            .iter()
            .map(|one| compared.iter().map(|other| sentence(one).cosine(sentence(other))).collect())
            .collect();
        let focus = self.focus.as_ref().filter(|focus| !focus.is_empty());
        let focus = focus.map(|focus| compared.iter().map(|index| sentence(index).cosine(focus)).collect());
        let worth = worth(centrality(&likeness), compared, self.sentences.len(), focus);
        Scores { worth, likeness }
    }
}

/// Sentences as vectors of their meaning.
struct EmbeddedSentences {
    total: usize,
    vectors: Vec<Vec<f32>>,
    focus: Option<Vec<f32>>,
}

impl EmbeddedSentences {
    fn read(
        encoder: &dyn Encoder,
        texts: &[&str],
        compared: &[usize],
        focus: Option<&str>,
    ) -> Result<Self, EncodeError> {
        let read: Vec<&str> = compared.iter().map(|index| texts[*index]).collect();
        let focus = focus.map(|focus| embed(encoder, &[focus])).transpose()?;
        let focus = focus.and_then(|vectors| vectors.into_iter().next());
        Ok(Self { total: texts.len(), vectors: embed(encoder, &read)?, focus })
    }

    /// A sentence is central if it is near the mean of all.
    fn scores(&self, compared: &[usize]) -> Scores {
        let centre = mean(&self.vectors);
        let near_to =
            |point: &Vec<f32>| self.vectors.iter().map(|vector| cosine(vector, point).max(0.0)).collect();
        let focus = self.focus.as_ref().map(near_to);
        let likeness = self.vectors.iter().map(near_to).collect();
        Scores { worth: worth(near_to(&centre), compared, self.total, focus), likeness }
    }
}

/// Power iteration with damping over how like sentences are to each other.
fn centrality(likeness: &[Vec<f64>]) -> Vec<f64> {
    const DAMPING: f64 = 0.85;
    const ROUNDS: usize = 30;
    let count = likeness.len();
    let sums: Vec<f64> = likeness.iter().map(|row| row.iter().sum::<f64>().max(f64::EPSILON)).collect();
    let mut rank = vec![1.0 / count.max(1) as f64; count];
    for _ in 0..ROUNDS {
        let flow =
            |to: usize| (0..count).map(|from| rank[from] * likeness[from][to] / sums[from]).sum::<f64>();
        rank = (0..count).map(|to| (1.0 - DAMPING) / count as f64 + DAMPING * flow(to)).collect();
    }
    rank
}

/// Central, early and about the focus, each from 0 to 1.
fn worth(central: Vec<f64>, compared: &[usize], total: usize, focus: Option<Vec<f64>>) -> Vec<f64> {
    let central = scaled(central);
    let early = |index: usize| 1.0 - index as f64 / total.max(1) as f64;
    let positioned: Vec<f64> = central
        .iter()
        .zip(compared)
        .map(|(central, index)| (1.0 - POSITION_WEIGHT) * central + POSITION_WEIGHT * early(*index))
        .collect();
    match focus {
        None => positioned,
        Some(focus) => {
            let focus = scaled(focus);
            let both = positioned.iter().zip(&focus);
            both.map(|(worth, focus)| (1.0 - FOCUS_WEIGHT) * worth + FOCUS_WEIGHT * focus).collect()
        }
    }
}

fn scaled(values: Vec<f64>) -> Vec<f64> {
    let largest = values.iter().copied().fold(f64::EPSILON, f64::max);
    values.into_iter().map(|value| value / largest).collect()
}

/// One sentence after the other: the best that repeats least, as long as there is room. The shortest if there
/// is room for none: an empty summary is useless.
fn choose(
    all: &[Sentence<'_>],
    compared: &[usize],
    scores: Scores,
    length: SummaryLength,
) -> Vec<(usize, f64)> {
    let words: Vec<usize> = compared.iter().map(|index| count_words(all[*index].text)).collect();
    let fits_well =
        |place: usize| if SENTENCE_WORDS.contains(&words[place]) { 1.0 } else { ODD_LENGTH_FACTOR };
    let worth: Vec<f64> =
        scores.worth.iter().enumerate().map(|(place, worth)| worth * fits_well(place)).collect();
    let mut room = SummaryRoom { length, sentences: 0, words: 0 };
    let mut left: Vec<usize> = (0..compared.len()).collect();
    let mut repeats = vec![0.0_f64; compared.len()];
    let mut chosen = Vec::new();
    while !room.is_full() {
        left.retain(|place| room.takes(words[*place]));
        let value = |place: &usize| worth[*place] - REPEAT_WEIGHT * repeats[*place];
        let Some(best) = left
            .iter()
            .copied()
            .max_by(|one, other| value(one).total_cmp(&value(other)).then(other.cmp(one)))
        else {
            break;
        };
        left.retain(|place| *place != best);
        left.iter().for_each(|place| repeats[*place] = repeats[*place].max(scores.likeness[best][*place]));
        room.sentences += 1;
        room.words += words[best];
        chosen.push((compared[best], worth[best]));
    }
    if chosen.is_empty() {
        let shortest = (0..compared.len()).min_by_key(|place| words[*place]);
        chosen.extend(shortest.map(|place| (compared[place], worth[place])));
    }
    chosen
}

struct SummaryRoom {
    length: SummaryLength,
    sentences: usize,
    words: usize,
}

impl SummaryRoom {
    fn is_full(&self) -> bool {
        match self.length {
            SummaryLength::Sentences(most) => self.sentences >= most,
            SummaryLength::Words(most) => self.words >= most,
        }
    }

    fn takes(&self, words: usize) -> bool {
        match self.length {
            SummaryLength::Sentences(_) => true,
            SummaryLength::Words(most) => self.words + words <= most,
        }
    }
}

/// Words between blanks; in scripts without blanks, each pair of characters counts as a word.
fn count_words(text: &str) -> usize {
    crate::words::words(text)
        .iter()
        .map(|word| if word.is_cjk() { word.text.chars().count().div_ceil(2) } else { 1 })
        .sum()
}

fn written(all: &[Sentence<'_>], mut chosen: Vec<(usize, f64)>) -> Summary {
    chosen.sort_unstable_by_key(|(index, _)| *index);
    let sentence = |(index, score): &(usize, f64)| SummarySentence {
        index: *index,
        text: all[*index].text.split_whitespace().collect::<Vec<_>>().join(" "),
        score: (score.clamp(0.0, 1.0) * 1000.0).round() / 1000.0,
    };
    let sentences: Vec<_> = chosen.iter().map(sentence).collect();
    let summary = sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" ");
    Summary { summary, sentences, sentences_total: 0, language: None, method: Method::Statistical }
}
