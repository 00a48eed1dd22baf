//! The operators of a page, with their operands.

use super::lexer::{Lexeme, Lexer, is_space};
use super::value::{Dict, PdfValue};

/// Operands before an operator that are kept.
const OPERANDS_MAX: usize = 4_096;

/// One operator.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) name: Vec<u8>,
    pub(crate) operands: Vec<PdfValue>,
}

impl Operation {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name.as_bytes()
    }

    pub(crate) fn operand(&self, index: usize) -> &PdfValue {
        self.operands.get(index).unwrap_or(&PdfValue::Null)
    }
}

/// All operators of a content stream; an inline image is one `BI` with its dictionary as operand. The second
/// is where an odd or a bad hexadecimal string stands.
pub(crate) fn operations(bytes: &[u8]) -> (Vec<Operation>, HexFaults) {
    let mut lexer = Lexer::of_content(bytes);
    let (mut found, mut operands) = (Vec::new(), Vec::new());
    while let Some(lexeme) = lexer.lexeme() {
        match lexeme {
            Lexeme::Object(value) => {
                if operands.len() < OPERANDS_MAX {
                    operands.push(value);
                }
                continue;
            }
            Lexeme::Word(word) if word == b"BI" => {
                let image = inline_image(&mut lexer);
                found.push(Operation { name: word, operands: vec![PdfValue::Dict(image)] });
            }
            Lexeme::Word(word) => {
                let operands = std::mem::take(&mut operands);
                found.push(Operation { name: word, operands });
            }
        }
        operands.clear();
    }
    (found, HexFaults { odd: lexer.odd_hex.is_some(), bad: lexer.bad_hex.is_some() })
}

/// Hexadecimal strings that readers repair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HexFaults {
    pub(crate) odd: bool,
    pub(crate) bad: bool,
}

/// Reads up to behind `EI`.
fn inline_image(lexer: &mut Lexer<'_>) -> Dict {
    let mut dict = Dict::default();
    let mut key = None;
    while let Some(lexeme) = lexer.lexeme() {
        match (lexeme, key.take()) {
            (Lexeme::Word(_), _) => break,
            (Lexeme::Object(PdfValue::Name(name)), None) => key = Some(name),
            (Lexeme::Object(value), Some(name)) => dict.0.push((name, value)),
            (Lexeme::Object(_), None) => {}
        }
    }
    let bytes = lexer.bytes;
    let mut at = lexer.at + 1;
    while at + 2 <= bytes.len() {
        let ends = bytes.get(at + 2).is_none_or(|byte| is_space(*byte));
        if &bytes[at..at + 2] == b"EI" && ends && is_space(bytes[at - 1]) {
            lexer.at = at + 2;
            return dict;
        }
        at += 1;
    }
    lexer.at = bytes.len();
    dict
}
