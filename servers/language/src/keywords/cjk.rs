//! Candidates in scripts without spaces: compounds of Chinese characters between function words, and words in
//! katakana.

use std::collections::HashMap;
use std::ops::Range;

use crate::words::Word;

/// Characters that are mostly Chinese function words; a run is cut at them.
const SMALL: &str = "的了是在和与與及或我你他她它这這那也就都而被把很们們还還又但之吗嗎呢吧着";
/// Compounds are that long; longer runs are taken apart.
const CHARS: std::ops::RangeInclusive<usize> = 2..=6;
/// Of longer runs, pieces of this length that occur again.
const PIECES: std::ops::RangeInclusive<usize> = 2..=4;

/// Tells each candidate with its place, in the order of the text.
pub(super) fn add(text: &str, words: &[Word<'_>], mut tell: impl FnMut(Range<usize>, String)) {
    let runs = runs(words);
    let mut pieces: HashMap<&str, Vec<Range<usize>>> = HashMap::new();
    for run in runs {
        let chars = text[run.clone()].chars().count();
        if CHARS.contains(&chars) {
            tell(run.clone(), text[run].to_owned());
        } else if chars > *CHARS.end() {
            take_apart(text, run, &mut pieces);
        }
    }
    let mut again: Vec<_> = pieces.into_iter().filter(|(_, places)| places.len() > 1).collect();
    again.sort_by_key(|(piece, places)| (places[0].start, piece.len()));
    for (piece, places) in again {
        places.into_iter().for_each(|place| tell(place, piece.to_owned()));
    }
}

fn runs(words: &[Word<'_>]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    for word in words.iter().filter(|word| word.is_cjk() && !is_hiragana(word)) {
        let mut start = word.start;
        for (offset, character) in
            word.text.char_indices().filter(|(_, character)| SMALL.contains(*character))
        {
            runs.push(start..word.start + offset);
            start = word.start + offset + character.len_utf8();
        }
        runs.push(start..word.end());
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn is_hiragana(word: &Word<'_>) -> bool {
    word.text.starts_with(|character| matches!(character, '\u{3040}'..='\u{309F}'))
}

fn take_apart<'a>(text: &'a str, run: Range<usize>, pieces: &mut HashMap<&'a str, Vec<Range<usize>>>) {
    let mut bounds: Vec<usize> =
        text[run.clone()].char_indices().map(|(offset, _)| run.start + offset).collect();
    bounds.push(run.end);
    for length in PIECES {
        for window in bounds.windows(length + 1) {
            let place = window[0]..window[length];
            pieces.entry(&text[place.clone()]).or_default().push(place);
        }
    }
}
