//! The form of each tool in an answer, and the answer's text.

use serde_json::Value;

use super::{
    AnswerBudget, DETAILED_MAX, DetailLevel, LINES_ALONE_MAX, LINES_MAX, SearchItem, ShownForm, ShownTool,
    ToolCard, ToolSearchAnswer,
};
use crate::tokens;

/// One newline after each line, and the additional cost of a boundary between lines.
const LINE_END_TOKENS: usize = 1;
/// A blank or a comma after each name.
const NAME_END_TOKENS: usize = 1;
/// The braces around the names of one server.
const BRACES_TOKENS: usize = 2;
/// The number of attempts to fill the remaining room.
const REFILLS_MAX: usize = 3;
const NAMES_HEAD: &str = "Also:";
const NAMES_HEAD_TOKENS: usize = 2;

pub(super) fn compose(
    items: &[SearchItem<'_>],
    matches: usize,
    detail: DetailLevel,
    budget: AnswerBudget,
) -> ToolSearchAnswer {
    let mut draft = AnswerDraft::new(items, matches, budget);
    match detail {
        DetailLevel::Signature => draft.add_detailed(signature),
        DetailLevel::Schema => draft.add_detailed(|item| definition(item).or_else(|| signature(item))),
        DetailLevel::Name => {}
    }
    draft.add_lines(if detail == DetailLevel::Name { LINES_ALONE_MAX } else { LINES_MAX });
    draft.add_names();
    draft.finish()
}

/// An answer that still grows. What it costs is estimated from its parts until it is finished, then counted.
struct AnswerDraft<'a> {
    items: &'a [SearchItem<'a>],
    matches: usize,
    budget: usize,
    /// Tokens that are not spoken for.
    left: usize,
    forms: Vec<ShownForm>,
}

impl<'a> AnswerDraft<'a> {
    fn new(items: &'a [SearchItem<'a>], matches: usize, budget: AnswerBudget) -> Self {
        let left = budget.tokens().saturating_sub(tokens::count(&rest_text(matches)));
        Self { items, matches, budget: budget.tokens(), left, forms: Vec::new() }
    }

    fn next(&self) -> Option<&'a SearchItem<'a>> {
        self.items.get(self.forms.len())
    }

    /// Adds the first few in detail; one that is too long for the rest gets its line.
    fn add_detailed(&mut self, detailed: impl Fn(&SearchItem<'_>) -> Option<(ShownForm, usize)>) {
        while let Some(item) = self.next().filter(|_| self.forms.len() < DETAILED_MAX) {
            let fits = |(_, tokens): &(ShownForm, usize)| *tokens <= self.left;
            let Some((form, tokens)) = detailed(item).filter(fits).or_else(|| Some(line(item)).filter(fits))
            else {
                break;
            };
            self.take(form, tokens);
        }
    }

    fn add_lines(&mut self, lines_max: usize) {
        for _ in 0..lines_max {
            let Some((form, tokens)) = self.next().map(line) else { break };
            if tokens > self.left {
                break;
            }
            self.take(form, tokens);
        }
    }

    /// Adds names while they fit. Their cost is overestimated, so that after a count there may be room for
    /// more.
    fn add_names(&mut self) {
        let first = self.forms.iter().position(|form| *form == ShownForm::Name).unwrap_or(self.forms.len());
        if first == self.forms.len() {
            self.left = self.left.saturating_sub(NAMES_HEAD_TOKENS);
        }
        while let Some(item) = self.next() {
            let beside =
                self.items[first..self.forms.len()].iter().filter(|one| one.card.is_beside(item.card));
            let tokens = name_tokens(item.card, beside.count());
            if tokens > self.left {
                break;
            }
            self.take(ShownForm::Name, tokens);
        }
    }

    fn take(&mut self, form: ShownForm, tokens: usize) {
        self.left -= tokens;
        self.forms.push(form);
    }

    /// The answer, with one tool at least.
    fn finish(mut self) -> ToolSearchAnswer {
        if let (true, Some(item)) = (self.forms.is_empty(), self.items.first()) {
            self.forms.push(line(item).0);
        }
        for _ in 0..REFILLS_MAX {
            let shown = self.forms.len();
            self.left = self.budget.saturating_sub(tokens::count(&self.text()));
            self.add_names();
            if self.forms.len() == shown {
                break;
            }
        }
        self.trimmed()
    }

    /// The parts were counted one by one, and together they can cost more: then the last ones go again.
    fn trimmed(mut self) -> ToolSearchAnswer {
        loop {
            let text = self.text();
            let tokens = tokens::count(&text);
            if tokens <= self.budget || self.forms.len() <= 1 {
                return self.answer(text, tokens);
            }
            self.forms.pop();
        }
    }

    fn answer(self, text: String, tokens: usize) -> ToolSearchAnswer {
        let more = self.more();
        let shown = self.items.iter().zip(self.forms);
        let shown = shown.map(|(item, form)| ShownTool { name: item.card.name().to_owned(), form }).collect();
        ToolSearchAnswer { text, tokens, shown, more }
    }

    fn more(&self) -> usize {
        self.matches - self.forms.len()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut named: Vec<&ToolCard> = Vec::new();
        for (item, form) in self.items.iter().zip(&self.forms) {
            match form {
                ShownForm::Definition(definition) => text.push_str(&definition.to_string()),
                ShownForm::Signature(one) | ShownForm::Line(one) => text.push_str(one),
                ShownForm::Name => {
                    named.push(item.card);
                    continue;
                }
            }
            text.push('\n');
        }
        text.push_str(&names_text(&named));
        if self.more() > 0 {
            text.push_str(&rest_text(self.more()));
        }
        text.truncate(text.trim_end().len());
        text
    }
}

