//! The offer of one instance, with the version of each tool: the judged version decides where a call may go.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use toolgate_core::server::ServerListing;
use toolgate_core::tool::{EXTRA_META, ToolExtra, version_of_text};
use toolgate_core::{Digest, RawJson, Tool};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::{push_member, with_member};

/// One complete reading of all lists.
pub(crate) struct ListReading {
    pub(crate) listing: ServerListing,
    /// Name and version of each of the listing's tools, in their order.
    pub(crate) tools: Vec<(Arc<str>, Digest)>,
    /// The unambiguous tools: a name with several definitions is not among them.
    offered: HashMap<Arc<str>, Digest>,
}

impl ListReading {
    /// Finds versions and conflicts in a listing.
    pub(crate) fn of(mut listing: ServerListing) -> Self {
        let tools: Vec<(Arc<str>, Digest)> = listing.tools.iter().map(identify).collect();
        let mut offered: HashMap<Arc<str>, Digest> = HashMap::with_capacity(tools.len());
        let mut conflicts = Vec::new();
        for (name, version) in &tools {
            let first = offered.entry(name.clone()).or_insert(*version);
            if first != version && !conflicts.iter().any(|known: &String| **known == **name) {
                conflicts.push(name.as_ref().to_owned());
            }
        }
        for name in &conflicts {
            offered.remove(name.as_str());
        }
        listing.conflicts = conflicts;
        Self { listing, tools, offered }
    }

    /// True if a call of this tool would run the judged version.
    pub(crate) fn offers(&self, tool: &Tool) -> bool {
        self.offered.get(&tool.own) == Some(&tool.version)
    }
}

fn identify(definition: &RawJson) -> (Arc<str>, Digest) {
    let name = ObjectMembers::of(definition).ok().and_then(|members| members.get_str("name"));
    (name.as_deref().unwrap_or_default().into(), version_of_text(definition))
}

/// Adds the registered details of an instance's tools to their definitions.
pub(crate) fn add_extras(tools: &mut [RawJson], extras: &BTreeMap<String, ToolExtra>) {
    if extras.is_empty() {
        return;
    }
    for tool in tools {
        let name = ObjectMembers::of(tool).ok().and_then(|members| members.get_str("name"));
        if let Some(extra) = name.and_then(|name| extras.get(name.as_ref())) {
            *tool = with_extra(tool, extra);
        }
    }
}

fn with_extra(definition: &RawJson, extra: &ToolExtra) -> RawJson {
    let extra = RawJson::from_serialize(extra);
    let meta = ObjectMembers::of(definition).ok().and_then(|members| members.get("_meta"));
    let meta = meta.and_then(|meta| with_member(meta.get(), EXTRA_META, extra.as_str()).ok());
    let meta = meta.unwrap_or_else(|| {
        let mut meta = "{".to_owned();
        push_member(&mut meta, EXTRA_META, extra.as_str());
        meta + "}"
    });
    match with_member(definition.as_str(), "_meta", &meta) {
        Ok(text) => RawJson::from_composed(text),
        Err(_) => definition.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> RawJson {
        RawJson::from_composed(text.to_owned())
    }

    #[test]
    fn a_name_with_two_definitions_is_a_conflict_and_offers_neither() {
        let tools = vec![
            raw(r#"{"name":"a","inputSchema":{}}"#),
            raw(r#"{"inputSchema":{},"name":"a"}"#),
            raw(r#"{"name":"b","inputSchema":{}}"#),
            raw(r#"{"name":"b","inputSchema":{},"description":"other"}"#),
            raw(r#"{"name":"b","inputSchema":{},"description":"third"}"#),
        ];
        let reading = ListReading::of(ServerListing { tools, ..ServerListing::default() });
        assert_eq!(reading.listing.conflicts, ["b"]);
        assert!(reading.offered.contains_key("a") && !reading.offered.contains_key("b"));
        assert_eq!(reading.listing.tools.len(), 5, "what was listed stays as it was listed");
    }

    #[test]
    fn what_was_registered_stands_in_the_definition_and_the_rest_as_it_was() {
        let extra = ToolExtra { idempotent: Some(true), ..ToolExtra::default() };
        let extras = BTreeMap::from([("a".to_owned(), extra)]);
        let check = |definition: &str, expected: &str| {
            let mut tools = [raw(definition)];
            add_extras(&mut tools, &extras);
            assert_eq!(tools[0].as_str(), expected);
        };
        let meta = r#""dev.toolgate/tool":{"idempotent":true}"#;
        check(r#"{"name":"a", "n":1.10}"#, &format!(r#"{{"_meta":{{{meta}}},"name":"a", "n":1.10}}"#));
        check(r#"{"name":"a","_meta": {"x" :1}}"#, &format!(r#"{{"name":"a","_meta": {{{meta},"x" :1}}}}"#));
        check(r#"{"name":"a","_meta":7}"#, &format!(r#"{{"name":"a","_meta":{{{meta}}}}}"#));
        check(r#"{"name":"b"}"#, r#"{"name":"b"}"#);
    }
}
