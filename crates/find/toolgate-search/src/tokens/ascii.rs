//! The pieces of plain ASCII, found without the pattern: most counted text is JSON, and its first thousands
//! of characters would otherwise be spent on building the pattern's tables.

/// Endings that belong to the word before them.
const ENDINGS: [&[u8]; 7] = [b"s", b"t", b"re", b"ve", b"m", b"ll", b"d"];

const DIGITS_MAX: usize = 3;

/// The end of the piece that starts here; `None` if a character beyond ASCII could belong to it.
pub(super) fn piece_end(text: &[u8], start: usize) -> Option<usize> {
    let (first, second) = (*text.get(start)?, text.get(start + 1).copied().unwrap_or_default());
    match first {
        _ if !first.is_ascii() => None,
        b'a'..=b'z' | b'A'..=b'Z' => word_end(text, start),
        b'0'..=b'9' => number_end(text, start),
        _ if second.is_ascii_alphabetic() && !is_line_end(first) => word_end(text, start + 1),
        // A letter, a mark or a blank of another script may follow.
        _ if !second.is_ascii() => None,
        b' ' if is_sign(second) && start + 1 < text.len() => signs_end(text, start + 1),
        _ if is_blank(first) => blanks_end(text, start),
        _ => signs_end(text, start),
    }
}

/// Upper-case letters, then lower-case letters, then an ending such as `'s`.
fn word_end(text: &[u8], start: usize) -> Option<usize> {
    let capitals = run(text, start, |byte| byte.is_ascii_uppercase());
    let end = settled(text, run(text, capitals, |byte| byte.is_ascii_lowercase()))?;
    if text.get(end) != Some(&b'\'') {
        return Some(end);
    }
    settled(text, end + 1)?;
    let rest = &text[end + 1..];
    let ending =
        ENDINGS.iter().find(|one| rest.len() >= one.len() && rest[..one.len()].eq_ignore_ascii_case(one));
    Some(ending.map_or(end, |one| end + 1 + one.len()))
}

/// At most three digits; a longer number is not read to its end for each of its pieces.
fn number_end(text: &[u8], start: usize) -> Option<usize> {
    let end = run(&text[..text.len().min(start + DIGITS_MAX)], start, |byte| byte.is_ascii_digit());
    if end - start == DIGITS_MAX { Some(end) } else { settled(text, end) }
}

/// Signs, and the line ends and slashes after them.
fn signs_end(text: &[u8], start: usize) -> Option<usize> {
    let end = settled(text, run(text, start, is_sign))?;
    Some(run(text, end, |byte| is_line_end(byte) || byte == b'/'))
}

/// Blanks up to the last line end among them; without one, all but the last, which belongs to the next piece.
fn blanks_end(text: &[u8], start: usize) -> Option<usize> {
    let end = settled(text, run(text, start, is_blank))?;
    if let Some(last) = text[start..end].iter().rposition(|byte| is_line_end(*byte)) {
        return Some(start + last + 1);
    }
    Some(if end == text.len() || end - start == 1 { end } else { end - 1 })
}

/// The end of a run, if no character beyond ASCII follows that could make it longer.
fn settled(text: &[u8], end: usize) -> Option<usize> {
    text.get(end).is_none_or(u8::is_ascii).then_some(end)
}

fn run(text: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text[start..].iter().position(|byte| !belongs(*byte)).map_or(text.len(), |length| start + length)
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !is_blank(byte)
}
