//! Ids that a server assigns to contents that it keeps, as its results mention them.

use std::collections::HashSet;

use serde_json::{Map, Value};
use toolgate_core::content::ContentHolder;
use toolgate_core::file::{Ref, RefOrigin};
use toolgate_core::id::RefId;
use toolgate_core::{RawJson, RefusalKind, Tool};
use toolgate_wire::object::may_say;

use super::take_out::later;
use crate::access::ContentAccess;
use crate::files::Files;
use crate::media::UNKNOWN;

/// More of one result are not remembered.
const MINTED_MAX: usize = 64;
const DEPTH_MAX: usize = 32;
const OWN_BYTES_MAX: usize = 256;
const URI_BYTES_MAX: usize = 2048;
const MEDIA_TYPE_BYTES_MAX: usize = 128;

/// A content that a server keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
struct MintedRef {
    own: String,
    uri: Option<String>,
    media_type: Option<String>,
    bytes: Option<u64>,
    naming: RefNaming,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RefNaming {
    /// `ref_id`: the server assigned it.
    Given,
    /// `source_ref_id` and the like, which may repeat an id that the server received.
    Mentioned,
}

impl Files {
    /// Remembers the contents that a result attributes to its server. `ours` are the refs that were made from
    /// the same result.
    pub(super) async fn remember(
        &self,
        holder: &ContentHolder,
        tool: &Tool,
        result: &RawJson,
        ours: &HashSet<RefId>,
    ) {
        if !may_say(result.as_bytes(), "ref_id") {
            return;
        }
        let Ok(result) = result.decode::<Value>() else { return };
        let mut refs = Vec::new();
        for minted in minted(&result) {
            if !ours.contains(&RefId::new(minted.own.as_str())) && self.is_new(holder, tool, &minted).await {
                refs.push(self.minted_ref(holder, tool, minted));
            }
        }
        if let Err(error) = self.store().put_refs(&refs).await {
            tracing::warn!(%error, server = %tool.server, "what a server keeps could not be remembered");
        }
    }

    /// True if it is neither known under this id nor one of our own.
    async fn is_new(&self, holder: &ContentHolder, tool: &Tool, minted: &MintedRef) -> bool {
        let access = ContentAccess::Session(holder);
        let is_ours = match minted.own.starts_with(RefId::PREFIX) {
            true => match self.reference(&access, &RefId::new(minted.own.as_str())).await {
                Ok(_) => true,
                Err(refusal) => refusal.kind != RefusalKind::NotFound,
            },
            false => false,
        };
        if is_ours {
            return false;
        }
        let Ok(refs) = self.store().refs_by_own(&minted.own, &holder.session, holder.run.as_ref()).await
        else {
            return false;
        };
        let alive = refs.iter().filter(|one| one.expires_at_ms > self.clock().now_ms());
        let mut origins = alive.filter_map(|one| Some((one.origin.as_ref()?, one.digest)));
        match minted.naming {
            RefNaming::Mentioned => origins.next().is_none(),
            // The fetched content may be another version of the current one.
            RefNaming::Given => {
                let newest = origins.find(|(origin, _)| origin.server == tool.server);
                newest.is_none_or(|(origin, digest)| digest.is_some() || origin.uri != minted.uri)
            }
        }
    }

    fn minted_ref(&self, holder: &ContentHolder, tool: &Tool, minted: MintedRef) -> Ref {
        let now_ms = self.clock().now_ms();
        Ref {
            id: RefId::new(self.clock().fresh_id(RefId::PREFIX)),
            media_type: minted.media_type.unwrap_or_else(|| UNKNOWN.to_owned()),
            bytes: minted.bytes.unwrap_or(0),
            digest: None,
            preview: String::new(),
            principal: holder.principal.id.clone(),
            session: holder.session.clone(),
            run: holder.run.clone(),
            call: holder.call.clone(),
            tool: Some(tool.name.clone()),
            origin: Some(RefOrigin { server: tool.server.clone(), own: minted.own, uri: minted.uri }),
            created_at_ms: now_ms,
            expires_at_ms: later(now_ms, self.settings().ref_keep),
        }
    }
}

fn minted(result: &Value) -> Vec<MintedRef> {
    let blocks: &[Value] = result.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let links: Vec<LinkBlock<'_>> = blocks.iter().filter_map(LinkBlock::of).collect();
    let mut found = FoundRefs { links, all: Vec::new() };
    if let Some(structure) = result.get("structuredContent") {
        found.walk(structure, 0);
    }
    for block in blocks {
        let text =
            block.get("text").and_then(Value::as_str).filter(|text| may_say(text.as_bytes(), "ref_id"));
        if let Some(inner) = text.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
            found.walk(&inner, 0);
        }
    }
    found.all
}

