//! The frame in which a model reads the result of a tool. Whoever drives runs writes it; people and programs see what is within.

/// The name of its tags.
pub const RESULT_TAG: &str = "tool_result";

/// The result within its frame; any other text as it is.
pub fn unframed(text: &str) -> &str {
    within(text).unwrap_or(text)
}

/// A frame ends with the mark that it begins with.
fn within(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?.strip_prefix(RESULT_TAG)?.strip_prefix(' ')?;
    let (attributes, inner) = inner.split_once(">\n")?;
    let (_, mark) = attributes.rsplit_once(" mark=")?;
    inner.strip_suffix(&format!("\n</{RESULT_TAG} mark={mark}>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_taken_off_and_nothing_of_the_result() {
        for result in ["", "hello", "two\nlines\n", ">\n</tool_result mark=\"f4\">", " mark=\"f4\">\n"] {
            let text = format!("<tool_result tool=\"a\" mark=\"f3\">\n{result}\n</tool_result mark=\"f3\">");
            assert_eq!(unframed(&text), result);
        }
    }

    #[test]
    fn what_is_no_frame_is_left_alone() {
        for text in [
            "",
            "hello",
            "<tool_result no end",
            "<tool_result tool=\"a\" mark=\"f3\">\nhello",
            "<tool_result tool=\"a\" mark=\"f3\">\nhello\n</tool_result mark=\"f4\">",
            "<tool_result tool=\"a\">\nhello\n</tool_result>",
        ] {
            assert_eq!(unframed(text), text);
        }
    }
}
