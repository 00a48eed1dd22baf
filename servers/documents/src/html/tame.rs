//! Tags with so many attributes that comparing each with all others would take minutes are ended early.

use std::borrow::Cow;

/// No real tag has more.
const ATTRIBUTES_MAX: usize = 1_000;

/// The page, with an end inserted into tags that never seem to end. The rest of such a tag becomes text.
pub(super) fn tame(text: &str) -> Cow<'_, str> {
    let ends = ends(text.as_bytes());
    if ends.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut tamed = String::with_capacity(text.len() + ends.len());
    let mut from = 0;
    for end in ends {
        tamed.push_str(&text[from..end]);
        tamed.push('>');
        from = end;
    }
    tamed.push_str(&text[from..]);
    Cow::Owned(tamed)
}

/// The positions for the inserted ends. All of them are before a blank or a slash.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'<', &bytes[at..]) {
        at += start + 1;
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let (end, is_endless) = end_of_tag(bytes, at);
        if is_endless {
            ends.push(end);
        }
        at = end;
    }
    ends
}

/// The end of a tag, or the position where it has had enough attributes.
fn end_of_tag(bytes: &[u8], mut at: usize) -> (usize, bool) {
    let mut attributes = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return (at, false),
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/' => {
                attributes += 1;
                if attributes > ATTRIBUTES_MAX {
                    return (at, true);
                }
                at += 1;
            }
            b'=' => {
                at = after_value(bytes, at + 1);
                // Attributes may directly follow a quoted value.
                attributes += 1;
            }
            _ => at += 1,
        }
    }
    (bytes.len(), false)
}

/// The position after a quoted value, if there is one here; blanks in it separate nothing.
fn after_value(bytes: &[u8], at: usize) -> usize {
    let Some(&quote @ (b'"' | b'\'')) = bytes.get(at) else { return at };
    let length = memchr::memchr(quote, &bytes[at + 1..]);
    length.map_or(bytes.len(), |length| at + length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_people_wrote_are_left_alone() {
        let long = format!("<p title=\"{}\" a='{0}'>x < y</p><img src=a/b/c>", "many words ".repeat(5_000));
        assert_eq!(tame(&long), long);
    }

    #[test]
    fn a_tag_that_never_ends_is_ended() {
        for attribute in [" a=1", " a", "/a", "a=\"1\" "] {
            let endless = format!("<p {}>x", attribute.repeat(100_000));
            let tamed = tame(&endless);
            assert!(tamed.find('>').unwrap() < 10_000, "{attribute}");
            assert_eq!(tamed.len(), endless.len() + 1, "{attribute}");
        }
    }
}
