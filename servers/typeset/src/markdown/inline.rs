//! The style of text at a position of a document while it is read.

use crate::article::TextRun;

/// Each style is counted, since emphasis may be nested.
#[derive(Clone, Default)]
pub(crate) struct InlineLooks {
    pub(crate) bold: usize,
    pub(crate) italic: usize,
    pub(crate) code: usize,
    pub(crate) strike: usize,
    pub(crate) links: Vec<String>,
}

impl InlineLooks {
    pub(crate) fn run(&self, text: impl Into<String>) -> TextRun {
        TextRun {
            text: text.into(),
            bold: self.bold > 0,
            italic: self.italic > 0,
            code: self.code > 0,
            strike: self.strike > 0,
            link: self.links.last().cloned(),
            note: None,
        }
    }

    /// Counts up or down for the HTML elements that change how text looks. Says whether it is one of them.
    pub(crate) fn html(&mut self, name: &str, step: InlineStep) -> bool {
        let count = match name {
            "b" | "strong" | "th" | "dt" => &mut self.bold,
            "i" | "em" | "cite" | "var" | "dfn" | "figcaption" | "caption" => &mut self.italic,
            "code" | "kbd" | "samp" | "tt" => &mut self.code,
            "s" | "del" | "strike" => &mut self.strike,
            _ => return false,
        };
        *count = match step {
            InlineStep::Open => *count + 1,
            InlineStep::Close => count.saturating_sub(1),
        };
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InlineStep {
    Open,
    Close,
}
