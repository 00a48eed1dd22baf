//! Words compared without case and accents, and the lists of words under `data/`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case, without accents.
pub(crate) fn fold(text: &str) -> String {
    text.nfkd().filter(|character| !is_combining_mark(*character)).flat_map(char::to_lowercase).collect()
}

/// Folded, with one space between words and without punctuation except in names such as `c++`.
pub(crate) fn plain(text: &str) -> String {
    let folded = fold(text);
    let kept = folded.replace(['\'', '’'], "");
    words_of(&kept).collect::<Vec<_>>().join(" ")
}

/// Runs of letters and digits.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Lines of a data file without comments.
pub(crate) fn lines_of(data: &'static str) -> impl Iterator<Item = &'static str> {
    data.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("# "))
}

/// Words, some of which also end longer ones.
pub(crate) struct Lexicon {
    whole: HashSet<String>,
    endings: Vec<String>,
}

impl Lexicon {
    fn new(data: &'static str) -> Self {
        let mut lexicon = Self { whole: HashSet::new(), endings: Vec::new() };
        for word in lines_of(data).flat_map(str::split_whitespace) {
            if let Some(ending) = word.strip_prefix('-') {
                lexicon.endings.push(fold(ending));
                lexicon.whole.insert(fold(ending));
            } else {
                lexicon.whole.insert(fold(word));
            }
        }
        lexicon
    }

    /// Shorter words that merely end like an entry mean something else.
    const COMPOUND_MIN: usize = 3;

    fn knows(&self, word: &str) -> bool {
        let compound = |ending: &String| {
            word.strip_suffix(ending.as_str()).is_some_and(|rest| rest.chars().count() >= Self::COMPOUND_MIN)
        };
        self.whole.contains(word) || self.endings.iter().any(compound) || self.knows_part_of(word)
    }

    /// Scripts that are written without spaces.
    fn knows_part_of(&self, word: &str) -> bool {
        let unspaced = |character: char| ('\u{3040}'..='\u{9fff}').contains(&character);
        word.contains(unspaced)
            && self.whole.iter().any(|entry| entry.contains(unspaced) && word.contains(entry.as_str()))
    }

    /// The number of its known words.
    pub(crate) fn count(&self, text: &str) -> usize {
        let folded = fold(text);
        let words: Vec<&str> = words_of(&folded).collect();
        let dotted = folded
            .split_whitespace()
            .filter(|word| word.contains('.'))
            .map(|word| word.replace(['.', ','], ""));
        words.iter().filter(|word| self.knows(word)).count()
            + dotted.filter(|word| self.whole.contains(word)).count()
    }
}

pub(crate) static TITLES: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::new(include_str!("../data/titles.txt")));
pub(crate) static ORGANISATIONS: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::new(include_str!("../data/organisations.txt")));
pub(crate) static SCHOOLS: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::new(include_str!("../data/schools.txt")));

/// The kind of a place name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlaceNameKind {
    Country,
    State,
    City,
}

static PLACES: LazyLock<HashMap<String, PlaceNameKind>> = LazyLock::new(|| {
    let mut places = HashMap::new();
    for line in lines_of(include_str!("../data/places.txt")) {
        let Some((kind, names)) = line.split_once(": ") else { continue };
        let kind = match kind {
            "country" => PlaceNameKind::Country,
            "state" => PlaceNameKind::State,
            _ => PlaceNameKind::City,
        };
        for name in names.split('|') {
            places.entry(name.trim().to_owned()).or_insert(kind);
            places.entry(fold(name.trim())).or_insert(kind);
        }
    }
    places
});

/// Short names of states are only known in capitals: `in` and `or` are words.
pub(crate) fn place(name: &str) -> Option<PlaceNameKind> {
    let name = name.trim();
    let short = name.chars().count() <= 3;
    PLACES.get(name).or_else(|| if short { None } else { PLACES.get(&fold(name)) }).copied()
}
