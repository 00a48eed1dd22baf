//! Objects out of bytes. Nothing here fails: what is no object is skipped or ends what is being read.

use super::value::{Dict, PdfValue};

/// Arrays and dictionaries inside each other. Beyond it they are read as null.
const DEPTH_MAX: usize = 100;

/// Reads objects from a position on, and notes odd hexadecimal strings.
pub(crate) struct Lexer<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
    /// References (`1 0 R`) exist in files and not in the content of pages.
    references: bool,
    /// Hexadecimal strings with an odd number of digits, by their place.
    pub(crate) odd_hex: Option<usize>,
    /// Hexadecimal strings with characters that are no digits.
    pub(crate) bad_hex: Option<usize>,
}

/// An object, or a word that is none.
pub(crate) enum Lexeme {
    Object(PdfValue),
    Word(Vec<u8>),
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

impl<'a> Lexer<'a> {
    pub(crate) fn of_file(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, references: true, odd_hex: None, bad_hex: None }
    }

    pub(crate) fn of_content(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, references: false, odd_hex: None, bad_hex: None }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                    self.at += 1;
                }
            } else if is_space(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    /// True if the next word is `word`; if so it is passed.
    pub(crate) fn take_word(&mut self, word: &[u8]) -> bool {
        self.skip_space();
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let ends = rest.get(word.len()).is_none_or(|byte| is_space(*byte) || is_delimiter(*byte));
        let is_it = rest.starts_with(word) && ends;
        if is_it {
            self.at += word.len();
        }
        is_it
    }

    pub(crate) fn value(&mut self) -> Option<PdfValue> {
        match self.next(0)? {
            Lexeme::Object(value) => Some(value),
            Lexeme::Word(_) => None,
        }
    }

    pub(crate) fn lexeme(&mut self) -> Option<Lexeme> {
        self.next(0)
    }

    fn next(&mut self, depth: usize) -> Option<Lexeme> {
        self.skip_space();
        let value = match self.peek()? {
            b'/' => self.name(),
            b'(' => self.literal(),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'<') => self.dict(depth),
            b'<' => self.hex(),
            b'[' => self.list(depth),
            b'+' | b'-' | b'.' | b'0'..=b'9' => self.number(),
            b')' | b'>' | b']' | b'{' | b'}' => {
                self.at += 1;
                return Some(Lexeme::Word(vec![self.bytes[self.at - 1]]));
            }
            _ => return Some(self.word()),
        };
        Some(Lexeme::Object(value))
    }

    fn word(&mut self) -> Lexeme {
        let from = self.at;
        while self.peek().is_some_and(|byte| !is_space(byte) && !is_delimiter(byte)) {
            self.at += 1;
        }
        match &self.bytes[from..self.at] {
            b"true" => Lexeme::Object(PdfValue::Bool(true)),
            b"false" => Lexeme::Object(PdfValue::Bool(false)),
            b"null" => Lexeme::Object(PdfValue::Null),
            word => Lexeme::Word(word.to_vec()),
        }
    }

    fn name(&mut self) -> PdfValue {
        self.at += 1;
        let mut name = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| !is_space(*byte) && !is_delimiter(*byte)) {
            let escaped = self.bytes.get(self.at + 1..self.at + 3).and_then(hex_pair);
            match escaped {
                Some(code) if byte == b'#' => {
                    name.push(code);
                    self.at += 3;
                }
                _ => {
                    name.push(byte);
                    self.at += 1;
                }
            }
        }
        PdfValue::Name(name)
    }

    fn number(&mut self) -> PdfValue {
        let first = self.plain_number();
        let PdfValue::Int(number) = first else { return first };
        let back = self.at;
        if self.references && (0..=i64::from(u32::MAX)).contains(&number) {
            self.skip_space();
            let generation = self.peek().is_some_and(|byte| byte.is_ascii_digit());
            if generation && matches!(self.plain_number(), PdfValue::Int(0..=65_535)) && self.take_word(b"R")
            {
                return PdfValue::Ref(number as u32);
            }
        }
        self.at = back;
        first
    }

    fn plain_number(&mut self) -> PdfValue {
        let from = self.at;
        while self.peek().is_some_and(|byte| matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[from..self.at]).unwrap_or_default();
        if let Ok(number) = text.parse::<i64>() {
            return PdfValue::Int(number);
        }
        match text.parse::<f64>() {
            Ok(number) if text.contains('.') => PdfValue::Real(number),
            Ok(number) => PdfValue::Int(if number < 0.0 { i64::MIN } else { i64::MAX }),
            // Such as `--5` and `1-2`, which readers take for zero.
            Err(_) => PdfValue::Int(0),
        }
    }

    fn literal(&mut self) -> PdfValue {
        self.at += 1;
        let (mut text, mut open) = (Vec::new(), 1);
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => {
                    self.escape(&mut text);
                    continue;
                }
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                _ => {}
            }
            text.push(byte);
        }
        PdfValue::Text(text)
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\r' => self.at += usize::from(self.peek() == Some(b'\n')),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit) = self.peek().filter(|byte| (b'0'..=b'7').contains(byte)) else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                text.push(code as u8);
            }
            other => text.push(other),
        }
    }

    fn hex(&mut self) -> PdfValue {
        let from = self.at;
        self.at += 1;
        let mut digits = Vec::new();
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'>' => break,
                _ if byte.is_ascii_hexdigit() => digits.push(byte),
                _ if is_space(byte) => {}
                _ => {
                    self.bad_hex.get_or_insert(from);
                }
            }
        }
        if digits.len() % 2 == 1 {
            self.odd_hex.get_or_insert(from);
            digits.push(b'0');
        }
        PdfValue::Text(digits.chunks_exact(2).filter_map(hex_pair).collect())
    }

    fn list(&mut self, depth: usize) -> PdfValue {
        self.at += 1;
        let mut list = Vec::new();
        while let Some(lexeme) = self.below(depth) {
            match lexeme {
                Lexeme::Object(value) => list.push(value),
                Lexeme::Word(word) if word == b"]" => break,
                Lexeme::Word(word) => {
                    if self.ends_object(&word) {
                        break;
                    }
                }
            }
        }
        PdfValue::List(list)
    }

    fn dict(&mut self, depth: usize) -> PdfValue {
        self.at += 2;
        let mut dict = Dict::default();
        let mut key = None;
        while let Some(lexeme) = self.below(depth) {
            match (lexeme, key.take()) {
                (Lexeme::Object(PdfValue::Name(name)), None) => key = Some(name),
                (Lexeme::Object(value), Some(name)) => dict.0.push((name, value)),
                (Lexeme::Object(_), None) => {}
                (Lexeme::Word(word), _) if word == b">" => {
                    self.at += usize::from(self.peek() == Some(b'>'));
                    break;
                }
                (Lexeme::Word(word), open) => {
                    if self.ends_object(&word) {
                        break;
                    }
                    key = open;
                }
            }
        }
        PdfValue::Dict(dict)
    }

    /// A word that cannot be inside: whatever was open is taken as closed.
    fn ends_object(&mut self, word: &[u8]) -> bool {
        let ends = matches!(word, b"endobj" | b"stream" | b"obj" | b"xref" | b"trailer");
        if ends {
            self.at -= word.len();
        }
        ends
    }

    fn below(&mut self, depth: usize) -> Option<Lexeme> {
        if depth < DEPTH_MAX {
            return self.next(depth + 1);
        }
        self.at = self.bytes.len();
        None
    }
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let high = char::from(*pair.first()?).to_digit(16)?;
    let low = char::from(*pair.get(1)?).to_digit(16)?;
    Some((high * 16 + low) as u8)
}
