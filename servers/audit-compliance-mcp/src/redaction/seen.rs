//! The text of markup as people see it, each letter with its place in the source.

use std::ops::Range;

/// Text with places. Behind it, each on a line of its own, stand texts that are not in sight: values of attributes, styles.
#[derive(Clone, Default, Debug)]
pub(super) struct SeenText {
    pub(super) text: String,
    /// The first byte in the text and the bytes in the source of each letter; those of a break are none.
    letters: Vec<(usize, Range<usize>)>,
    /// Parts of the source that nobody sees and that cannot be searched: scripts and comments.
    pub(super) dropped: Vec<Range<usize>>,
    /// Pictures that are in the file itself.
    pub(super) pictures: usize,
}

impl SeenText {
    pub(super) fn push(&mut self, letter: char, place: Range<usize>) {
        self.letters.push((self.text.len(), place));
        self.text.push(letter);
    }

    /// A part of the source, letter by letter.
    pub(super) fn push_source(&mut self, source: &str, range: Range<usize>) {
        for (at, letter) in source[range.clone()].char_indices() {
            let from = range.start + at;
            self.push(letter, from..from + letter.len_utf8());
        }
    }

    /// A line break that the source has not.
    pub(super) fn break_line(&mut self) {
        self.push('\n', 0..0);
    }

    /// A break over which nothing is one phrase.
    pub(super) fn part(&mut self) {
        for letter in ['\n', '|', '\n'] {
            self.push(letter, 0..0);
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.letters.extend(other.letters.into_iter().map(|(at, place)| (at + before, place)));
        self.dropped.extend(other.dropped);
        self.pictures += other.pictures;
    }

    /// The bytes of the source behind a part of the text, one range for each piece between markup.
    pub(super) fn pieces(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let first = self.letters.partition_point(|(at, _)| *at < range.start);
        let inside = self.letters[first..].iter().take_while(|(at, _)| *at < range.end);
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for (_, place) in inside.filter(|(_, place)| !place.is_empty()) {
            match pieces.last_mut().filter(|last| (last.start..=last.end).contains(&place.start)) {
                Some(last) => last.end = last.end.max(place.end),
                None => pieces.push(place.clone()),
            }
        }
        pieces
    }
}
