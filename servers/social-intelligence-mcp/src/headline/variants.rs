//! Other ways to write a headline, by rules that keep what it says.

use super::signs::is_shouted;

/// A rewritten headline, and the rule that made it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeadlineVariant {
    pub headline: String,
    pub rule: &'static str,
}

/// Fillers at the beginning that say nothing.
const FILLERS: [&str; 10] = [
    "you won't believe ",
    "you need to see this: ",
    "breaking: ",
    "this is why ",
    "here's why ",
    "here is why ",
    "watch: ",
    "video: ",
    "must see: ",
    "omg: ",
];

type Rewrite = fn(&str) -> Option<String>;

const RULES: [(&str, Rewrite); 8] = [
    ("no exclamation mark", without_exclamation),
    ("no shouting", without_shouting),
    ("no filler at the beginning", without_filler),
    ("a sentence instead of a colon", without_colon),
    ("no hashtags", without_hashtags),
    ("a full stop instead of an ellipsis", without_ellipsis),
    ("digits instead of number words", with_digits),
    ("no remark in parentheses", without_parenthesis),
];

/// Each rule that changes something, then all of them together. Facts, names and numbers stay as they are.
pub fn headline_variants(headline: &str) -> Vec<HeadlineVariant> {
    let headline = headline.trim();
    let mut found: Vec<HeadlineVariant> = Vec::new();
    let mut add = |text: String, rule| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_new = text != headline && found.iter().all(|known| known.headline != text);
        if is_new && text.split_whitespace().count() > 1 {
            found.push(HeadlineVariant { headline: text, rule });
        }
    };
    let mut all = headline.to_owned();
    for (rule, rewrite) in RULES {
        if let Some(text) = rewrite(headline) {
            add(text, rule);
        }
        all = rewrite(&all).unwrap_or(all);
    }
    add(all, "all of these rules");
    found
}

fn without_exclamation(text: &str) -> Option<String> {
    text.contains('!').then(|| {
        let questions = text.replace("?!", "?").replace("!?", "?");
        let plain = questions.trim_end_matches('!').replace("!!", "!");
        plain.replace('!', ".")
    })
}

/// Abbreviations are shorter.
const SHOUTED_CHARS_MIN: usize = 5;

fn without_shouting(text: &str) -> Option<String> {
    let words = text.split(' ');
    let calm = |word: &str| {
        let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
        if letters < SHOUTED_CHARS_MIN || !is_shouted(word) {
            return word.to_owned();
        }
        let mut first = true;
        let lower = |letter: char| {
            let keep = letter.is_alphabetic() && std::mem::take(&mut first);
            if keep { vec![letter] } else { letter.to_lowercase().collect() }
        };
        word.chars().flat_map(lower).collect()
    };
    let calmed = words.map(calm).collect::<Vec<_>>().join(" ");
    (calmed != text).then_some(calmed)
}

fn without_filler(text: &str) -> Option<String> {
    let straight = text.replace('’', "'");
    let rest = FILLERS.iter().find_map(|filler| {
        let beginning = straight.get(..filler.len())?;
        beginning.eq_ignore_ascii_case(filler).then(|| &straight[filler.len()..])
    })?;
    let mut letters = rest.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

fn without_colon(text: &str) -> Option<String> {
    let (before, after) = text.split_once(": ")?;
    let has_end = before.ends_with(['.', '!', '?']);
    (before.split_whitespace().count() > 2 && !has_end).then(|| format!("{before}. {after}"))
}

fn without_hashtags(text: &str) -> Option<String> {
    let is_tag = |word: &str| word.strip_prefix('#').is_some_and(|tag| tag.starts_with(char::is_alphabetic));
    let words: Vec<&str> =
        text.split_whitespace().map(|word| if is_tag(word) { &word[1..] } else { word }).collect();
    text.contains('#').then(|| words.join(" "))
}

fn without_ellipsis(text: &str) -> Option<String> {
    let trimmed = text.trim_end_matches(['.', '…']);
    (text.ends_with("...") || text.ends_with('…')).then(|| format!("{trimmed}."))
}

const NUMBERS: [(&str, &str); 11] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("twelve", "12"),
    ("twenty", "20"),
];

/// The digits of a number word, if it is a common one.
pub fn digits_of(word: &str) -> Option<&'static str> {
    NUMBERS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, digits)| *digits)
}

fn with_digits(text: &str) -> Option<String> {
    let written: Vec<&str> = text.split(' ').map(|word| digits_of(word).unwrap_or(word)).collect();
    let written = written.join(" ");
    (written != text).then_some(written)
}

fn without_parenthesis(text: &str) -> Option<String> {
    let (before, rest) = text.split_once('(')?;
    let (_, after) = rest.split_once(')')?;
    Some(format!("{}{after}", before.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headline: &str, rule: &str, expected: &str) {
        let found = headline_variants(headline);
        let made = found.iter().find(|variant| variant.rule == rule);
        assert_eq!(made.map(|variant| variant.headline.as_str()), Some(expected), "{found:?}");
    }

    #[test]
    fn every_rule_keeps_the_facts() {
        check("This Is Great!!", "no exclamation mark", "This Is Great");
        check("Really?! She Won!", "no exclamation mark", "Really? She Won");
        check("An ABSOLUTELY Fine NASA Day", "no shouting", "An Absolutely Fine NASA Day");
        check("You Won’t Believe How He Did It", "no filler at the beginning", "How He Did It");
        check(
            "What She Told Them: All Of It",
            "a sentence instead of a colon",
            "What She Told Them. All Of It",
        );
        check("A Day For #Peace On Earth", "no hashtags", "A Day For Peace On Earth");
        check("And Then She Spoke...", "a full stop instead of an ellipsis", "And Then She Spoke.");
        check("The Three Reasons He Left", "digits instead of number words", "The 3 Reasons He Left");
        check("A Plan (Of Sorts) For All", "no remark in parentheses", "A Plan For All");
    }

    #[test]
    fn all_rules_together_are_one_more_variant() {
        check("Breaking: The Five Of Them WALKED Out!", "all of these rules", "The 5 Of Them Walked Out");
    }

    #[test]
    fn a_plain_headline_and_odd_ones_give_nothing() {
        for headline in ["She Left Early", "", "!", "(", ")(", "#", "日本語の見出し", "…"] {
            assert!(headline_variants(headline).is_empty(), "{headline}");
        }
    }
}
