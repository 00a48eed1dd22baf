//! The differences between tools, prompts, resources and templates while the catalogue is assembled.

use toolgate_core::RawJson;
use toolgate_core::registry::NamedKind;
use toolgate_core::server::Listing;

use crate::definition;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
    Template,
}

impl Kind {
    pub(crate) const ALL: [Kind; 4] = [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::Template];

    /// The member that names an entry.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Kind::Tool | Kind::Prompt => "name",
            Kind::Resource => "uri",
            Kind::Template => "uriTemplate",
        }
    }

    pub(crate) fn items(self, listing: &Listing) -> &[RawJson] {
        match self {
            Kind::Tool => &listing.tools,
            Kind::Prompt => &listing.prompts,
            Kind::Resource => &listing.resources,
            Kind::Template => &listing.templates,
        }
    }

    pub(crate) fn fault(self, definition: &RawJson) -> Option<String> {
        match self {
            Kind::Tool => definition::fault_of_tool(definition),
            Kind::Prompt => definition::fault_of_prompt(definition),
            Kind::Resource | Kind::Template => definition::fault_of_resource(definition),
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
            Kind::Tool => Some(NamedKind::Tool),
            Kind::Prompt => Some(NamedKind::Prompt),
            Kind::Resource | Kind::Template => None,
        }
    }
}