/// A `resource_link` of a result.
struct LinkBlock<'a> {
    uri: &'a str,
    name: &'a str,
}

impl<'a> LinkBlock<'a> {
    fn of(block: &'a Value) -> Option<Self> {
        let said = |key: &str| block.get(key).and_then(Value::as_str);
        let is_link = said("type") == Some("resource_link");
        is_link.then_some(Self { uri: said("uri")?, name: said("name").unwrap_or_default() })
    }
}

struct FoundRefs<'a> {
    links: Vec<LinkBlock<'a>>,
    all: Vec<MintedRef>,
}

impl FoundRefs<'_> {
    fn walk(&mut self, value: &Value, depth: usize) {
        if depth == DEPTH_MAX || self.all.len() == MINTED_MAX {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.walk(value, depth + 1)),
            Value::Object(members) => members.iter().for_each(|(key, value)| match value {
                Value::String(own) => self.add(key, own, members),
                value => self.walk(value, depth + 1),
            }),
            _ => {}
        }
    }

    fn add(&mut self, key: &str, own: &str, members: &Map<String, Value>) {
        let is_id = !own.is_empty() && own.len() <= OWN_BYTES_MAX && !own.contains(char::is_control);
        let is_known = self.all.iter().any(|minted| minted.own == own);
        let naming = match key {
            "ref_id" => RefNaming::Given,
            key if key.ends_with("_ref_id") => RefNaming::Mentioned,
            _ => return,
        };
        if !is_id || is_known || self.all.len() == MINTED_MAX {
            return;
        }
        let link = self.links.iter().find(|link| link.uri.contains(own) || link.name.contains(own));
        let beside = || said(members, &["uri", "ref_uri", "resource_uri"]);
        let uri = link.map(|link| link.uri).or_else(beside).filter(|uri| uri.len() <= URI_BYTES_MAX);
        let media_type = said(members, &["media_type", "mime_type", "mimeType", "content_type"]);
        let is_media_type =
            |media_type: &&str| media_type.contains('/') && media_type.len() <= MEDIA_TYPE_BYTES_MAX;
        let sizes = ["size", "bytes", "size_bytes"];
        self.all.push(MintedRef {
            own: own.to_owned(),
            uri: uri.map(str::to_owned),
            media_type: media_type.filter(is_media_type).map(str::to_owned),
            bytes: sizes.iter().find_map(|key| members.get(*key)?.as_u64()),
            naming,
        });
    }
}

fn said<'a>(members: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| members.get(*key)?.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(result: &Value) -> Vec<(String, Option<String>)> {
        minted(result).into_iter().map(|minted| (minted.own, minted.uri)).collect()
    }

    fn one(own: &str, uri: Option<&str>) -> (String, Option<String>) {
        (own.to_owned(), uri.map(str::to_owned))
    }

    #[test]
    fn ids_are_found_in_structures_and_in_text_that_is_json() {
        let result = json!({
            "content": [
                {"type": "text", "text": r#"{"ref_id":"doc_1","page_count":4}"#},
                {"type": "text", "text": "the ref_id is doc_9"},
                {"type": "resource_link", "uri": "docs://tailored_2", "name": "x"},
            ],
            "structuredContent": {"pages": [{"tailored_ref_id": "tailored_2"}], "ref_id": "doc_1", "file_id": "f"},
        });
        let expected = [one("tailored_2", Some("docs://tailored_2")), one("doc_1", None)];
        assert_eq!(check(&result), expected);
    }

    #[test]
    fn what_stands_beside_an_id_is_about_it() {
        let result = json!({"structuredContent": {
            "ref_id": "a", "uri": "docs://a", "mime_type": "application/pdf", "size": 7,
        }});
        let found = minted(&result);
        assert_eq!(check(&result), [one("a", Some("docs://a"))]);
        assert_eq!((found[0].media_type.as_deref(), found[0].bytes), (Some("application/pdf"), Some(7)));
    }

    #[test]
    fn what_is_no_id_and_what_is_too_much_is_not_remembered() {
        let ids: Vec<Value> = (0..100).map(|at| json!({"ref_id": format!("id_{at}")})).collect();
        assert_eq!(check(&json!({"structuredContent": {"ids": ids}})).len(), MINTED_MAX);
        for own in [json!(""), json!(7), json!("a\nb"), json!("x".repeat(300))] {
            assert!(check(&json!({"structuredContent": {"ref_id": own}})).is_empty());
        }
    }
}
