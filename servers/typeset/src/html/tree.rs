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
type Id = usize;
/// The root of all others.
const PAGE: Id = 0;
/// An element with this many attributes gets no more of them later, as `html` and `body` do wherever they are
/// opened again: each one is compared with all existing ones.
const ATTRIBUTES_MAX: usize = 1_000;

pub(super) struct Tree {
    nodes: Vec<Node>,
}

struct Node {
    kind: Kind,
    parent: Option<Id>,
    previous: Option<Id>,
    next: Option<Id>,
    first: Option<Id>,
    last: Option<Id>,
}

enum Kind {
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
    tree: &'a Tree,
    id: Id,
    name: &'a QualName,
    attributes: &'a [Attribute],
}

pub(super) enum Child<'a> {
    Text(&'a str),
    Element(Element<'a>),
    Other,
}

impl Tree {
    pub(super) fn of_page(html: &str) -> Self {
        parse_document(Builder::default(), ParseOpts::default()).one(html)
    }

    /// From content for the body of a page.
    pub(super) fn of_fragment(html: &str) -> Self {
        let body = QualName::new(None, ns!(html), local_name!("body"));
        parse_fragment(Builder::default(), ParseOpts::default(), body, Vec::new(), false).one(html)
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

    fn element(&self, id: Id) -> Option<Element<'_>> {
        match &self.nodes[id].kind {
            Kind::Element { name, attributes } => Some(Element { tree: self, id, name, attributes }),
            Kind::Text(_) | Kind::Other => None,
        }
    }

    fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        successors(self.nodes[id].first, |id| self.nodes[*id].next)
    }

    /// The next node inside `top` that is not inside `id`.
    fn past(&self, id: Id, top: Id) -> Option<Id> {
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
            Kind::Element { name, attributes } => {
                Child::Element(Element { tree: self.tree, id, name, attributes })
            }
            Kind::Text(text) => Child::Text(text),
            Kind::Other => Child::Other,
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
            Kind::Text(text) => Some(&**text),
            Kind::Element { .. } | Kind::Other => None,
        });
        texts.collect()
    }
}

/// Follows the parser's instructions.
struct Builder(RefCell<Tree>);

impl Default for Builder {
    fn default() -> Self {
        let mut tree = Tree { nodes: Vec::new() };
        tree.add(Kind::Other);
        Self(RefCell::new(tree))
    }
}

impl Tree {
    /// A node without a position.
    fn add(&mut self, kind: Kind) -> Id {
        self.nodes.push(Node { kind, parent: None, previous: None, next: None, first: None, last: None });
        self.nodes.len() - 1
    }

    /// Inserts a node before `next`, or at the end. Text is merged into text that precedes it.
    fn put(&mut self, parent: Id, next: Option<Id>, child: NodeOrText<Id>) {
        match child {
            NodeOrText::AppendNode(id) => self.link(id, parent, next),
            NodeOrText::AppendText(text) => {
                let previous = self.before(parent, next);
                if let Some(Kind::Text(known)) = previous.map(|id| &mut self.nodes[id].kind) {
                    known.push_tendril(&text);
                } else {
                    let id = self.add(Kind::Text(text));
                    self.link(id, parent, next);
                }
            }
        }
    }

    fn link(&mut self, child: Id, parent: Id, next: Option<Id>) {
        self.unlink(child);
        let previous = self.before(parent, next);
        self.nodes[child].parent = Some(parent);
        self.join(parent, previous, Some(child));
        self.join(parent, Some(child), next);
    }

    fn unlink(&mut self, child: Id) {
        let node = &mut self.nodes[child];
        let (previous, next) = (node.previous.take(), node.next.take());
        if let Some(parent) = node.parent.take() {
            self.join(parent, previous, next);
        }
    }

    /// The node before `next`, or the last one.
    fn before(&self, parent: Id, next: Option<Id>) -> Option<Id> {
        next.map_or(self.nodes[parent].last, |next| self.nodes[next].previous)
    }

    /// Makes two children neighbours; `None` is the beginning or the end.
    fn join(&mut self, parent: Id, left: Option<Id>, right: Option<Id>) {
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

impl TreeSink for Builder {
    type Handle = Id;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.0.into_inner()
    }

    fn get_document(&self) -> Id {
        PAGE
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        one == other
    }

    fn elem_name<'a>(&'a self, target: &Id) -> Ref<'a, QualName> {
        Ref::map(self.0.borrow(), |tree| {
            tree.element(*target).expect("the parser asks for the names of elements only").name
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Id {
        let mut tree = self.0.borrow_mut();
        let id = tree.add(Kind::Element { name, attributes });
        if flags.template {
            let held = tree.add(Kind::Other);
            tree.link(held, id, None);
        }
        id
    }

    /// Made right after the template itself.
    fn get_template_contents(&self, template: &Id) -> Id {
        template + 1
    }

    fn create_comment(&self, _: StrTendril) -> Id {
        self.0.borrow_mut().add(Kind::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Id {
        self.0.borrow_mut().add(Kind::Other)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.0.borrow_mut().put(*parent, None, child);
    }

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        let mut tree = self.0.borrow_mut();
        if let Some(parent) = tree.nodes[*sibling].parent {
            tree.put(parent, Some(*sibling), child);
        }
    }

    fn append_based_on_parent_node(&self, element: &Id, otherwise: &Id, child: NodeOrText<Id>) {
        let has_parent = self.0.borrow().nodes[*element].parent.is_some();
        if has_parent { self.append_before_sibling(element, child) } else { self.append(otherwise, child) }
    }

    fn remove_from_parent(&self, target: &Id) {
        self.0.borrow_mut().unlink(*target);
    }

    fn reparent_children(&self, node: &Id, parent: &Id) {
        let mut tree = self.0.borrow_mut();
        while let Some(child) = tree.nodes[*node].first {
            tree.link(child, *parent, None);
        }
    }

    fn add_attrs_if_missing(&self, target: &Id, more: Vec<Attribute>) {
        if let Kind::Element { attributes, .. } = &mut self.0.borrow_mut().nodes[*target].kind {
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
