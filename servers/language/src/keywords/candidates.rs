//! The candidate phrases of a text: adjacent words between stop words and signs.

use std::collections::HashMap;
use std::ops::Range;

use crate::keywords::cjk;
use crate::lexicon::Lexicon;
use crate::stopwords;
use crate::words::{Word, words};

/// A phrase with all its places.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Candidate {
    /// Stems of its words.
    pub(super) stems: Vec<String>,
    /// Its first occurrence, in lower case.
    pub(super) phrase: String,
    /// In bytes, in order; never empty.
    pub(super) places: Vec<Range<usize>>,
}

/// Longer chains of words are seldom one phrase.
const WORDS_MAX: usize = 6;
/// The number of words kept of longer ones: their end, which in most languages has the noun.
const WORDS_KEPT: usize = 3;
/// Longer words are not words.
const WORD_CHARS_MAX: usize = 60;

pub(super) fn find(text: &str, lexicon: &Lexicon) -> Vec<Candidate> {
    let words = words(text);
    let chains = chains(text, &words, lexicon);
    let mut found = Collection::default();
    for chain in &chains {
        found.add_chain(chain, lexicon);
    }
    found.add_joined(text, &chains, lexicon);
    cjk::add(text, &words, |place, phrase| found.add(phrase.clone(), vec![phrase], place));
    found.candidates
}

/// Adjacent words with only blanks between them, none of which ends a phrase.
fn chains<'a>(text: &str, words: &[Word<'a>], lexicon: &Lexicon) -> Vec<Vec<Word<'a>>> {
    let mut chains: Vec<Vec<Word<'a>>> = vec![Vec::new()];
    for word in words {
        let chain = chains.last_mut().expect("there is one from the beginning");
        let apart = chain.last().is_some_and(|last| parts(&text[last.end()..word.start]));
        let noun_is_over = lexicon.code() == Some("de")
            && !word.starts_upper()
            && chain.last().is_some_and(Word::starts_upper);
        if apart || noun_is_over {
            chains.push(Vec::new());
        }
        match breaks(word, lexicon) {
            true => chains.push(Vec::new()),
            false => chains.last_mut().expect("one was just there").push(*word),
        }
    }
    chains.retain(|chain| !chain.is_empty());
    chains
}

fn parts(gap: &str) -> bool {
    gap.chars().any(|character| !character.is_whitespace()) || gap.matches('\n').count() > 1
}

fn breaks(word: &Word<'_>, lexicon: &Lexicon) -> bool {
    let lower = word.text.to_lowercase();
    let code = lexicon.code().unwrap_or_default();
    word.is_cjk()
        || lexicon.is_stop(&lower)
        || stopwords::breaks(code, &lower)
        || word.text.chars().count() > WORD_CHARS_MAX
}

/// The range of two joined phrases, with the stems of its words.
type JoinedPhrase = (Range<usize>, Vec<String>);

#[derive(Default)]
struct Collection {
    candidates: Vec<Candidate>,
    by_stems: HashMap<String, usize>,
}

impl Collection {
    fn add_chain(&mut self, chain: &[Word<'_>], lexicon: &Lexicon) {
        let chain = trimmed(chain, lexicon);
        let kept = if chain.len() > WORDS_MAX { &chain[chain.len() - WORDS_KEPT..] } else { chain };
        if !says_something(kept, lexicon) {
            return;
        }
        let stems = kept.iter().map(|word| stem(word, lexicon)).collect();
        let phrase = kept.iter().map(|word| word.text.to_lowercase()).collect::<Vec<_>>().join(" ");
        self.add(phrase, stems, kept[0].start..kept[kept.len() - 1].end());
    }

    /// Two phrases with one small word between them are one phrase if that occurs again: `degrees of
    /// freedom`.
    fn add_joined(&mut self, text: &str, chains: &[Vec<Word<'_>>], lexicon: &Lexicon) {
        let mut joined: HashMap<String, Vec<JoinedPhrase>> = HashMap::new();
        for pair in chains.windows(2) {
            let (one, other) = (trimmed(&pair[0], lexicon), trimmed(&pair[1], lexicon));
            let (Some(last), Some(first)) = (one.last(), other.first()) else { continue };
            if one.len() + other.len() > WORDS_MAX
                || !is_one_small_word(&text[last.end()..first.start], lexicon)
            {
                continue;
            }
            let stems: Vec<String> = one.iter().chain(other).map(|word| stem(word, lexicon)).collect();
            let place = one[0].start..other[other.len() - 1].end();
            joined.entry(stems.join(" ")).or_default().push((place, stems));
        }
        let mut again: Vec<_> = joined.into_values().filter(|places| places.len() > 1).collect();
        again.sort_by_key(|places| places[0].0.start);
        for (place, stems) in again.into_iter().flatten() {
            self.add(text[place.clone()].to_lowercase(), stems, place);
        }
    }

    fn add(&mut self, phrase: String, stems: Vec<String>, place: Range<usize>) {
        let key = stems.join(" ");
        match self.by_stems.get(&key) {
            Some(index) => self.candidates[*index].places.push(place),
            None => {
                self.by_stems.insert(key, self.candidates.len());
                self.candidates.push(Candidate { stems, phrase, places: vec![place] });
            }
        }
    }
}

fn is_one_small_word(gap: &str, lexicon: &Lexicon) -> bool {
    let between = words(gap);
    !parts(gap.replace(between.first().map_or("", |word| word.text), "").as_str())
        && matches!(between.as_slice(), [word] if lexicon.is_stop(&word.text.to_lowercase()))
}

fn stem(word: &Word<'_>, lexicon: &Lexicon) -> String {
    let lower = word.text.to_lowercase();
    lexicon.stem(&lower).into_owned()
}

/// Without numbers at its ends, and in German without anything but the noun phrase.
fn trimmed<'a, 'b>(mut chain: &'b [Word<'a>], lexicon: &Lexicon) -> &'b [Word<'a>] {
    let german = lexicon.code() == Some("de");
    while let [first, rest @ ..] = chain
        && first.is_number()
    {
        chain = rest;
    }
    while let [rest @ .., last] = chain
        && (last.is_number() || (german && !last.starts_upper()))
    {
        chain = rest;
    }
    chain
}

fn says_something(chain: &[Word<'_>], lexicon: &Lexicon) -> bool {
    let letters = chain.iter().flat_map(|word| word.text.chars()).filter(|c| c.is_alphabetic()).count();
    match chain {
        [] => false,
        [word] => {
            let vague = stopwords::is_vague(lexicon.code().unwrap_or_default(), &word.text.to_lowercase());
            letters > 1 && !vague
        }
        _ => letters > 2,
    }
}
