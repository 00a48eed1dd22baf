//! One definition as parsed from a listing. Parsing is the expensive part: it happens once, regardless of
//! later changes by the operator.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use toolgate_core::server::ServerListing;
use toolgate_core::{Raw, RawJson};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::push_string;
use toolgate_wire::param_header::{self, ParamHeader};

use crate::kind::OfferKind;
use crate::schema::fault_of_schema;
use crate::tool::DefinitionFacts;

/// A definition and its content, or the reason why it is unusable.
#[derive(Debug)]
pub(crate) struct Offer {
    /// The server's own name or URI.
    pub(crate) own: String,
    /// The definition exactly as the server gave it.
    pub(crate) wording: Wording,
    pub(crate) reading: Result<ToolReading, String>,
}

/// The text of a definition, and the position for another name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wording {
    pub(crate) item: RawJson,
    /// The range of the name in it, with its quotes.
    name_at: Range<usize>,
}

#[derive(Debug)]
pub(crate) struct ToolReading {
    /// Arguments that travel as headers too (tools only).
    pub(crate) param_headers: Vec<ParamHeader>,
    /// Tools only.
    pub(crate) facts: Option<DefinitionFacts>,
}

/// Everything one server offers.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    of_kind: [Vec<Arc<Offer>>; OfferKind::ALL.len()],
}

impl Offers {
    /// Definitions of the previous listing are not parsed again.
    pub(crate) fn read(listing: &ServerListing, before: &Offers) -> Self {
        Self { of_kind: OfferKind::ALL.map(|kind| read_kind(kind, kind.items(listing), before.of(kind))) }
    }

    pub(crate) fn of(&self, kind: OfferKind) -> &[Arc<Offer>] {
        &self.of_kind[kind as usize]
    }
}

fn read_kind(kind: OfferKind, items: &[RawJson], before: &[Arc<Offer>]) -> Vec<Arc<Offer>> {
    let known: HashMap<&RawJson, &Arc<Offer>> =
        before.iter().map(|offer| (&offer.wording.item, offer)).collect();
    let mut own_names = HashSet::new();
    let mut offers: Vec<Arc<Offer>> = items
        .iter()
        .filter_map(|item| match known.get(item) {
            Some(offer) => Some(Arc::clone(offer)),
            None => Offer::read(kind, item).map(Arc::new),
        })
        // If a name occurs several times, the newest instance's definition comes first.
        .filter(|offer| own_names.insert(offer.own.clone()))
        .collect();
    // Names that need no change come first, so that `a__b` keeps its name beside `a.b`, in any order of the
    // server.
    offers.sort_by(|a, b| (needs_change(&a.own), &a.own).cmp(&(needs_change(&b.own), &b.own)));
    offers
}

fn needs_change(own: &str) -> bool {
    !own.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

impl Offer {
    /// `None` for an entry without a name: it cannot even be mentioned in an error.
    pub(crate) fn read(kind: OfferKind, item: &RawJson) -> Option<Self> {
        let members = ObjectMembers::of(item).ok()?;
        let own = members.get_str(kind.key())?.into_owned();
        let wording = Wording::of(kind, item, &members)?;
        let reading = match kind.fault(item) {
            Some(fault) => Err(fault),
            None => read_definition(kind, item, &members),
        };
        Some(Self { own, wording, reading })
    }
}

impl Wording {
    /// `None` for an entry without a name. `members` are those of `item`.
    pub(crate) fn of(kind: OfferKind, item: &RawJson, members: &ObjectMembers<'_>) -> Option<Self> {
        Some(Self { name_at: place_of(item, members.get(kind.key())?), item: item.clone() })
    }

    /// Appends the text with another name.
    pub(crate) fn write(&self, name: &str, text: &mut String) {
        let item = self.item.as_str();
        text.push_str(&item[..self.name_at.start]);
        push_string(text, name);
        text.push_str(&item[self.name_at.end..]);
    }
}

fn place_of(item: &RawJson, value: Raw<'_>) -> Range<usize> {
    let start = value.get().as_ptr() as usize - item.as_str().as_ptr() as usize;
    start..start + value.get().len()
}

fn read_definition(
    kind: OfferKind,
    item: &RawJson,
    members: &ObjectMembers<'_>,
) -> Result<ToolReading, String> {
    if kind != OfferKind::Tool {
        return Ok(ToolReading { param_headers: Vec::new(), facts: None });
    }
    let decoded = item.decode::<Value>();
    let param_headers = match (mentions_headers(item.as_str()), &decoded) {
        (false, _) => Vec::new(),
        (true, Ok(definition)) => {
            definition.get("inputSchema").map_or(Ok(Vec::new()), param_header::of_schema)?
        }
        (true, Err(error)) => return Err(error.to_string()),
    };
    // An undecodable definition is passed on as it is, and its statements about itself are ignored.
    let definition = decoded.unwrap_or_default();
    for key in ["inputSchema", "outputSchema"] {
        if let Some(fault) = definition.get(key).and_then(fault_of_schema) {
            return Err(format!("its `{key}` is not a JSON Schema: {fault}"));
        }
    }
    Ok(ToolReading { param_headers, facts: Some(DefinitionFacts::read(item, members, &definition)) })
}

/// Almost no tool has header annotations; a text search first avoids walking its schema.
fn mentions_headers(text: &str) -> bool {
    text.contains("x-mcp-header")
}