impl ToolCard {
    /// True if two names begin with the same server.
    fn is_beside(&self, other: &ToolCard) -> bool {
        self.parts().0 == other.parts().0 && !self.parts().0.is_empty()
    }
}

/// The cost of one more name beside others of its server.
fn name_tokens(card: &ToolCard, beside: usize) -> usize {
    NAME_END_TOKENS
        + match beside {
            0 => card.name_tokens,
            1 => card.rest_tokens + BRACES_TOKENS,
            _ => card.rest_tokens,
        }
}

fn signature(item: &SearchItem<'_>) -> Option<(ShownForm, usize)> {
    let card = item.card;
    Some((ShownForm::Signature(card.signature.clone()), card.signature_tokens + LINE_END_TOKENS))
}

fn definition(item: &SearchItem<'_>) -> Option<(ShownForm, usize)> {
    let definition: &Value = item.definition?;
    Some((
        ShownForm::Definition(definition.clone()),
        tokens::count(&definition.to_string()) + LINE_END_TOKENS,
    ))
}

fn line(item: &SearchItem<'_>) -> (ShownForm, usize) {
    (ShownForm::Line(item.card.line.clone()), item.card.line_tokens + LINE_END_TOKENS)
}

/// `Also: github__{list_issues,get_issue} slack__post`: every server at the position of its first tool.
fn names_text(cards: &[&ToolCard]) -> String {
    let mut groups: Vec<(&ToolCard, Vec<&str>)> = Vec::new();
    for card in cards {
        match groups.iter_mut().find(|(first, _)| first.is_beside(card)) {
            Some((_, names)) => names.push(card.parts().1),
            None => groups.push((card, vec![card.parts().1])),
        }
    }
    let told = groups.iter().map(|(first, names)| match names.as_slice() {
        [_] => format!(" {}", first.name()),
        names => format!(" {}{{{}}}", first.parts().0, names.join(",")),
    });
    let told: String = told.collect();
    if told.is_empty() { told } else { format!("{NAMES_HEAD}{told}\n") }
}

fn rest_text(more: usize) -> String {
    format!("{more} more match: use other words, name `servers`, or raise `budget_tokens`.")
}
