//! YAML. Aliases are copied, so each of them counts as all that it stands for.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};
use serde_json::{Map, Value};

use super::scalar;
use crate::bad::BadDocument;
use crate::limits::ReadLimits;

/// The key whose values are merged into the object that has it.
const MERGE: &str = "<<";

pub(super) fn parse(text: &str, limits: &ReadLimits) -> Result<Value, BadDocument> {
    let mut builder = YamlBuilder::new(*limits);
    let mut parser = Parser::new_from_str(text);
    let mut documents = 0;
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| said(&error))?;
        let line = span.start.line();
        if matches!(event, Event::DocumentStart(_)) {
            documents += 1;
        }
        if documents > 1 {
            return Err(BadDocument::Yaml { line, says: "a second document begins here".to_owned() });
        }
        builder.take(event, line)?;
    }
    builder.root.ok_or(BadDocument::Empty)
}

fn said(error: &ScanError) -> BadDocument {
    BadDocument::Yaml { line: error.marker().line(), says: error.info().to_owned() }
}

struct YamlBuilder {
    limits: ReadLimits,
    /// Values so far, with the copies.
    nodes: usize,
    open: Vec<OpenNode>,
    anchors: HashMap<usize, Anchored>,
    root: Option<Value>,
}

/// A copy of what an anchor names.
struct Anchored {
    value: Value,
    nodes: usize,
    levels: usize,
}

/// A list or an object that has begun.
struct OpenNode {
    anchor: usize,
    /// Values before it.
    before: usize,
    content: OpenContent,
}

enum OpenContent {
    List(Vec<Value>),
    Map { members: Map<String, Value>, key: Option<String>, merged: Vec<Value> },
}

impl YamlBuilder {
    fn new(limits: ReadLimits) -> Self {
        YamlBuilder { limits, nodes: 0, open: Vec::new(), anchors: HashMap::new(), root: None }
    }

    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), BadDocument> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let before = self.nodes;
                self.count(1)?;
                let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
                let value =
                    if is_text { Value::String(text.clone().into_owned()) } else { scalar::plain(&text) };
                if self.takes_key() {
                    return self.key(text.into_owned());
                }
                self.put(value, anchor, before, line)
            }
            Event::Alias(anchor) => self.alias(anchor, line),
            Event::SequenceStart(anchor, _) => self.begin(anchor, OpenContent::List(Vec::new()), line),
            Event::MappingStart(anchor, _) => {
                let content = OpenContent::Map { members: Map::new(), key: None, merged: Vec::new() };
                self.begin(anchor, content, line)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(line),
            _ => Ok(()),
        }
    }

    fn alias(&mut self, anchor: usize, line: usize) -> Result<(), BadDocument> {
        let Some(Anchored { nodes, levels, .. }) = self.anchors.get(&anchor) else {
            return Err(bad(line, "an alias names what it is part of, or nothing"));
        };
        if self.open.len() + levels > self.limits.depth_max {
            return Err(BadDocument::TooDeep { max: self.limits.depth_max });
        }
        let nodes = *nodes;
        self.count(nodes)?;
        let value = self.anchors.get(&anchor).map(|anchored| anchored.value.clone()).unwrap_or_default();
        match value {
            Value::String(key) if self.takes_key() => self.key(key),
            value => self.put(value, 0, self.nodes, line),
        }
    }

    fn count(&mut self, more: usize) -> Result<(), BadDocument> {
        self.nodes = self.nodes.saturating_add(more);
        if self.nodes > self.limits.nodes_max {
            return Err(BadDocument::TooManyValues { max: self.limits.nodes_max });
        }
        Ok(())
    }

    fn takes_key(&self) -> bool {
        matches!(self.open.last(), Some(OpenNode { content: OpenContent::Map { key: None, .. }, .. }))
    }

    fn key(&mut self, text: String) -> Result<(), BadDocument> {
        if let Some(OpenNode { content: OpenContent::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = Some(text);
        }
        Ok(())
    }

    fn begin(&mut self, anchor: usize, content: OpenContent, line: usize) -> Result<(), BadDocument> {
        if self.takes_key() {
            return Err(bad(line, "a key is a list or an object"));
        }
        if self.open.len() >= self.limits.depth_max {
            return Err(BadDocument::TooDeep { max: self.limits.depth_max });
        }
        let before = self.nodes;
        self.count(1)?;
        self.open.push(OpenNode { anchor, before, content });
        Ok(())
    }

    fn end(&mut self, line: usize) -> Result<(), BadDocument> {
        let Some(node) = self.open.pop() else { return Ok(()) };
        let value = match node.content {
            OpenContent::List(items) => Value::Array(items),
            OpenContent::Map { members, merged, .. } => Value::Object(merge(members, merged)),
        };
        self.put(value, node.anchor, node.before, line)
    }

    /// Puts a whole value where it belongs, and keeps a copy if something may name it later.
    fn put(&mut self, value: Value, anchor: usize, before: usize, line: usize) -> Result<(), BadDocument> {
        if anchor != 0 {
            let nodes = self.nodes - before;
            self.count(nodes)?;
            let levels = levels(&value);
            self.anchors.insert(anchor, Anchored { value: value.clone(), nodes, levels });
        }
        match self.open.last_mut().map(|node| &mut node.content) {
            None => self.root = Some(value),
            Some(OpenContent::List(items)) => items.push(value),
            Some(OpenContent::Map { members, key, merged }) => match key.take() {
                None => return Err(bad(line, "a key is a list or an object")),
                Some(key) if key == MERGE => merged.push(value),
                Some(key) => {
                    members.insert(key, value);
                }
            },
        }
        Ok(())
    }
}

fn bad(line: usize, says: &str) -> BadDocument {
    BadDocument::Yaml { line, says: says.to_owned() }
}

fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

/// Members that an object has itself are not replaced by merged ones.
fn merge(mut members: Map<String, Value>, merged: Vec<Value>) -> Map<String, Value> {
    let objects = merged.into_iter().flat_map(|value| match value {
        Value::Array(items) => items,
        one => vec![one],
    });
    for object in objects {
        let Value::Object(object) = object else { continue };
        for (key, value) in object {
            members.entry(key).or_insert(value);
        }
    }
    members
}
