//! Sentences that instruct the model beyond using the tool. The list was tested against some ten thousand
//! definitions of real servers: phrases of ordinary descriptions ("important:", "you must call") are not in
//! it.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// In lower case, with single spaces.
const PHRASES: &[&str] = &[
    // Against earlier instructions to the model.
    "ignore previous",
    "ignore all previous",
    "ignore any previous",
    "ignore the previous",
    "ignore your previous",
    "ignore prior",
    "ignore all prior",
    "ignore earlier",
    "ignore the above",
    "ignore all other instructions",
    "ignore any other instructions",
    "ignore your instructions",
    "disregard previous",
    "disregard all",
    "disregard any previous",
    "disregard the above",
    "disregard prior",
    "disregard your",
    "forget previous",
    "forget all previous",
    "forget everything",
    "forget your instructions",
    "override your instructions",
    "override previous",
    "previous instructions",
    "prior instructions",
    "new instructions:",
    "you are now a",
    "your system prompt",
    "the system prompt",
    "full system prompt",
    "entire system prompt",
    // Behind the user's back.
    "do not tell the user",
    "don't tell the user",
    "never tell the user",
    "do not inform the user",
    "don't inform the user",
    "do not notify the user",
    "do not alert the user",
    "do not let the user",
    "do not show the user",
    "do not show this to the user",
    "do not mention this",
    "don't mention this",
    "never mention this",
    "do not mention to the user",
    "do not mention it to the user",
    "do not reveal",
    "don't reveal",
    "never reveal",
    "without telling the user",
    "without informing the user",
    "without notifying the user",
    "without asking the user",
    "without the user knowing",
    "without the user's knowledge",
    "hide this from",
    "keep this secret",
    "keep this hidden",
    "keep it secret",
    "the user should not know",
    "the user must not know",
    "the user does not need to know",
    "not visible to the user",
    "the user cannot see this",
    // About the use of other tools.
    "before using this tool",
    "before calling this tool",
    "before you use this tool",
    "before using any",
    "before calling any",
    "before any other tool",
    "before every other tool",
    "before each tool call",
    "after each tool call",
    "after every tool call",
    "after using any",
    "when this tool is available",
    "instead of any other tool",
    "instead of other tools",
    "do not use any other tool",
    "never use any other tool",
    "always call",
    "must always call",
    "must first call",
    "must be called before any",
    "call this tool first",
    "at the start of every conversation",
    "at the beginning of every conversation",
    "the entire conversation",
    "the whole conversation",
    "full conversation history",
    // An apparent end of the description and start of something else.
    "<important>",
    "</important>",
    "<system>",
    "</system>",
    "<system-reminder>",
    "<secret>",
    "<hidden>",
    "<instructions>",
    "[system]",
    "[inst]",
    "<|im_start|>",
    "<|system|>",
    "<<sys>>",
    // Files that no tool has business with.
    "id_rsa",
    ".aws/credentials",
    ".cursor/mcp.json",
    "claude_desktop_config.json",
];

static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(PHRASES)
        .expect("a short list of short texts")
});

/// The positions of the phrases, each once.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let plain = PlainText::of(text);
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for hit in SEARCH.find_iter(&plain.text) {
        if is_whole(&plain.text, hit.range()) && !seen.contains(&hit.pattern()) {
            seen.push(hit.pattern());
            found.push(plain.origin(hit.range()));
        }
    }
    found
}

/// True if no word continues before or after it.
fn is_whole(text: &str, range: Range<usize>) -> bool {
    let goes_on = |inside: Option<char>, outside: Option<char>| {
        inside.is_some_and(char::is_alphanumeric) && outside.is_some_and(char::is_alphanumeric)
    };
    let found = &text[range.clone()];
    !goes_on(found.chars().next(), text[..range.start].chars().next_back())
        && !goes_on(found.chars().next_back(), text[range.end..].chars().next())
}

/// A text in lower case, with single spaces, without diacritics and invisible characters; and the original
/// position of each byte.
struct PlainText {
    text: String,
    origins: Vec<usize>,
}

impl PlainText {
    fn of(text: &str) -> Self {
        let mut plain =
            Self { text: String::with_capacity(text.len()), origins: Vec::with_capacity(text.len()) };
        for (at, c) in text.char_indices() {
            match c {
                '*' => {}
                c if c.is_whitespace() => {
                    if !plain.text.ends_with(' ') {
                        plain.push(' ', at);
                    }
                }
                c if super::invisible::is_hidden(c) => {}
                '’' => plain.push('\'', at),
                c => c.to_lowercase().for_each(|c| plain.push(c, at)),
            }
        }
        plain
    }

    fn push(&mut self, c: char, at: usize) {
        self.text.push(c);
        self.origins.extend(std::iter::repeat_n(at, c.len_utf8()));
    }

    fn origin(&self, range: Range<usize>) -> Range<usize> {
        self.origins[range.start]..self.origins[range.end - 1]
    }
}
