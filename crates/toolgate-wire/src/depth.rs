//! How deep a message nests. Parsing here is iterative, but what reads the message after us may not be.

/// Whether objects and arrays nest at most `depth_max` deep. Text that is not JSON may answer either way.
pub fn within(text: &[u8], depth_max: usize) -> bool {
    // So few brackets cannot nest too deep; this is every small message and costs nothing.
    if text.len() <= depth_max {
        return true;
    }
    let mut depth = 0usize;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'{' | b'[' => {
                depth += 1;
                if depth > depth_max {
                    return false;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => at = string_end(text, at + 1),
            _ => {}
        }
        at += 1;
    }
    true
}

fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(offset) = memchr::memchr2(b'"', b'\\', &text[at.min(text.len())..]) {
        at += offset;
        if text[at] == b'"' {
            return at;
        }
        at += 2;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_do_not_count() {
        let text = format!(r#"{{"a":"{}\"["}}"#, "[".repeat(50));
        assert!(within(text.as_bytes(), 10));
    }

    #[test]
    fn depth_is_counted_exactly() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(within(nested(100).as_bytes(), 100));
        assert!(!within(nested(101).as_bytes(), 100));
    }
}
