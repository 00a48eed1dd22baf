//! Names and values of a schema as a sentence shows them. They come from strangers: short, and without characters that nobody sees.

use serde_json::Value;

const NAME_CHARS_MAX: usize = 80;
const VALUE_CHARS_MAX: usize = 120;

/// `` `a.b` ``
pub(crate) fn name(text: &str) -> String {
    format!("`{}`", cut(&visible(text), NAME_CHARS_MAX))
}

/// A value as JSON.
pub(crate) fn value(of: &Value) -> String {
    cut(&visible(&of.to_string()), VALUE_CHARS_MAX)
}

/// Values with commas between, the rest counted.
pub(crate) fn values<'a>(of: impl ExactSizeIterator<Item = &'a Value>) -> String {
    listed(of.map(value))
}

/// Texts with commas between, the rest counted.
pub(crate) fn listed(texts: impl ExactSizeIterator<Item = String>) -> String {
    const LISTED_MAX: usize = 8;
    let more = texts.len().saturating_sub(LISTED_MAX);
    let mut shown: Vec<String> = texts.take(LISTED_MAX).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '`' => shown.push('\''),
            one if is_invisible(one) => shown.extend(one.escape_unicode()),
            one => shown.push(one),
        }
    }
    shown
}

fn is_invisible(one: char) -> bool {
    one.is_control()
        || matches!(u32::from(one), 0xad | 0x34f | 0x61c | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff
            | 0xe0000..=0xe0fff)
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
