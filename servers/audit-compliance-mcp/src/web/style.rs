//! Style sheets inside a page: colours and sizes of text, by selectors of tags, classes and ids.

use super::tree::WebTree;

/// Rules of a page.
const RULES_MAX: usize = 5_000;
/// Parts of a selector.
const PARTS_MAX: usize = 16;

/// One rule: a selector, its weight, and its declarations.
struct StyleRule {
    parts: Vec<SimpleSelector>,
    weight: (usize, usize, usize),
    declarations: Vec<(String, String)>,
}

/// A tag, classes and an id.
#[derive(Default)]
struct SimpleSelector {
    tag: String,
    id: String,
    classes: Vec<String>,
}

/// All rules of a page.
#[derive(Default)]
pub(super) struct StyleSheet(Vec<StyleRule>);

impl StyleSheet {
    /// Media queries and rules with other selectors are left out.
    pub(super) fn of(tree: &WebTree) -> Self {
        let mut sheet = Self::default();
        for (_, style) in tree.elements().filter(|(_, it)| it.tag() == "style") {
            let text: String =
                style.children.iter().filter_map(|it| tree.nodes[*it].text.as_deref()).collect();
            sheet.add(&without_comments(&text));
        }
        sheet
    }

    fn add(&mut self, text: &str) {
        let mut rest = text;
        while let Some((selectors, after)) = rest.split_once('{') {
            let depth_end =
                if selectors.trim_start().starts_with('@') { block_end(after) } else { after.find('}') };
            let Some(end) = depth_end else { break };
            let declarations = declarations(&after[..end]);
            for selector in selectors.split(',').filter(|_| !selectors.contains('@')) {
                if let Some(rule) = rule(selector, &declarations).filter(|_| self.0.len() < RULES_MAX) {
                    self.0.push(rule);
                }
            }
            rest = &after[end + 1..];
        }
    }

    /// The value of a property for an element: its own style, then the heaviest rule.
    pub(super) fn value(&self, tree: &WebTree, node: usize, property: &str) -> Option<String> {
        let own = tree.nodes[node].attribute("style").map(declarations).unwrap_or_default();
        if let Some((_, value)) = own.into_iter().rev().find(|(name, _)| name == property) {
            return Some(value);
        }
        let mut best: Option<(&StyleRule, &str)> = None;
        for rule in self.0.iter() {
            let Some((_, value)) = rule.declarations.iter().rev().find(|(name, _)| name == property) else {
                continue;
            };
            let heavier = best.is_none_or(|(known, _)| rule.weight >= known.weight);
            if heavier && rule.matches(tree, node) {
                best = Some((rule, value));
            }
        }
        best.map(|(_, value)| value.to_owned())
    }
}

impl StyleRule {
    fn matches(&self, tree: &WebTree, node: usize) -> bool {
        let Some((last, before)) = self.parts.split_last() else { return false };
        if !last.matches(tree, node) {
            return false;
        }
        let mut waiting = before.iter().rev().peekable();
        for around in tree.around(node) {
            if waiting.next_if(|part| part.matches(tree, around)).is_none() && waiting.peek().is_none() {
                break;
            }
        }
        waiting.peek().is_none()
    }
}

impl SimpleSelector {
    fn matches(&self, tree: &WebTree, node: usize) -> bool {
        let node = &tree.nodes[node];
        let has_class = |class: &String| {
            node.attribute("class").is_some_and(|it| it.split_whitespace().any(|own| own == class))
        };
        (self.tag.is_empty() || self.tag == "*" || self.tag == node.tag())
            && (self.id.is_empty() || node.attribute("id") == Some(&self.id))
            && self.classes.iter().all(has_class)
            && !node.tag().is_empty()
    }
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, it)| it);
    }
    out + rest
}

/// The end of a block with blocks inside.
fn block_end(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn declarations(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(';').filter_map(|it| it.split_once(':'));
    pairs
        .map(|(name, value)| {
            let value = value.replace("!important", "");
            (name.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase())
        })
        .collect()
}

fn rule(selector: &str, declarations: &[(String, String)]) -> Option<StyleRule> {
    if selector.contains(['>', '+', '~', ':', '[']) {
        return None;
    }
    let parts: Vec<SimpleSelector> = selector.split_whitespace().take(PARTS_MAX).map(simple).collect();
    let weight = (
        parts.iter().filter(|it| !it.id.is_empty()).count(),
        parts.iter().map(|it| it.classes.len()).sum(),
        parts.iter().filter(|it| !it.tag.is_empty() && it.tag != "*").count(),
    );
    Some(StyleRule { parts, weight, declarations: declarations.to_vec() })
}

fn simple(text: &str) -> SimpleSelector {
    let mut found = SimpleSelector::default();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest[1..].find(['.', '#']).map_or(rest.len(), |at| at + 1);
        match rest.as_bytes()[0] {
            b'.' => found.classes.push(rest[1..end].to_owned()),
            b'#' => found.id = rest[1..end].to_owned(),
            _ => found.tag = rest[..end].to_ascii_lowercase(),
        }
        rest = &rest[end..];
    }
    found
}
