//! The features of tokens, hashed. `training/train.py` makes the same from the same tokens: a change here needs new
//! weights.

use std::collections::HashSet;

/// The sentences before, as far as they matter: the latest short one is often a heading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LineContext {
    heading: String,
    before: &'static str,
}

impl Default for LineContext {
    fn default() -> Self {
        Self { heading: "-".to_owned(), before: "0" }
    }
}

/// A sentence of at most this many tokens is taken for a heading.
const HEADING_TOKENS_MAX: usize = 3;
/// A sentence of so many tokens puts a heading at a distance.
const LONG_TOKENS_MIN: usize = 8;
/// The number of words of the longest known name that is looked for.
const KNOWN_WORDS_MAX: usize = 4;
/// Tokens to the left in which a telling word is looked for.
const TELLING_WINDOW: usize = 6;

const TELLING: [&str; 21] = [
    "experience",
    "knowledge",
    "skills",
    "ability",
    "understanding",
    "familiarity",
    "familiar",
    "proficiency",
    "proficient",
    "expertise",
    "degree",
    "background",
    "responsible",
    "ensure",
    "you",
    "we",
    "our",
    "using",
    "including",
    "like",
    "as",
];

impl LineContext {
    /// The sentence is read; the next one follows it.
    pub(super) fn pass(&mut self, tokens: &[&str]) {
        let is_short = tokens.len() <= HEADING_TOKENS_MAX;
        if is_short {
            let words: Vec<String> = tokens.iter().map(|token| normal(token)).collect();
            self.heading = words.join(" ").trim_matches(':').to_owned();
        } else if tokens.len() >= LONG_TOKENS_MIN && !self.heading.starts_with('~') {
            self.heading.insert(0, '~');
        }
        self.before = if is_short { "s" } else { "l" };
    }
}

/// The place of a token in the name of a well-known skill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KnownMark {
    First,
    Later,
}

impl KnownMark {
    fn as_str(self) -> &'static str {
        match self {
            KnownMark::First => "B",
            KnownMark::Later => "I",
        }
    }
}

/// Marks the longest known names, from the left.
pub(super) fn mark_known(tokens: &[&str], known: &HashSet<String>) -> Vec<Option<KnownMark>> {
    let words: Vec<String> = tokens.iter().map(|token| token.to_lowercase()).collect();
    let mut marks = vec![None; tokens.len()];
    let mut at = 0;
    while at < words.len() {
        let longest = KNOWN_WORDS_MAX.min(words.len() - at);
        let found = (1..=longest).rev().find(|count| known.contains(&words[at..at + count].join(" ")));
        for (offset, mark) in marks[at..at + found.unwrap_or(0)].iter_mut().enumerate() {
            *mark = Some(if offset == 0 { KnownMark::First } else { KnownMark::Later });
        }
        at += found.unwrap_or(1);
    }
    marks
}

/// A sentence, prepared.
struct SentenceView<'a> {
    words: Vec<String>,
    shapes: Vec<String>,
    known: &'a [Option<KnownMark>],
    context: &'a LineContext,
    size: &'static str,
    ending: &'static str,
}

/// The hashed features of every token.
pub(super) fn features(tokens: &[&str], context: &LineContext, known: &[Option<KnownMark>]) -> Vec<Vec<u32>> {
    let words: Vec<String> = tokens.iter().map(|token| normal(token)).collect();
    let view = SentenceView {
        shapes: tokens.iter().map(|token| shape(token)).collect(),
        size: match tokens.len() {
            0..=3 => "short",
            4..=8 => "mid",
            _ => "long",
        },
        ending: if words.last().is_some_and(|word| word == ".") { "dot" } else { "no" },
        words,
        known,
        context,
    };
    (0..tokens.len()).map(|at| view.features(at)).collect()
}

