//! A page as HTML's own rules build it, with unclosed, misplaced or wrongly closed elements. `read`
//! interprets its elements.
//!
//! Written by hand, because crates with such a tree include selectors of CSS. Nodes are in one list and refer
//! to each other by number: a page of any depth is walked and dropped without recursion, and a node is moved
//! in constant time.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};
use std::iter::successors;

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ParseOpts, QualName, local_name, ns, parse_document, parse_fragment};

/// The number of a node.
type NodeId = usize;
/// The root of all others.
const PAGE: NodeId = 0;
/// An element with this many attributes gets no more of them later, as `html` and `body` do wherever they are
/// opened again: each one is compared with all existing ones.
const ATTRIBUTES_MAX: usize = 1_000;

pub(super) struct HtmlTree {
    nodes: Vec<HtmlNode>,
}

struct HtmlNode {
    kind: HtmlNodeKind,
    parent: Option<NodeId>,
    previous: Option<NodeId>,
    next: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
}

enum HtmlNodeKind {
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
    },
    Text(StrTendril),
    /// The page, the content of a template, comments: only their position matters.
    Other,
}

/// One element, and access to its content.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    tree: &'a HtmlTree,
    id: NodeId,
    name: &'a QualName,
    attributes: &'a [Attribute],
}

pub(super) enum Child<'a> {
    Text(&'a str),
    Element(Element<'a>),
    Other,
}

impl HtmlTree {
    pub(super) fn of_page(html: &str) -> Self {
        parse_document(HtmlTreeBuilder::default(), ParseOpts::default()).one(html)
    }

    /// From content for the body of a page.
    pub(super) fn of_fragment(html: &str) -> Self {
        let body = QualName::new(None, ns!(html), local_name!("body"));
        parse_fragment(HtmlTreeBuilder::default(), ParseOpts::default(), body, Vec::new(), false).one(html)
    }

    pub(super) fn root(&self) -> Element<'_> {
        self.children(PAGE)
            .find_map(|id| self.element(id))
            .expect("the parser puts everything into an html element, which it makes of nothing if need be")
    }

    /// All elements in the order in which they were opened, including those in templates.
    pub(super) fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        (0..self.nodes.len()).filter_map(|id| self.element(id))
    }

    fn element(&self, id: NodeId) -> Option<Element<'_>> {
        match &self.nodes[id].kind {
            HtmlNodeKind::Element { name, attributes } => Some(Element { tree: self, id, name, attributes }),
            HtmlNodeKind::Text(_) | HtmlNodeKind::Other => None,
        }
    }

    fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        successors(self.nodes[id].first, |id| self.nodes[*id].next)
    }

    /// The next node inside `top` that is not inside `id`.
    fn past(&self, id: NodeId, top: NodeId) -> Option<NodeId> {
        let mut up = successors(Some(id), |id| self.nodes[*id].parent).take_while(|id| *id != top);
        up.find_map(|id| self.nodes[id].next)
    }
}

impl<'a> Element<'a> {
    pub(super) fn name(self) -> &'a str {
        &self.name.local
    }

    pub(super) fn attribute(self, name: &str) -> Option<&'a str> {
        let found = self.attributes.iter().find(|it| it.name.ns == ns!() && &*it.name.local == name);
        found.map(|attribute| &*attribute.value)
    }

    pub(super) fn children(self) -> impl Iterator<Item = Child<'a>> {
        self.tree.children(self.id).map(move |id| match &self.tree.nodes[id].kind {
            HtmlNodeKind::Element { name, attributes } => {
                Child::Element(Element { tree: self.tree, id, name, attributes })
            }
            HtmlNodeKind::Text(text) => Child::Text(text),
            HtmlNodeKind::Other => Child::Other,
        })
    }

    /// The children that are elements.
    pub(super) fn elements(self) -> impl Iterator<Item = Element<'a>> {
        self.tree.children(self.id).filter_map(|id| self.tree.element(id))
    }

    /// All text inside, however deep.
    pub(super) fn text(self) -> String {
        let nodes = &self.tree.nodes;
        let inside =
            successors(nodes[self.id].first, |id| nodes[*id].first.or_else(|| self.tree.past(*id, self.id)));
        let texts = inside.filter_map(|id| match &nodes[id].kind {
            HtmlNodeKind::Text(text) => Some(&**text),
            HtmlNodeKind::Element { .. } | HtmlNodeKind::Other => None,
        });
        texts.collect()
    }
}

