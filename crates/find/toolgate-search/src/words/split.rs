//! The boundaries of words.

use unicode_normalization::char::is_combining_mark;

/// Longer runs of letters are not words: they are encoded data.
const CHARS_MAX: usize = 40;
/// A name of more parts (`getUserProfileById`) is never written as one word.
const COMPOUND_PARTS_MAX: usize = 3;
/// Shorter letters before a digit belong to it: `s3`, `k8s`, `h264`.
const LETTERS_BEFORE_DIGIT: usize = 3;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SplitWord {
    pub(crate) text: String,
    pub(crate) kind: WordKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordKind {
    Plain,
    /// The whole of the words just before it, which were written as one: `github` after `git` and `hub`.
    Compound,
}

pub(super) fn split(text: &str) -> Vec<SplitWord> {
    let mut words = Vec::new();
    let mut run = Vec::new();
    for c in text.chars() {
        match c {
            _ if c.is_alphanumeric() || is_combining_mark(c) => run.push(c),
            '\'' | '’' => {}
            _ => end_of_run(&mut run, &mut words),
        }
    }
    end_of_run(&mut run, &mut words);
    words
}

fn end_of_run(run: &mut Vec<char>, words: &mut Vec<SplitWord>) {
    for same in run.chunk_by(|a, b| is_spaceless(*a) == is_spaceless(*b)) {
        if is_spaceless(same[0]) { pairs(same, words) } else { parts(same, words) }
    }
    run.clear();
}

/// Two characters are about a word in scripts without spaces.
fn pairs(run: &[char], words: &mut Vec<SplitWord>) {
    match run {
        [one] => words.push(plain(&[*one])),
        run => words.extend(run.windows(2).map(plain)),
    }
}

fn parts(run: &[char], words: &mut Vec<SplitWord>) {
    let before = words.len();
    let mut start = 0;
    for at in 1..=run.len() {
        if at == run.len() || is_border(run, start, at) {
            let part = &run[start..at];
            words.extend((part.len() <= CHARS_MAX).then(|| plain(part)));
            start = at;
        }
    }
    if (2..=COMPOUND_PARTS_MAX).contains(&(words.len() - before)) && run.len() <= CHARS_MAX {
        words.push(SplitWord { kind: WordKind::Compound, ..plain(run) });
    }
}

/// True if a new part begins at `at` in a run whose current part began at `start`.
fn is_border(run: &[char], start: usize, at: usize) -> bool {
    let (before, here, after) = (run[at - 1], run[at], run.get(at + 1));
    if here.is_uppercase() {
        return before.is_lowercase()
            || (before.is_numeric() && at - start > LETTERS_BEFORE_DIGIT)
            || (before.is_uppercase() && after.is_some_and(|c| c.is_lowercase()) && !is_plural(run, at));
    }
    here.is_numeric() && before.is_alphabetic() && at - start >= LETTERS_BEFORE_DIGIT
}

/// The `s` of `URLs` and `PRs` ends its word.
fn is_plural(run: &[char], at: usize) -> bool {
    run.len() == at + 2 && run[at + 1] == 's'
}

fn plain(part: &[char]) -> SplitWord {
    SplitWord { text: part.iter().flat_map(|c| c.to_lowercase()).collect(), kind: WordKind::Plain }
}

/// Chinese, Japanese, Thai, Lao, Myanmar and Khmer.
fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}
