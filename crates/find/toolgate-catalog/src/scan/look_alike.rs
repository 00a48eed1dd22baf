//! Names with letters of another script that look like those one expects: a Cyrillic `а` in `filesystem`.

use std::ops::Range;

use unicode_security::{RestrictionLevel, RestrictionLevelDetection, skeleton};

/// The first word of a name that looks like another: it mixes scripts that are never mixed, or each of its
/// letters looks like an ASCII letter.
pub(super) fn find(name: &str) -> Option<Range<usize>> {
    if name.is_ascii() {
        return None;
    }
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_ascii());
    let found = words.into_iter().find(|word| is_mixed(word) || skeleton(word).all(|c| c.is_ascii()))?;
    let start = found.as_ptr() as usize - name.as_ptr() as usize;
    Some(start..start + found.len())
}

fn is_mixed(word: &str) -> bool {
    !word.check_restriction_level(RestrictionLevel::ModeratelyRestrictive)
}

/// The name with letters of other scripts as their numbers, which makes the difference visible.
pub(super) fn told_apart(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for c in name.chars() {
        match c.is_ascii() {
            true => shown.push(c),
            false => shown.extend(c.escape_unicode()),
        }
    }
    shown
}
