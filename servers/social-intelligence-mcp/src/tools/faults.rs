//! Variants that somebody else wrote: what they say beyond the original, and what the rules would take out again.

use std::collections::BTreeSet;

use crate::copy::claims;
use crate::headline::{digits_of, headline_variants, headline_words};

/// A longer one is another text.
const LONGER_MAX: usize = 2;
/// Short headlines may grow by so many words.
const WORDS_MORE: usize = 4;

/// The first thing that forbids a variant. A variant may leave out and reorder, but states nothing new that a program can
/// see: numbers, quotations, links, and claims that need proof. New names pass: in a title every word has a capital.
pub(super) fn variant_fault(original: &str, variant: &str) -> Option<String> {
    let (before, words) = (headline_words(original).len(), headline_words(variant).len());
    if words < 2 || variant.chars().any(char::is_control) {
        return Some("is no single line of words".to_owned());
    }
    if words > (before * LONGER_MAX).max(before + WORDS_MORE) {
        return Some("is much longer".to_owned());
    }
    if let Some(number) = numbers(variant).difference(&numbers(original)).next() {
        return Some(format!("has a new number: {number}"));
    }
    let is_quoted = |text: &str| text.contains(['"', '“', '”']);
    if is_quoted(variant) && !is_quoted(original) {
        return Some("has a new quotation".to_owned());
    }
    if ["http", "www.", "@"].iter().any(|sign| variant.contains(sign) && !original.contains(sign)) {
        return Some("has a new link".to_owned());
    }
    let known: Vec<_> = claims(original).into_iter().map(|claim| claim.kind).collect();
    if let Some(claim) = claims(variant).into_iter().find(|claim| !known.contains(&claim.kind)) {
        return Some(format!("has a new claim that needs proof: {}", claim.text));
    }
    broken_rule(original, variant).map(|rule| format!("breaks a rule: {rule}"))
}

/// A rule that would rewrite the variant and had nothing to do with the original. Number words are a matter of taste.
fn broken_rule(original: &str, variant: &str) -> Option<&'static str> {
    let known: Vec<&str> = headline_variants(original).into_iter().map(|made| made.rule).collect();
    let taste =
        ["digits instead of number words", "no remark in parentheses", "a sentence instead of a colon"];
    let rules = headline_variants(variant).into_iter().map(|made| made.rule);
    rules
        .filter(|rule| *rule != "all of these rules" && !taste.contains(rule))
        .find(|rule| !known.contains(rule))
}

/// Numbers in digits; number words as digits too.
fn numbers(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let number = |word: &str| {
        let digits = word.chars().any(|letter| letter.is_ascii_digit()).then(|| word.to_lowercase());
        digits_of(word).map(str::to_owned).or(digits)
    };
    words.filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = "The Five Kids Who Said Nothing Until Their Teacher Left";

    #[test]
    fn a_variant_that_says_the_same_passes() {
        for variant in [
            "5 Kids Said Nothing Until Their Teacher Left",
            "Until Their Teacher Left, Five Kids Said Nothing",
            "Their Teacher Left. Then The Five Kids Spoke.",
        ] {
            assert_eq!(variant_fault(ORIGINAL, variant), None, "{variant}");
        }
    }

    #[test]
    fn a_variant_that_says_more_or_shouts_is_refused() {
        for (variant, fault) in [
            ("Kids", "no single line"),
            ("The Five Kids\nWho Said Nothing", "no single line"),
            ("The 7 Kids Who Said Nothing", "a new number: 7"),
            ("Five Kids Said \"We Are Scared\" When Their Teacher Left", "a new quotation"),
            ("Five Kids Said Nothing: www.example.com", "a new link"),
            ("The Five Kids Who Were Proven Right", "a new claim that needs proof"),
            ("You Won't Believe What Five Kids Said", "no filler at the beginning"),
            ("The Five Kids Who Said Nothing!", "no exclamation mark"),
            ("The Five Kids Who Said NOTHING", "no shouting"),
        ] {
            let found = variant_fault(ORIGINAL, variant).unwrap_or_default();
            assert!(found.contains(fault), "{variant}: {found}");
        }
        assert!(variant_fault(ORIGINAL, &"Kids ".repeat(50)).is_some_and(|fault| fault.contains("longer")));
    }
}
