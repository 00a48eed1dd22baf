//! Sentences of a written text, and the marks in them: `Notice is thirty days. [2]`.

/// Words before a full stop that do not end a sentence. Sorted, in small letters.
const SHORTENED: &[&str] = &[
    "al", "approx", "art", "ca", "cf", "dr", "e.g", "ed", "eq", "etc", "fig", "i.e", "inc", "ltd", "mr",
    "mrs", "ms", "no", "nos", "p", "para", "pp", "prof", "resp", "sec", "st", "vol", "vs",
];

/// The sentences of a text, without spaces around them. Marks behind a full stop belong to the sentence before it; a line's end also
/// ends a sentence.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    text.lines().flat_map(of_line).collect()
}

fn of_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, stop) in line.char_indices().filter(|(_, c)| matches!(*c, '.' | '!' | '?')) {
        let end = at + stop.len_utf8();
        if at < start || !ends_here(&line[start..at], stop, &line[end..]) {
            continue;
        }
        let end = end + tail_bytes(&line[end..]);
        found.push(&line[start..end]);
        start = end;
    }
    found.push(&line[start..]);
    found.into_iter().map(str::trim).filter(|one| !one.is_empty()).collect()
}

/// True if a stop between these two texts ends a sentence.
fn ends_here(before: &str, stop: char, after: &str) -> bool {
    let rest = &after[tail_bytes(after)..];
    let Some(next) = rest.chars().next() else { return true };
    // The text goes on without a space: a number, an address, a file name.
    let is_apart = next.is_whitespace() || tail_bytes(after) > 0;
    let goes_on = rest.trim_start().starts_with(char::is_lowercase);
    is_apart && !goes_on && !(stop == '.' && is_shortened(before))
}

fn is_shortened(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    is_initial || SHORTENED.binary_search(&word.to_lowercase().as_str()).is_ok()
}

/// The closing quotes, brackets and marks right behind a stop, with spaces before the marks.
fn tail_bytes(after: &str) -> usize {
    let closing = after.len() - after.trim_start_matches(['"', '\'', ')', ']', '”', '’', '»']).len();
    let mut end = closing;
    while let Some(bytes) = mark_bytes(&after[end..]) {
        end += bytes;
    }
    end
}

/// The length of a mark at the beginning of a text, spaces before it included.
fn mark_bytes(text: &str) -> Option<usize> {
    let inner = text.trim_start_matches(' ');
    let (mark, _) = inner.strip_prefix('[')?.split_once(']')?;
    numbers(mark)?;
    Some(text.len() - inner.len() + mark.len() + 2)
}

/// `1, 2` as numbers.
fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split([',', ';']).map(|one| one.trim().parse().ok()).collect()
}

/// The numbers of all marks in a sentence, in their order.
pub(crate) fn marks(sentence: &str) -> Vec<u32> {
    let bracketed = sentence.split('[').skip(1).filter_map(|part| part.split_once(']'));
    bracketed.filter_map(|(inside, _)| numbers(inside)).flatten().collect()
}

/// A sentence without its marks.
pub(crate) fn unmarked(sentence: &str) -> String {
    let mut plain = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(at) = rest.find('[') {
        let before = &rest[..at];
        match mark_bytes(&rest[at..]) {
            Some(bytes) => {
                plain.push_str(before.trim_end());
                rest = &rest[at + bytes..];
            }
            None => {
                plain.push_str(before);
                plain.push('[');
                rest = &rest[at + 1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_belong_to_the_sentence_before_them() {
        let text =
            "Notice is thirty days. [1] It is written [2][3]. See No. 4 of Art. 5 there! [2, 4]\nLast line";
        assert_eq!(
            sentences(text),
            [
                "Notice is thirty days. [1]",
                "It is written [2][3].",
                "See No. 4 of Art. 5 there! [2, 4]",
                "Last line"
            ]
        );
    }

    #[test]
    fn numbers_names_and_quotations_are_not_cut() {
        for whole in [
            "It costs 3.50 euros.",
            "J. Smith signed it.",
            "Read a.b.pdf first.",
            "It grew (cf. Fig. 2) fast.",
        ] {
            assert_eq!(sentences(whole), [whole]);
        }
        assert_eq!(sentences("He said \"stop.\" Then he left."), ["He said \"stop.\"", "Then he left."]);
        assert!(sentences(" \n\n").is_empty());
    }

    #[test]
    fn marks_are_read_however_they_are_written() {
        assert_eq!(marks("a [1] b [2, 3][4]."), [1, 2, 3, 4]);
        assert!(marks("a [x] [] [-1] [99999999999] 5").is_empty());
        assert_eq!(unmarked("Notice [a] is thirty days [1, 2]. [3]"), "Notice [a] is thirty days.");
    }

    #[test]
    fn shortened_words_are_in_the_order_that_they_are_looked_up_in() {
        assert!(SHORTENED.is_sorted());
    }
}
