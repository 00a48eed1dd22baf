//! Names of elements, as callers write them.

use capability_kit::Trouble;

/// Characters of a selector.
const SELECTOR_CHARS: usize = 1_000;

/// An element by the ref of a snapshot (`e12`, `f1e3` in a frame), a frame by its label (`f1`), or a CSS selector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    label: String,
    within: Option<String>,
    is_reference: bool,
}

impl Target {
    /// Refs may also be written as snapshots show them, in brackets.
    pub fn parse(text: &str) -> Result<Self, Trouble> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Trouble::bad_arguments("the target is empty")
                .hint("use a ref such as e12 from the last snapshot, or a CSS selector"));
        }
        if text.chars().count() > SELECTOR_CHARS {
            return Err(Trouble::bad_arguments(format!(
                "the target has more than {SELECTOR_CHARS} characters"
            ))
            .hint("use a ref from the last snapshot"));
        }
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        let bare = bare.strip_prefix("ref=").unwrap_or(bare);
        Ok(reference(bare).unwrap_or_else(|| Self {
            label: String::new(),
            within: Some(text.to_owned()),
            is_reference: false,
        }))
    }

    /// The label of the frame that a ref is in.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    /// The ref without the label, or the selector; nothing for a whole frame.
    pub(super) fn within(&self) -> Option<&str> {
        self.within.as_deref()
    }

    /// False for selectors, which are looked for in all frames.
    pub(super) fn is_reference(&self) -> bool {
        self.is_reference
    }
}

fn reference(text: &str) -> Option<Target> {
    let (label, rest) = match text.strip_prefix('f') {
        Some(rest) => {
            let digits = leading_digits(rest);
            (format!("f{digits}"), &rest[digits.len()..])
        }
        None => (String::new(), text),
    };
    if label == "f" {
        return None;
    }
    if rest.is_empty() && !label.is_empty() {
        return Some(Target { label, within: None, is_reference: true });
    }
    let digits = rest.strip_prefix('e')?;
    let is_number = !digits.is_empty() && leading_digits(digits).len() == digits.len();
    is_number.then(|| Target { label, within: Some(rest.to_owned()), is_reference: true })
}

fn leading_digits(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}
