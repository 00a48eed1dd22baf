//! Tokens and their features. `model/train.py` makes the same: change both or neither.

/// Numbers by which features are told apart.
pub(super) const BUCKETS: u32 = 1 << 18;
/// Characters of a word that make its shape.
const SHAPE_CHARS: usize = 12;

/// A run of letters or digits, or one other character.
pub(super) struct TaggedToken {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) lower: Vec<char>,
    pub(super) shape: String,
    /// The gap before it: `^` the beginning, `n` a line break, `s` a space, `-` nothing.
    pub(super) gap: char,
    length: usize,
}

fn kind(character: char) -> char {
    match character {
        '\u{300}'..='\u{36f}' => 'a',
        _ if character.is_alphabetic() => 'a',
        _ if character.is_numeric() => '0',
        _ if character.is_whitespace() => ' ',
        _ => '.',
    }
}

pub(super) fn tokens(text: &str) -> Vec<TaggedToken> {
    let mut found = Vec::new();
    let mut gap = '^';
    let mut rest = text.char_indices().peekable();
    while let Some((from, first)) = rest.next() {
        let own = kind(first);
        if own == ' ' {
            gap = match gap {
                _ if first == '\n' => 'n',
                'n' => 'n',
                '^' => '^',
                _ => 's',
            };
            continue;
        }
        let mut to = from + first.len_utf8();
        while let Some((at, next)) = rest.next_if(|(_, next)| own != '.' && kind(*next) == own) {
            to = at + next.len_utf8();
        }
        found.push(token(&text[from..to], from, to, gap));
        gap = '-';
    }
    found
}

fn token(word: &str, from: usize, to: usize, gap: char) -> TaggedToken {
    let length = word.chars().count();
    let is_number = length > 4 && word.chars().next().is_some_and(|it| kind(it) == '0');
    let lower = word.to_lowercase();
    let lower = lower.chars().map(|it| if is_number && kind(it) == '0' { '0' } else { it }).collect();
    TaggedToken { from, to, lower, shape: shape(word), gap, length }
}

fn shape(word: &str) -> String {
    let mut out: Vec<char> = Vec::new();
    for character in word.chars().take(SHAPE_CHARS) {
        let own = match kind(character) {
            _ if character.is_uppercase() => 'X',
            'a' => 'x',
            '0' => '0',
            _ => character,
        };
        if !matches!(out.as_slice(), [.., a, b] if *a == own && *b == own) {
            out.push(own);
        }
    }
    out.into_iter().collect()
}

fn hashed(parts: &[&str]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0x811c_9dc5u32, |value, byte| (value ^ u32::from(byte)).wrapping_mul(0x0100_0193)) % BUCKETS
}

/// Features of one token, given the labels of the two before it.
pub(super) fn features(tokens: &[TaggedToken], index: usize, previous: &str, before: &str) -> [u32; 28] {
    let at = |offset: isize| index.checked_add_signed(offset).and_then(|at| tokens.get(at));
    let edge = |offset: isize| if offset > 0 { "$" } else { "^" };
    let word = |offset: isize| at(offset).map_or(edge(offset).to_owned(), |it| it.lower.iter().collect());
    let form = |offset: isize| at(offset).map_or(edge(offset), |it| it.shape.as_str());
    let own = &tokens[index];
    let part = |chars: &[char]| chars.iter().collect::<String>();
    let letters = own.lower.as_slice();
    let end = |count: usize| part(&letters[letters.len().saturating_sub(count)..]);
    let gap = own.gap.to_string();
    let after = at(1).map_or('$', |it| it.gap).to_string();
    let length = own.length.min(9).to_string();
    let first: String = own.shape.chars().take(1).collect();
    let (w, w1, w2, w_1, w_2) = (word(0), word(1), word(2), word(-1), word(-2));
    let (f, f1, f2, f_1, f_2) = (form(0), form(1), form(2), form(-1), form(-2));
    let start = if index == 0 { "1".to_owned() } else { format!("0{f}") };
    [
        hashed(&["b"]),
        hashed(&["w", &w]),
        hashed(&["s", f]),
        hashed(&["p", &part(&letters[..letters.len().min(3)])]),
        hashed(&["e", &end(3)]),
        hashed(&["f", &end(2)]),
        hashed(&["l", &first, &length]),
        hashed(&["g", &gap, &after, f]),
        hashed(&["h", &w_1]),
        hashed(&["i", &w1]),
        hashed(&["j", &w_2]),
        hashed(&["k", &w2]),
        hashed(&["m", f_1, "|", f]),
        hashed(&["n", f, "|", f1]),
        hashed(&["o", f_1, "|", f, "|", f1]),
        hashed(&["q", &w_1, "|", &w_2]),
        hashed(&["r", &w1, "|", &w2]),
        hashed(&["t", previous]),
        hashed(&["u", previous, "|", before]),
        hashed(&["v", previous, "|", f]),
        hashed(&["x", previous, "|", &gap, &w]),
        hashed(&["y", &w_1, "|", f]),
        hashed(&["z", &w1, "|", f]),
        hashed(&["c", f1, "|", f2]),
        hashed(&["d", f_1, "|", f_2]),
        hashed(&["a", &word(-3)]),
        hashed(&["B", &gap, f_1, previous]),
        hashed(&["C", &start]),
    ]
}
