//! Schemas that references lead to: their names, and the circles between them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::Value;

use super::convert::{ConvertedSchema, SchemaDraft};
use super::side::SchemaSide;
use crate::names;
use crate::reference::{DocumentSet, Spot, SpotAddress, reference_of};

/// A schema that a reference leads to, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct DefinitionId(usize);

/// A schema applies to the same value as the one that refers to it: always, or only as one of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InPlace {
    Always,
    Perhaps,
}

struct Definition<'d> {
    spot: Spot<'d>,
    name: String,
    /// The references that apply in place, once they were looked for.
    edges: Option<Rc<[(InPlace, DefinitionId)]>>,
    input: Option<Rc<ConvertedSchema>>,
    output: Option<Rc<ConvertedSchema>>,
}

/// All schemas of a document that references lead to, as far as they were met.
pub(crate) struct SchemaDefinitions<'d> {
    set: &'d DocumentSet,
    known: Vec<Definition<'d>>,
    by_address: HashMap<SpotAddress, DefinitionId>,
    /// References that were resolved before.
    by_reference: HashMap<(usize, &'d str), Option<DefinitionId>>,
}

impl<'d> SchemaDefinitions<'d> {
    pub(crate) fn new(set: &'d DocumentSet) -> Self {
        SchemaDefinitions { set, known: Vec::new(), by_address: HashMap::new(), by_reference: HashMap::new() }
    }

    /// The definition that a reference leads to, if the chain of references that begins there ends.
    pub(super) fn find(&mut self, part: usize, reference: &'d str) -> Option<DefinitionId> {
        if let Some(found) = self.by_reference.get(&(part, reference)) {
            return *found;
        }
        let found = self.look_up(part, reference);
        self.by_reference.insert((part, reference), found);
        found
    }

    fn look_up(&mut self, part: usize, reference: &'d str) -> Option<DefinitionId> {
        let (spot, address) = self.set.find(part, reference)?;
        if let Some(id) = self.by_address.get(&address) {
            return Some(*id);
        }
        self.set.follow(spot)?;
        let id = DefinitionId(self.known.len());
        let name = names::definition(self.set.name(address.part), &address.pointer);
        self.known.push(Definition { spot, name, edges: None, input: None, output: None });
        self.by_address.insert(address, id);
        Some(id)
    }

    /// True if what stands beside a reference counts, as it does from version 3.1 on.
    pub(super) fn siblings_count(&self) -> bool {
        !self.set.root()["openapi"].as_str().is_some_and(|version| version.starts_with("3.0"))
    }

    pub(super) fn name(&self, id: DefinitionId) -> &str {
        &self.known[id.0].name
    }

    pub(super) fn spot(&self, id: DefinitionId) -> Spot<'d> {
        self.known[id.0].spot
    }

    /// The definition as a schema, which is made once for each side.
    pub(super) fn converted(&mut self, id: DefinitionId, side: SchemaSide) -> Rc<ConvertedSchema> {
        let definition = &self.known[id.0];
        let made = if side == SchemaSide::Input { &definition.input } else { &definition.output };
        if let Some(made) = made {
            return Rc::clone(made);
        }
        let spot = definition.spot;
        let mut draft = SchemaDraft::of_definition(self, side, id);
        let value = draft.schema(spot);
        let made = Rc::new(draft.finish(value));
        let definition = &mut self.known[id.0];
        let slot = if side == SchemaSide::Input { &mut definition.input } else { &mut definition.output };
        *slot = Some(Rc::clone(&made));
        made
    }

    /// True if following this reference in place would come back to where it stands. Of each circle those references count that
    /// apply always; and of circles that have none of them, all.
    pub(super) fn comes_back(&mut self, from: DefinitionId, how: InPlace, to: DefinitionId) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![to];
        while let Some(id) = open.pop() {
            if id == from {
                return true;
            }
            if seen.insert(id) {
                let edges = self.edges(id);
                let edges =
                    edges.iter().filter(|(kind, _)| how == InPlace::Always || *kind == InPlace::Perhaps);
                open.extend(edges.map(|(_, next)| *next));
            }
        }
        false
    }

    fn edges(&mut self, id: DefinitionId) -> Rc<[(InPlace, DefinitionId)]> {
        if let Some(edges) = &self.known[id.0].edges {
            return Rc::clone(edges);
        }
        let mut edges = Vec::new();
        let spot = self.known[id.0].spot;
        self.collect_edges(spot, InPlace::Always, 0, &mut edges);
        let edges: Rc<[(InPlace, DefinitionId)]> = edges.into();
        self.known[id.0].edges = Some(Rc::clone(&edges));
        edges
    }

    fn collect_edges(
        &mut self,
        spot: Spot<'d>,
        kind: InPlace,
        level: usize,
        edges: &mut Vec<(InPlace, DefinitionId)>,
    ) {
        if level > crate::limits::SCHEMA_LEVELS_MAX {
            return;
        }
        if let Some(id) = reference_of(spot.value).and_then(|reference| self.find(spot.part, reference)) {
            edges.push((kind, id));
        }
        for (keyword, below) in [
            ("allOf", kind),
            ("anyOf", InPlace::Perhaps),
            ("oneOf", InPlace::Perhaps),
            ("not", InPlace::Perhaps),
            ("if", InPlace::Perhaps),
            ("then", InPlace::Perhaps),
            ("else", InPlace::Perhaps),
        ] {
            let members: &[Value] = match spot.value.get(keyword) {
                Some(Value::Array(members)) => members,
                Some(member) => std::slice::from_ref(member),
                None => continue,
            };
            for value in members {
                self.collect_edges(Spot { part: spot.part, value }, below, level + 1, edges);
            }
        }
    }
}
