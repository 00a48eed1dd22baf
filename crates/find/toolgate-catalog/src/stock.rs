//! One server's part of the catalogue: its offers after the operator's filter and rules, under the names they
//! would have without other servers.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_core::server::ServerListing;
use toolgate_core::{CanonicalName, Tool};
use toolgate_wire::ObjectMembers;
use toolgate_wire::param_header::ParamHeader;

use crate::ServerSettings;
use crate::exposed::{self, ExposedTool};
use crate::kind::OfferKind;
use crate::naming::wire_name;
use crate::offer::{Offer, Offers, ToolReading, Wording};
use crate::section::CatalogEntry;
use crate::template::UriTemplate;
use crate::tool::{self, ToolRule};

/// One server's part of the catalogue. It is rebuilt only when the server or the operator's settings change.
#[derive(Debug)]
pub(crate) struct ServerStock {
    pub(crate) listing: ServerListing,
    offers: Offers,
    /// The settings of the current entries; `None` until they are made.
    settings: Option<ServerSettings>,
    entries: [Vec<Arc<CatalogEntry>>; OfferKind::ALL.len()],
    /// By the server's own names.
    pub(crate) templates: HashMap<String, Arc<UriTemplate>>,
    pub(crate) left_out: Vec<(CanonicalName, String)>,
    /// File settings that do not fit the entries, and why.
    pub(crate) misfits: Vec<(CanonicalName, String)>,
    /// Additions to definitions, so that clients can read them.
    pub(crate) completed: Vec<(CanonicalName, String)>,
    pub(crate) instructions: Option<Arc<str>>,
    pub(crate) serves_resources: bool,
}

/// A server whose listing is known.
pub(crate) struct PresentServer<'a> {
    /// In the order of all servers.
    pub(crate) place: usize,
    pub(crate) settings: &'a ServerSettings,
    pub(crate) stock: &'a ServerStock,
}

impl ServerStock {
    pub(crate) fn read(listing: ServerListing, before: Option<&ServerStock>) -> Self {
        let offers = match before {
            Some(before) => Offers::read(&listing, &before.offers),
            None => Offers::read(&listing, &Offers::default()),
        };
        let parsed = |offer: &Arc<Offer>| (offer.own.clone(), Arc::new(UriTemplate::parse(&offer.own)));
        let templates = offers.of(OfferKind::Template).iter().map(parsed);
        Self {
            templates: templates.collect(),
            instructions: listing.instructions.as_deref().map(Arc::from),
            serves_resources: serves_resources(&listing),
            listing,
            offers,
            settings: None,
            entries: Default::default(),
            left_out: Vec::new(),
            misfits: Vec::new(),
            completed: Vec::new(),
        }
    }

    /// The rules are others now.
    pub(crate) fn forget_rules(&mut self) {
        self.settings = None;
    }

    pub(crate) fn of(&self, kind: OfferKind) -> &[Arc<CatalogEntry>] {
        &self.entries[kind as usize]
    }

    /// Makes the entries, unless they match these settings.
    pub(crate) fn arrange(&mut self, settings: &ServerSettings, rules: &[ToolRule]) {
        if self.settings.as_ref() == Some(settings) {
            return;
        }
        self.left_out.clear();
        self.misfits.clear();
        self.completed.clear();
        for kind in OfferKind::ALL {
            let shown = |offer: &&Arc<Offer>| kind != OfferKind::Tool || settings.filter.shows(&offer.own);
            let offers = self.offers.of(kind).iter().filter(shown);
            let mut entries = Vec::with_capacity(offers.clone().count());
            for offer in offers {
                match entry(kind, offer, settings, rules) {
                    Ok((entry, EntryRemarks { misfits, completed })) => {
                        let about = |what: String| (entry.canonical.clone(), what);
                        self.misfits.extend(misfits.into_iter().map(about));
                        self.completed.extend(completed.map(str::to_owned).map(about));
                        entries.push(Arc::new(entry));
                    }
                    Err(left_out) => self.left_out.push(left_out),
                }
            }
            self.entries[kind as usize] = entries;
        }
        self.settings = Some(settings.clone());
    }
}

/// Remarks about an entry, for people.
struct EntryRemarks {
    /// Its file settings that do not fit.
    misfits: Vec<String>,
    completed: Option<&'static str>,
}

const TYPE_ADDED: &str = "its `inputSchema` has no `type`; agents read \"type\": \"object\", without which clients refuse the list";

/// The entry and the remarks about it, or the reason why it is unusable.
fn entry(
    kind: OfferKind,
    offer: &Arc<Offer>,
    settings: &ServerSettings,
    rules: &[ToolRule],
) -> Result<(CatalogEntry, EntryRemarks), (CanonicalName, String)> {
    let canonical = CanonicalName::of(&settings.name, &offer.own);
    let described = match &offer.reading {
        Err(why) => Err(why.clone()),
        Ok(reading) => described(offer, reading, settings, &canonical, rules),
    };
    let DescribedOffer { tool, param_headers, exposed, misfits, completed } = match described {
        Err(why) => return Err((canonical, why)),
        Ok(described) => described,
    };
    let entry = CatalogEntry {
        server: settings.name.clone(),
        own: offer.own.clone(),
        wire: natural_name(kind, settings, &offer.own),
        canonical,
        param_headers,
        tool: tool.map(Arc::new),
        offer: offer.clone(),
        exposed: exposed.map(Arc::new),
    };
    Ok((entry, EntryRemarks { misfits, completed }))
}

/// An offer after the operator's rules.
struct DescribedOffer {
    tool: Option<Tool>,
    param_headers: Vec<ParamHeader>,
    exposed: Option<Wording>,
    misfits: Vec<String>,
    /// The addition to its definition.
    completed: Option<&'static str>,
}

fn described(
    offer: &Offer,
    reading: &ToolReading,
    settings: &ServerSettings,
    canonical: &CanonicalName,
    rules: &[ToolRule],
) -> Result<DescribedOffer, String> {
    let describe =
        |facts| tool::describe(&settings.name, &offer.own, canonical, facts, settings.hints, rules);
    let mut tool = reading.facts.as_ref().map(describe).transpose()?;
    let mut param_headers = reading.param_headers.clone();
    let typed = tool.as_mut().and_then(|tool| exposed::typed(&offer.wording.item, tool));
    let completed = typed.is_some().then_some(TYPE_ADDED);
    let item = typed.as_ref().map_or(&offer.wording.item, |typed| &typed.item);
    let ExposedTool { wording, misfits } = match &mut tool {
        Some(tool) if !tool.handling.files.is_empty() => exposed::expose(item, tool),
        _ => ExposedTool::default(),
    };
    // Agents cannot repeat a value in a header that the gateway fills in.
    if let Some(tool) = tool.as_ref().filter(|_| wording.is_some()) {
        param_headers.retain(|header| !exposed::is_filled(&tool.handling.files, header));
    }
    Ok(DescribedOffer { tool, param_headers, exposed: wording.or(typed), misfits, completed })
}

/// Its name if nothing else claims it.
pub(crate) fn natural_name(kind: OfferKind, settings: &ServerSettings, own: &str) -> String {
    if kind.is_prefixed() && settings.prefix { wire_name(&settings.name, own) } else { own.to_owned() }
}

fn serves_resources(listing: &ServerListing) -> bool {
    let declared = listing
        .capabilities
        .as_ref()
        .and_then(|raw| Some(ObjectMembers::of(raw).ok()?.get("resources").is_some()));
    declared.unwrap_or(false) || !listing.resources.is_empty() || !listing.templates.is_empty()
}
