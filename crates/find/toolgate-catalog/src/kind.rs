//! The differences between tools, prompts, resources and templates while the catalogue is assembled.

use toolgate_core::RawJson;
use toolgate_core::registry::NamedKind;
use toolgate_core::server::ServerListing;

use crate::definition;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OfferKind {
    Tool,
    Prompt,
    Resource,
    Template,
}

impl OfferKind {
    pub(crate) const ALL: [OfferKind; 4] =
        [OfferKind::Tool, OfferKind::Prompt, OfferKind::Resource, OfferKind::Template];

    /// The member that names an entry.
    pub(crate) fn key(self) -> &'static str {
        match self {
            OfferKind::Tool | OfferKind::Prompt => "name",
            OfferKind::Resource => "uri",
            OfferKind::Template => "uriTemplate",
        }
    }

    pub(crate) fn items(self, listing: &ServerListing) -> &[RawJson] {
        match self {
            OfferKind::Tool => &listing.tools,
            OfferKind::Prompt => &listing.prompts,
            OfferKind::Resource => &listing.resources,
            OfferKind::Template => &listing.templates,
        }
    }

    pub(crate) fn fault(self, definition: &RawJson) -> Option<String> {
        match self {
            OfferKind::Tool => definition::fault_of_tool(definition),
            OfferKind::Prompt => definition::fault_of_prompt(definition),
            OfferKind::Resource | OfferKind::Template => definition::fault_of_resource(definition),
        }
    }

    /// Tools and prompts get server and name joined; resources and templates keep their own URI, unless an earlier
    /// server has it.
    pub(crate) fn is_prefixed(self) -> bool {
        self.named().is_some()
    }

    /// The kind of name that the gateway assigns, if any.
    pub(crate) fn named(self) -> Option<NamedKind> {
        match self {
            OfferKind::Tool => Some(NamedKind::Tool),
            OfferKind::Prompt => Some(NamedKind::Prompt),
            OfferKind::Resource | OfferKind::Template => None,
        }
    }
}