impl SentenceView<'_> {
    /// The word at a distance, or the mark of an end.
    fn word(&self, at: usize, offset: isize) -> &str {
        match at.checked_add_signed(offset) {
            Some(at) => self.words.get(at).map_or("</s>", String::as_str),
            None => "<s>",
        }
    }

    fn shape(&self, at: usize, offset: isize) -> &str {
        at.checked_add_signed(offset).and_then(|at| self.shapes.get(at)).map_or("#", String::as_str)
    }

    fn features(&self, at: usize) -> Vec<u32> {
        let mut found = vec![hash(&["b"])];
        self.neighbours(at, &mut found);
        self.spelling(at, &mut found);
        self.surroundings(at, &mut found);
        self.known_names(at, &mut found);
        let mut telling =
            (1..=TELLING_WINDOW).filter_map(|back| at.checked_sub(back).map(|at| &self.words[at]));
        if let Some(word) = telling.find(|word| TELLING.contains(&word.as_str())) {
            found.push(hash(&["t=", word]));
        }
        found
    }

    fn neighbours(&self, at: usize, found: &mut Vec<u32>) {
        let word = |offset| self.word(at, offset);
        found.extend([
            hash(&["w=", word(0)]),
            hash(&["-1=", word(-1)]),
            hash(&["-2=", word(-2)]),
            hash(&["+1=", word(1)]),
            hash(&["+2=", word(2)]),
            hash(&["-1w=", word(-1), " ", word(0)]),
            hash(&["w+1=", word(0), " ", word(1)]),
            hash(&["-2-1=", word(-2), " ", word(-1)]),
            hash(&["+1+2=", word(1), " ", word(2)]),
            hash(&["-1+1=", word(-1), " ", word(1)]),
            hash(&["-3=", word(-3)]),
            hash(&["+3=", word(3)]),
        ]);
    }

    fn spelling(&self, at: usize, found: &mut Vec<u32>) {
        let word = self.word(at, 0);
        let length = word.chars().count();
        for (name, count) in [("s1=", 1), ("s2=", 2), ("s3=", 3), ("s4=", 4)] {
            if length > count {
                found.push(hash(&[name, ending(word, count)]));
            }
        }
        for (name, count) in [("p2=", 2), ("p3=", 3), ("p4=", 4)] {
            if length > count {
                found.push(hash(&[name, beginning(word, count)]));
            }
        }
        for (offset, three, two, form) in [(-1, "-1s3=", "-1s2=", "-1sh="), (1, "1s3=", "1s2=", "1sh=")] {
            let other = self.word(at, offset);
            found.push(hash(&[three, ending(other, 3)]));
            found.push(hash(&[two, ending(other, 2)]));
            found.push(hash(&[form, self.shape(at, offset)]));
        }
        let shape = |offset| self.shape(at, offset);
        found.push(hash(&["sh=", shape(0)]));
        found.push(hash(&["sh3=", shape(-1), "/", shape(0), "/", shape(1)]));
        let three = |offset| ending(self.word(at, offset), 3);
        found.push(hash(&["s3b=", three(-1), "/", three(0), "/", three(1)]));
    }

    fn surroundings(&self, at: usize, found: &mut Vec<u32>) {
        let count = self.words.len();
        let place = match at {
            0 => "0",
            1 => "1",
            _ if at + 2 >= count => "l",
            _ => "m",
        };
        let first = self.words[0].as_str();
        let heading = self.context.heading.as_str();
        found.extend([
            hash(&["pos=", place, self.ending, self.size]),
            hash(&["first=", first]),
            hash(&["first=", first, "|s3=", ending(self.word(at, 0), 3)]),
            hash(&["h=", heading]),
            hash(&["h=", heading, "|", self.size]),
            hash(&["h=", heading, "|", self.shape(at, 0)]),
            hash(&["len=", self.size, self.ending, self.context.before]),
        ]);
    }

    fn known_names(&self, at: usize, found: &mut Vec<u32>) {
        let mark = |at: Option<usize>| at.and_then(|at| self.known.get(at).copied().flatten());
        if let Some(mark) = mark(Some(at)) {
            found.push(hash(&["g=", mark.as_str()]));
            found.push(hash(&["g=", mark.as_str(), self.shape(at, 0)]));
        }
        if let Some(mark) = mark(at.checked_sub(1)) {
            found.push(hash(&["g-1=", mark.as_str()]));
        }
        if let Some(mark) = mark(Some(at + 1)) {
            found.push(hash(&["g+1=", mark.as_str()]));
        }
    }
}

/// Lower case, with every digit as 0.
fn normal(word: &str) -> String {
    word.to_lowercase().chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect()
}

/// The kinds of its characters, runs as one, cut after six.
fn shape(word: &str) -> String {
    const LENGTH_MAX: usize = 6;
    let mut kinds: Vec<char> = word
        .chars()
        .map(|letter| match letter {
            _ if letter.is_uppercase() => 'X',
            _ if letter.is_alphabetic() => 'x',
            _ if letter.is_ascii_digit() => '0',
            _ => letter,
        })
        .collect();
    kinds.dedup();
    kinds.into_iter().take(LENGTH_MAX).collect()
}

fn ending(word: &str, count: usize) -> &str {
    let start = word.char_indices().rev().nth(count - 1).map_or(0, |(at, _)| at);
    &word[start..]
}

fn beginning(word: &str, count: usize) -> &str {
    let end = word.char_indices().nth(count).map_or(word.len(), |(at, _)| at);
    &word[..end]
}

/// FNV-1a over the pieces as one text.
fn hash(pieces: &[&str]) -> u32 {
    let bytes = pieces.iter().flat_map(|piece| piece.bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
