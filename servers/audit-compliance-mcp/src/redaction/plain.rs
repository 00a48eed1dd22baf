//! Redaction of plain text, Markdown, CSV and HTML.

use super::order::{Redacted, RedactionError, RedactionOrder};
use super::search::{extended, matches};
use super::verify::still_there;

/// Stands in place of redacted text: its length tells nothing.
const BLOCK: &str = "█████";

/// Replaces every match in a text.
pub fn text(text: &str, order: &RedactionOrder) -> Result<Redacted, RedactionError> {
    if order.terms.is_empty() && order.kinds.is_empty() {
        return Err(RedactionError::Nothing);
    }
    let order = extended(order, std::iter::once(text));
    let found = matches(text, &order);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in &found {
        out.push_str(&text[at..range.start]);
        out.push_str(BLOCK);
        at = range.end;
    }
    out.push_str(&text[at..]);
    if let Some(left) = still_there(&out, &order.terms) {
        return Err(RedactionError::StillThere(left));
    }
    Ok(Redacted { bytes: out.into_bytes(), count: found.len(), ..Redacted::default() })
}
