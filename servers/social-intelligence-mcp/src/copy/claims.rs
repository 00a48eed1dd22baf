//! Statements that advertisers must be able to prove. The lists are ours, after the general rule of advertising
//! law that objective claims need evidence before they are made.

use capability_language::{Positions, Span};
use schemars::JsonSchema;
use serde::Serialize;

/// A statement that needs proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextClaim {
    pub kind: ClaimKind,
    /// As it is written.
    pub text: String,
    /// In characters.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// "the best", "number one": against all others.
    Superlative,
    /// "guaranteed", "risk-free".
    Guarantee,
    /// Effects on body and mind.
    Health,
    /// "proven", "studies show".
    Research,
    /// Earnings and savings.
    Money,
    /// "sustainable", "carbon neutral".
    Environment,
    /// A number of per cent, times or users.
    Number,
    /// "only today": must be true as well.
    Scarcity,
}

const PHRASES: [(ClaimKind, &[&str]); 7] = [
    (
        ClaimKind::Superlative,
        &[
            "#1",
            "no. 1",
            "number one",
            "the best",
            "the cheapest",
            "the fastest",
            "world's",
            "leading",
            "unbeatable",
            "the only",
        ],
    ),
    (
        ClaimKind::Guarantee,
        &[
            "guarantee",
            "guaranteed",
            "risk-free",
            "risk free",
            "money back",
            "money-back",
            "always works",
            "never fails",
        ],
    ),
    (
        ClaimKind::Health,
        &[
            "cure",
            "cures",
            "heals",
            "lose weight",
            "weight loss",
            "anti-aging",
            "detox",
            "boosts immunity",
            "pain-free",
            "side effects",
            "prevents disease",
        ],
    ),
    (
        ClaimKind::Research,
        &[
            "clinically",
            "scientifically",
            "proven",
            "studies show",
            "experts agree",
            "doctors recommend",
            "dermatologist",
            "award-winning",
        ],
    ),
    (
        ClaimKind::Money,
        &[
            "earn up to",
            "make money",
            "get rich",
            "passive income",
            "double your",
            "save up to",
            "lowest price",
        ],
    ),
    (
        ClaimKind::Environment,
        &[
            "carbon neutral",
            "climate neutral",
            "eco-friendly",
            "environmentally friendly",
            "sustainable",
            "biodegradable",
            "zero waste",
        ],
    ),
    (
        ClaimKind::Scarcity,
        &[
            "only today",
            "today only",
            "last chance",
            "while supplies last",
            "limited time",
            "only a few left",
            "ends tonight",
        ],
    ),
];

/// More are not listed.
const CLAIMS_MAX: usize = 20;
/// Units that make a number a claim.
const UNITS: [&str; 7] = ["%", "percent", "per cent", "x ", "times", "million", "out of"];

/// The claims of a text, in the order of their places.
pub fn claims(text: &str) -> Vec<TextClaim> {
    // Lowering ASCII letters alone keeps all places.
    let lower = text.to_ascii_lowercase().replace('’', "'");
    if lower.len() != text.len() {
        return claims(&text.replace('’', "'"));
    }
    let mut found: Vec<(usize, usize, ClaimKind)> = Vec::new();
    for (kind, phrases) in PHRASES {
        for phrase in phrases {
            let hits = lower.match_indices(*phrase).filter(|(at, hit)| is_whole(&lower, *at, at + hit.len()));
            found.extend(hits.map(|(at, hit)| (at, at + hit.len(), kind)));
        }
    }
    found.extend(numbers(&lower));
    found.sort();
    found.dedup_by(|next, last| next.0 < last.1);
    let positions = Positions::new(text);
    let claim = |(start, end, kind): (usize, usize, ClaimKind)| TextClaim {
        kind,
        text: text[start..end].to_owned(),
        span: positions.span(start..end),
    };
    found.into_iter().take(CLAIMS_MAX).map(claim).collect()
}

fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

/// Numbers with a unit that makes them a claim.
fn numbers(text: &str) -> Vec<(usize, usize, ClaimKind)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|letter: char| letter.is_ascii_digit()).map(|by| at + by) {
        let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',');
        let end = text[start..].find(|letter| !is_part(letter)).map_or(text.len(), |by| start + by);
        let rest = &text[end..];
        let gap = rest.len() - rest.trim_start_matches(' ').len();
        if let Some(unit) = UNITS.iter().find(|unit| rest[gap..].starts_with(*unit)) {
            found.push((start, end + gap + unit.trim_end().len(), ClaimKind::Number));
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(ClaimKind, &str)]) {
        let found = claims(text);
        let found: Vec<(ClaimKind, &str)> =
            found.iter().map(|claim| (claim.kind, claim.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn claims_are_found_with_their_kind() {
        check(
            "Clinically proven: lose weight 3 times faster. 95% agree. The best!",
            &[
                (ClaimKind::Research, "Clinically"),
                (ClaimKind::Research, "proven"),
                (ClaimKind::Health, "lose weight"),
                (ClaimKind::Number, "3 times"),
                (ClaimKind::Number, "95%"),
                (ClaimKind::Superlative, "The best"),
            ],
        );
    }

    #[test]
    fn parts_of_words_and_plain_numbers_are_no_claims() {
        check("Secure, procured in 2024 with 3 bests", &[]);
        check("", &[]);
        check("½ 9 🎉 1.", &[]);
    }

    #[test]
    fn places_count_characters() {
        let found = claims("Größe’s guaranteed");
        assert_eq!((found[0].span.start, found[0].span.end), (8, 18));
    }
}
