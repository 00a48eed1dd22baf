//! A known text on the words that were heard: each of its words gets a time.

use crate::transcript::SpokenWord;

/// A word of the text with its time.
#[derive(Clone, PartialEq, Debug)]
pub struct AlignedWord {
    pub text: String,
    pub start_ms: i64,
    pub end_ms: i64,
    /// The word was heard as it is written; the time of others lies between those of their neighbours.
    pub is_heard: bool,
}

/// Words farther from the diagonal than this are not compared, which bounds time and memory.
const BAND_MIN: usize = 200;
/// Words of either side.
const WORDS_MAX: usize = 50_000;

/// Aligns by the fewest changed words. Texts are cut to the limit.
pub fn align(text: &str, spoken: &[SpokenWord]) -> Vec<AlignedWord> {
    let words: Vec<&str> = text.split_whitespace().take(WORDS_MAX).collect();
    let spoken = &spoken[..spoken.len().min(WORDS_MAX)];
    let ours: Vec<String> = words.iter().map(|word| plain(word)).collect();
    let theirs: Vec<String> = spoken.iter().map(|word| plain(&word.text)).collect();
    let pairs = matched(&ours, &theirs);
    timed(&words, &pairs, spoken)
}

fn plain(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// For each of our words the spoken one that it equals, or none.
fn matched(ours: &[String], theirs: &[String]) -> Vec<Option<usize>> {
    let (rows, columns) = (ours.len(), theirs.len());
    let band = BAND_MIN.max(rows.abs_diff(columns) + BAND_MIN);
    let centre = |row: usize| row * columns / rows.max(1);
    let first = |row: usize| centre(row).saturating_sub(band);
    let last = |row: usize| (centre(row) + band).min(columns);
    // Steps: 0 both, 1 ours alone, 2 theirs alone.
    let mut steps: Vec<Vec<u8>> = Vec::with_capacity(rows + 1);
    let mut above: Vec<u32> = (0..=last(0)).map(|column| column as u32).collect();
    steps.push(vec![2; above.len()]);
    for row in 1..=rows {
        let (from, to, from_above) = (first(row), last(row), first(row - 1));
        let mut costs = Vec::with_capacity(to - from + 1);
        let mut chosen = Vec::with_capacity(to - from + 1);
        let cost_above = |column: usize| {
            column.checked_sub(from_above).and_then(|at| above.get(at)).copied().unwrap_or(u32::MAX / 2)
        };
        for column in from..=to {
            let same = column > 0 && ours[row - 1] == theirs[column - 1];
            let both =
                if column > 0 { cost_above(column - 1) + if same { 0 } else { 3 } } else { u32::MAX / 2 };
            let alone = cost_above(column) + 2;
            let other = costs.last().map_or(u32::MAX / 2, |cost: &u32| cost + 2);
            let (cost, step) = [(both, 0u8), (alone, 1), (other, 2)].into_iter().min().unwrap_or((both, 0));
            costs.push(cost);
            chosen.push(step);
        }
        above = costs;
        steps.push(chosen);
    }
    let mut pairs = vec![None; rows];
    let (mut row, mut column) = (rows, columns);
    while row > 0 {
        let step = column.checked_sub(first(row)).and_then(|at| steps[row].get(at)).copied().unwrap_or(1);
        match step {
            0 if column > 0 => {
                (row, column) = (row - 1, column - 1);
                pairs[row] = (ours[row] == theirs[column]).then_some(column);
            }
            2 if column > 0 => column -= 1,
            _ => row -= 1,
        }
    }
    pairs
}

/// Times of the matched words, and shares of the time between them for the others.
fn timed(words: &[&str], pairs: &[Option<usize>], spoken: &[SpokenWord]) -> Vec<AlignedWord> {
    let whole_end = spoken.last().map_or(0, |word| word.end_ms);
    let mut aligned: Vec<AlignedWord> = Vec::new();
    let mut index = 0;
    while index < words.len() {
        if let Some(heard) = pairs[index].map(|at| &spoken[at]) {
            let text = words[index].to_owned();
            aligned.push(AlignedWord {
                text,
                start_ms: heard.start_ms,
                end_ms: heard.end_ms,
                is_heard: true,
            });
            index += 1;
            continue;
        }
        let until = (index..words.len()).find(|at| pairs[*at].is_some()).unwrap_or(words.len());
        let from_ms =
            aligned.last().map_or_else(|| spoken.first().map_or(0, |word| word.start_ms), |word| word.end_ms);
        let to_ms =
            pairs.get(until).copied().flatten().map_or(whole_end, |at| spoken[at].start_ms).max(from_ms);
        let letters: Vec<i64> =
            words[index..until].iter().map(|word| plain(word).chars().count() as i64 + 1).collect();
        let all: i64 = letters.iter().sum();
        let mut done = 0;
        for (word, letters) in words[index..until].iter().zip(&letters) {
            let at = |done: i64| from_ms + (to_ms - from_ms) * done / all.max(1);
            aligned.push(AlignedWord {
                text: (*word).to_owned(),
                start_ms: at(done),
                end_ms: at(done + letters),
                is_heard: false,
            });
            done += letters;
        }
        index = until;
    }
    aligned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(words: &[&str]) -> Vec<SpokenWord> {
        let word = |(at, text): (usize, &&str)| SpokenWord {
            text: (*text).to_owned(),
            start_ms: at as i64 * 100,
            end_ms: at as i64 * 100 + 90,
            confidence: 1.0,
        };
        words.iter().enumerate().map(word).collect()
    }

    #[test]
    fn words_get_the_times_at_which_they_were_heard() {
        let aligned = align(
            "It was the best of times, truly!",
            &spoken(&["it", "was", "a", "best", "of", "times", "truly"]),
        );
        let starts: Vec<i64> = aligned.iter().map(|word| word.start_ms).collect();
        assert_eq!((starts[0], starts[3], starts[5], starts[6]), (0, 300, 500, 600));
        assert!(
            !aligned[2].is_heard && aligned[2].start_ms >= 190 && aligned[2].end_ms <= 300,
            "{aligned:?}"
        );
    }

    #[test]
    fn texts_that_do_not_belong_together_still_get_times_in_order() {
        for (text, heard) in
            [("a b c", &[][..]), ("", &["x"][..]), ("x y z", &["p", "q"][..]), ("a a a a", &["a"][..])]
        {
            let aligned = align(text, &spoken(heard));
            assert_eq!(aligned.len(), text.split_whitespace().count());
            assert!(aligned.windows(2).all(|pair| pair[0].start_ms <= pair[1].start_ms), "{aligned:?}");
        }
    }

    #[test]
    fn a_long_text_takes_bounded_time() {
        let text = "word another third ".repeat(4000);
        let words: Vec<&str> = text.split_whitespace().skip(50).collect();
        let aligned = align(&text, &spoken(&words));
        assert!(aligned.iter().filter(|word| word.is_heard).count() > 11_000);
    }
}
