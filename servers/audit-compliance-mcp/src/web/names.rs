//! The accessible name of an element, as far as the page tells it.

use super::tree::WebTree;

/// Elements below one that make its name.
const NODES_MAX: usize = 2_000;

/// The name that assistive technology would say; empty if there is none.
pub(super) fn accessible_name(tree: &WebTree, node: usize) -> String {
    let element = &tree.nodes[node];
    if let Some(ids) = element.attribute("aria-labelledby") {
        let texts: Vec<String> =
            ids.split_whitespace().filter_map(|id| by_id(tree, id)).map(|it| content(tree, it)).collect();
        if !texts.join("").trim().is_empty() {
            return texts.join(" ");
        }
    }
    for key in ["aria-label", "alt", "title"] {
        if let Some(text) = element.attribute(key).filter(|it| !it.trim().is_empty()) {
            return text.to_owned();
        }
    }
    if element.tag() == "input" {
        return element.attribute("value").unwrap_or_default().to_owned();
    }
    content(tree, node)
}

pub(super) fn by_id(tree: &WebTree, id: &str) -> Option<usize> {
    tree.elements().find(|(_, it)| it.attribute("id") == Some(id)).map(|(node, _)| node)
}

/// Texts and alternative texts below an element.
fn content(tree: &WebTree, node: usize) -> String {
    let mut text = String::new();
    for below in tree.below(node).into_iter().take(NODES_MAX) {
        let own = &tree.nodes[below];
        text.push_str(own.text.as_deref().unwrap_or_default());
        let said = own.attribute("aria-label").or(own.attribute("alt")).or(own.attribute("title"));
        if matches!(own.tag(), "img" | "svg" | "input" | "span" | "i") {
            text.push_str(said.unwrap_or_default());
        }
    }
    text.trim().to_owned()
}

/// True if a form control has a label.
pub(super) fn is_labelled(tree: &WebTree, node: usize) -> bool {
    let element = &tree.nodes[node];
    let wrapped =
        tree.around(node).any(|it| tree.nodes[it].tag() == "label" && !content(tree, it).is_empty());
    let pointed = element.attribute("id").is_some_and(|id| {
        tree.elements().any(|(label, it)| {
            it.tag() == "label" && it.attribute("for") == Some(id) && !content(tree, label).is_empty()
        })
    });
    let named = ["aria-label", "title", "aria-labelledby"]
        .iter()
        .any(|key| element.attribute(key).is_some_and(|it| !it.trim().is_empty()));
    wrapped || pointed || named
}
