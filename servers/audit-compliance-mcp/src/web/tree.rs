//! A page as HTML's own rules build it. Nodes are in one list, so that a page of any depth is walked without
//! recursion.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ParseOpts, QualName, parse_document};

const ROOT: usize = 0;
/// Attributes that an element may get later.
const ATTRIBUTES_MAX: usize = 1_000;

/// All texts of a page in order, behind them those that a page keeps aside, as in templates.
pub(crate) fn texts(html: &str) -> String {
    let tree = WebTree::of(html);
    let mut is_placed = vec![false; tree.nodes.len()];
    let mut text = String::new();
    for node in tree.below(ROOT) {
        is_placed[node] = true;
        text.push_str(tree.nodes[node].text.as_deref().unwrap_or_default());
    }
    let aside = tree.nodes.iter().zip(&is_placed).filter(|(_, is_placed)| !**is_placed);
    for own in aside.filter_map(|(node, _)| node.text.as_deref()) {
        text.push('\n');
        text.push_str(own);
    }
    text
}

/// The values of all attributes.
pub(crate) fn attribute_values(html: &str) -> Vec<String> {
    let tree = WebTree::of(html);
    tree.nodes.iter().flat_map(|it| it.attributes()).map(|(_, value)| value.to_owned()).collect()
}

/// A page.
pub(super) struct WebTree {
    pub(super) nodes: Vec<WebNode>,
}

/// An element, a text, or something else whose position matters.
pub(super) struct WebNode {
    name: Option<QualName>,
    attributes: Vec<Attribute>,
    pub(super) text: Option<String>,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// The line in the source, from 1.
    pub(super) line: usize,
}

impl WebNode {
    pub(super) fn tag(&self) -> &str {
        self.name.as_ref().map_or("", |it| &*it.local)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|it| &*it.name.local == name).map(|it| &*it.value)
    }

    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|it| (&*it.name.local, &*it.value))
    }
}

impl WebTree {
    pub(super) fn of(html: &str) -> Self {
        let builder = WebTreeBuilder::default();
        builder.0.borrow_mut().add(None, Vec::new(), None, 1);
        parse_document(builder, ParseOpts::default()).one(html)
    }

    /// All elements that are in the page, in the order in which they were opened.
    pub(super) fn elements(&self) -> impl Iterator<Item = (usize, &WebNode)> {
        self.nodes.iter().enumerate().filter(|(_, it)| it.name.is_some() && it.parent.is_some())
    }

    /// The nodes around one, innermost first.
    pub(super) fn around(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.nodes[node].parent, |it| self.nodes[*it].parent)
    }

    /// Everything below a node, in order.
    pub(super) fn below(&self, node: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut waiting: Vec<usize> = self.nodes[node].children.iter().rev().copied().collect();
        while let Some(next) = waiting.pop() {
            found.push(next);
            waiting.extend(self.nodes[next].children.iter().rev());
        }
        found
    }

    fn add(
        &mut self,
        name: Option<QualName>,
        attributes: Vec<Attribute>,
        text: Option<String>,
        line: usize,
    ) -> usize {
        self.nodes.push(WebNode { name, attributes, text, parent: None, children: Vec::new(), line });
        self.nodes.len() - 1
    }

    fn unlink(&mut self, node: usize) {
        if let Some(parent) = self.nodes[node].parent.take() {
            self.nodes[parent].children.retain(|it| *it != node);
        }
    }

    fn insert(&mut self, parent: usize, at: usize, node: usize) {
        self.unlink(node);
        let at = at.min(self.nodes[parent].children.len());
        self.nodes[parent].children.insert(at, node);
        self.nodes[node].parent = Some(parent);
    }

    fn put(&mut self, parent: usize, at: usize, child: NodeOrText<usize>, line: usize) {
        match child {
            NodeOrText::AppendNode(node) => self.insert(parent, at, node),
            NodeOrText::AppendText(text) => {
                let before = at.checked_sub(1).and_then(|it| self.nodes[parent].children.get(it)).copied();
                match before.and_then(|it| self.nodes[it].text.as_mut()) {
                    Some(known) => known.push_str(&text),
                    None => {
                        let node = self.add(None, Vec::new(), Some(text.to_string()), line);
                        self.insert(parent, at, node);
                    }
                }
            }
        }
    }
}

/// Follows the parser's instructions. The second is the line at hand.
struct WebTreeBuilder(RefCell<WebTree>, RefCell<usize>);

impl Default for WebTreeBuilder {
    fn default() -> Self {
        Self(RefCell::new(WebTree { nodes: Vec::new() }), RefCell::new(1))
    }
}

impl WebTreeBuilder {
    fn line(&self) -> usize {
        *self.1.borrow()
    }

    fn end_of(&self, parent: usize) -> usize {
        self.0.borrow().nodes[parent].children.len()
    }
}

impl TreeSink for WebTreeBuilder {
    type Handle = usize;
    type Output = WebTree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> WebTree {
        self.0.into_inner()
    }

    fn get_document(&self) -> usize {
        ROOT
    }

    fn same_node(&self, one: &usize, other: &usize) -> bool {
        one == other
    }

    fn elem_name<'a>(&'a self, target: &usize) -> Ref<'a, QualName> {
        Ref::map(self.0.borrow(), |tree| {
            tree.nodes[*target].name.as_ref().expect("the parser asks for the names of elements only")
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> usize {
        let line = self.line();
        let mut tree = self.0.borrow_mut();
        let node = tree.add(Some(name), attributes, None, line);
        if flags.template {
            // The content of a template is no part of the page: it gets no parent.
            tree.add(None, Vec::new(), None, line);
        }
        node
    }

    /// Made right after the template itself.
    fn get_template_contents(&self, template: &usize) -> usize {
        template + 1
    }

    fn create_comment(&self, _: StrTendril) -> usize {
        let line = self.line();
        self.0.borrow_mut().add(None, Vec::new(), None, line)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> usize {
        self.create_comment(StrTendril::new())
    }

    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        let at = self.end_of(*parent);
        let line = self.line();
        self.0.borrow_mut().put(*parent, at, child, line);
    }

    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        let line = self.line();
        let mut tree = self.0.borrow_mut();
        if let Some(parent) = tree.nodes[*sibling].parent {
            let at = tree.nodes[parent].children.iter().position(|it| it == sibling).unwrap_or(0);
            tree.put(parent, at, child, line);
        }
    }

    fn append_based_on_parent_node(&self, element: &usize, otherwise: &usize, child: NodeOrText<usize>) {
        let has_parent = self.0.borrow().nodes[*element].parent.is_some();
        if has_parent { self.append_before_sibling(element, child) } else { self.append(otherwise, child) }
    }

    fn remove_from_parent(&self, target: &usize) {
        self.0.borrow_mut().unlink(*target);
    }

    fn reparent_children(&self, node: &usize, parent: &usize) {
        let mut tree = self.0.borrow_mut();
        for child in std::mem::take(&mut tree.nodes[*node].children) {
            tree.nodes[child].parent = None;
            let at = tree.nodes[*parent].children.len();
            tree.insert(*parent, at, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &usize, more: Vec<Attribute>) {
        let mut tree = self.0.borrow_mut();
        let attributes = &mut tree.nodes[*target].attributes;
        for attribute in more {
            let is_new = attributes.iter().all(|known| known.name != attribute.name);
            if is_new && attributes.len() < ATTRIBUTES_MAX {
                attributes.push(attribute);
            }
        }
    }

    fn set_current_line(&self, line: u64) {
        *self.1.borrow_mut() = line as usize;
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn parse_error(&self, _: Cow<'static, str>) {}
}
