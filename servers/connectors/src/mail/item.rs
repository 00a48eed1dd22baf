//! The answers of an IMAP server, taken apart: words, strings, literals and lists (RFC 3501, section 4).

const DEPTH_MAX: usize = 32;

/// One element of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ImapItem {
    /// A word or a string; words keep their brackets, such as `BODY[HEADER]`.
    Text(Vec<u8>),
    Nil,
    List(Vec<ImapItem>),
}

impl ImapItem {
    pub(super) fn text(&self) -> Option<String> {
        match self {
            ImapItem::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            ImapItem::Nil | ImapItem::List(_) => None,
        }
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        match self {
            ImapItem::Text(bytes) => bytes,
            ImapItem::Nil | ImapItem::List(_) => Vec::new(),
        }
    }

    pub(super) fn number(&self) -> Option<u32> {
        self.text()?.parse().ok()
    }

    pub(super) fn list(&self) -> &[ImapItem] {
        match self {
            ImapItem::List(items) => items,
            ImapItem::Text(_) | ImapItem::Nil => &[],
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self, ImapItem::Text(bytes) if bytes.eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// The elements of one answer; `None` if it is none. What follows a damaged place is not guessed.
pub(super) fn read(answer: &[u8]) -> Option<Vec<ImapItem>> {
    let mut reader = ItemReader { rest: answer };
    let items = reader.items(0)?;
    reader.rest.is_empty().then_some(items)
}

/// The values of a FETCH by name: `* 12 FETCH (UID 7 …)`.
pub(super) fn fetched(mut items: Vec<ImapItem>) -> Option<Vec<(String, ImapItem)>> {
    if items.len() != 4 || !items[2].is_word("FETCH") {
        return None;
    }
    let ImapItem::List(pairs) = items.pop()? else { return None };
    let mut values = Vec::with_capacity(pairs.len() / 2);
    let mut pairs = pairs.into_iter();
    while let (Some(name), Some(value)) = (pairs.next(), pairs.next()) {
        values.push((name.text()?.to_ascii_uppercase(), value));
    }
    Some(values)
}

struct ItemReader<'a> {
    rest: &'a [u8],
}

impl ItemReader<'_> {
    fn items(&mut self, depth: usize) -> Option<Vec<ImapItem>> {
        let mut items = Vec::new();
        loop {
            match self.rest.first() {
                None | Some(b')') => return Some(items),
                Some(b' ') => self.rest = &self.rest[1..],
                Some(b'(') if depth < DEPTH_MAX => {
                    self.rest = &self.rest[1..];
                    items.push(ImapItem::List(self.items(depth + 1)?));
                    self.rest = self.rest.strip_prefix(b")")?;
                }
                Some(b'(') => return None,
                Some(b'"') => items.push(self.quoted()?),
                Some(b'{') => items.push(self.literal()?),
                Some(_) => items.push(self.word()?),
            }
        }
    }

    fn quoted(&mut self) -> Option<ImapItem> {
        let mut text = Vec::new();
        let mut at = 1;
        loop {
            match self.rest.get(at)? {
                b'"' => break,
                b'\\' => {
                    text.push(*self.rest.get(at + 1)?);
                    at += 2;
                }
                byte => {
                    text.push(*byte);
                    at += 1;
                }
            }
        }
        self.rest = &self.rest[at + 1..];
        Some(ImapItem::Text(text))
    }

    fn literal(&mut self) -> Option<ImapItem> {
        let end = self.rest.iter().position(|byte| *byte == b'}')?;
        let bytes: usize = std::str::from_utf8(&self.rest[1..end]).ok()?.parse().ok()?;
        let content = self.rest[end + 1..].strip_prefix(b"\r\n")?;
        let text = content.get(..bytes)?.to_vec();
        self.rest = &content[bytes..];
        Some(ImapItem::Text(text))
    }

    /// Blanks and parentheses within brackets belong to the word.
    fn word(&mut self) -> Option<ImapItem> {
        let mut in_brackets = false;
        let is_end = |byte: &u8| match byte {
            b'[' => {
                in_brackets = true;
                false
            }
            b']' => {
                in_brackets = false;
                false
            }
            b' ' | b'(' | b')' => !in_brackets,
            _ => false,
        };
        let end = self.rest.iter().position(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word.eq_ignore_ascii_case(b"NIL") {
            true => Some(ImapItem::Nil),
            false => (!word.is_empty()).then(|| ImapItem::Text(word.to_vec())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> ImapItem {
        ImapItem::Text(text.as_bytes().to_vec())
    }

    #[test]
    fn answers_are_taken_apart() {
        let answer = b"* 12 FETCH (UID 7 FLAGS (\\Seen) BODY[HEADER.FIELDS (FROM TO)] {5}\r\na)\"b( INTERNALDATE \"a \\\"b\" X NIL)";
        let values = fetched(read(answer).unwrap()).unwrap();
        assert_eq!(values[0], ("UID".to_owned(), text("7")));
        assert_eq!(values[1].1.list(), [text("\\Seen")]);
        assert_eq!(values[2], ("BODY[HEADER.FIELDS (FROM TO)]".to_owned(), text("a)\"b(")));
        assert_eq!(values[3].1, text("a \"b"));
        assert_eq!(values[4].1, ImapItem::Nil);
        assert_eq!(read(b"* SEARCH 1 2").unwrap().len(), 4);
    }

    #[test]
    fn damaged_and_endless_answers_are_refused() {
        for bad in [
            &b"* 1 FETCH ("[..],
            b"* \"a",
            b"* {5}\r\nab",
            b"* {x}\r\n",
            b"* {99999999999999999999}\r\n",
            b")",
        ] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
        assert_eq!(read("(".repeat(100_000).as_bytes()), None);
    }
}
