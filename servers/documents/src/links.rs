//! Addresses behind words. Blocks are plain text, so an address that the words do not show follows them in parentheses.

/// Longer addresses are trackers or embedded data, not links for a reader.
const ADDRESS_CHARS_MAX: usize = 500;

/// The text after the words of a link, if any.
pub(crate) fn after_words(words: &str, address: &str) -> Option<String> {
    let address = address.trim();
    let scheme = address.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let is_for_people = matches!(scheme.as_str(), "http" | "https" | "mailto" | "tel");
    if !is_for_people || words.trim().is_empty() || address.len() > ADDRESS_CHARS_MAX {
        return None;
    }
    let shown = address.strip_prefix("mailto:").or_else(|| address.strip_prefix("tel:")).unwrap_or(address);
    let is_shown = bare(words).contains(&bare(shown)) || scheme == "tel";
    (!is_shown).then(|| format!(" ({shown})"))
}

/// An address without the parts that people omit.
fn bare(text: &str) -> String {
    let text = text.trim().to_lowercase();
    let text = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or(&text);
    text.strip_prefix("www.").unwrap_or(text).trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_follows_words_that_do_not_show_it() {
        assert_eq!(after_words("my page", "https://a.example/x").as_deref(), Some(" (https://a.example/x)"));
        assert_eq!(after_words("write", "mailto:a@b.example").as_deref(), Some(" (a@b.example)"));
    }

    #[test]
    fn an_address_that_is_shown_or_leads_nowhere_is_left_out() {
        assert_eq!(after_words("www.a.example", "https://www.a.example/"), None);
        assert_eq!(after_words("a@b.example", "mailto:a@b.example"), None);
        assert_eq!(after_words("next", "#part-2"), None);
        assert_eq!(after_words("run", "javascript:alert(1)"), None);
        assert_eq!(after_words(" ", "https://a.example"), None);
    }
}