/// Follows the parser's instructions.
struct HtmlTreeBuilder(RefCell<HtmlTree>);

impl Default for HtmlTreeBuilder {
    fn default() -> Self {
        let mut tree = HtmlTree { nodes: Vec::new() };
        tree.add(HtmlNodeKind::Other);
        Self(RefCell::new(tree))
    }
}

impl HtmlTree {
    /// A node without a position.
    fn add(&mut self, kind: HtmlNodeKind) -> NodeId {
        self.nodes.push(HtmlNode { kind, parent: None, previous: None, next: None, first: None, last: None });
        self.nodes.len() - 1
    }

    /// Inserts a node before `next`, or at the end. Text is merged into text that precedes it.
    fn put(&mut self, parent: NodeId, next: Option<NodeId>, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(id) => self.link(id, parent, next),
            NodeOrText::AppendText(text) => {
                let previous = self.before(parent, next);
                if let Some(HtmlNodeKind::Text(known)) = previous.map(|id| &mut self.nodes[id].kind) {
                    known.push_tendril(&text);
                } else {
                    let id = self.add(HtmlNodeKind::Text(text));
                    self.link(id, parent, next);
                }
            }
        }
    }

    fn link(&mut self, child: NodeId, parent: NodeId, next: Option<NodeId>) {
        self.unlink(child);
        let previous = self.before(parent, next);
        self.nodes[child].parent = Some(parent);
        self.join(parent, previous, Some(child));
        self.join(parent, Some(child), next);
    }

    fn unlink(&mut self, child: NodeId) {
        let node = &mut self.nodes[child];
        let (previous, next) = (node.previous.take(), node.next.take());
        if let Some(parent) = node.parent.take() {
            self.join(parent, previous, next);
        }
    }

    /// The node before `next`, or the last one.
    fn before(&self, parent: NodeId, next: Option<NodeId>) -> Option<NodeId> {
        next.map_or(self.nodes[parent].last, |next| self.nodes[next].previous)
    }

    /// Makes two children neighbours; `None` is the beginning or the end.
    fn join(&mut self, parent: NodeId, left: Option<NodeId>, right: Option<NodeId>) {
        match left {
            Some(left) => self.nodes[left].next = right,
            None => self.nodes[parent].first = right,
        }
        match right {
            Some(right) => self.nodes[right].previous = left,
            None => self.nodes[parent].last = left,
        }
    }
}

impl TreeSink for HtmlTreeBuilder {
    type Handle = NodeId;
    type Output = HtmlTree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> HtmlTree {
        self.0.into_inner()
    }

    fn get_document(&self) -> NodeId {
        PAGE
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn elem_name<'a>(&'a self, target: &NodeId) -> Ref<'a, QualName> {
        Ref::map(self.0.borrow(), |tree| {
            tree.element(*target).expect("the parser asks for the names of elements only").name
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        let mut tree = self.0.borrow_mut();
        let id = tree.add(HtmlNodeKind::Element { name, attributes });
        if flags.template {
            let held = tree.add(HtmlNodeKind::Other);
            tree.link(held, id, None);
        }
        id
    }

    /// Made right after the template itself.
    fn get_template_contents(&self, template: &NodeId) -> NodeId {
        template + 1
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.0.borrow_mut().add(HtmlNodeKind::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.0.borrow_mut().add(HtmlNodeKind::Other)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.0.borrow_mut().put(*parent, None, child);
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let mut tree = self.0.borrow_mut();
        if let Some(parent) = tree.nodes[*sibling].parent {
            tree.put(parent, Some(*sibling), child);
        }
    }

    fn append_based_on_parent_node(&self, element: &NodeId, otherwise: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.0.borrow().nodes[*element].parent.is_some();
        if has_parent { self.append_before_sibling(element, child) } else { self.append(otherwise, child) }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.0.borrow_mut().unlink(*target);
    }

    fn reparent_children(&self, node: &NodeId, parent: &NodeId) {
        let mut tree = self.0.borrow_mut();
        while let Some(child) = tree.nodes[*node].first {
            tree.link(child, *parent, None);
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, more: Vec<Attribute>) {
        if let HtmlNodeKind::Element { attributes, .. } = &mut self.0.borrow_mut().nodes[*target].kind {
            for attribute in more {
                let is_new = || attributes.iter().all(|known| known.name != attribute.name);
                if attributes.len() < ATTRIBUTES_MAX && is_new() {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn parse_error(&self, _: Cow<'static, str>) {}
}
