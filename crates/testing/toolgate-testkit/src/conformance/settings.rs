//! The settings of a conformance server: its era and its tools.

use std::borrow::Cow;

use rmcp::model::ProtocolVersion;
use rmcp::service::{RequestContext, RoleServer};

/// The protocol revisions that the server supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Era {
    #[default]
    Both,
    /// Revisions that open with `initialize`; the newer one is refused the way servers of that time refuse it.
    Legacy,
    /// The stateless revision alone.
    Modern,
}

/// The set of tools of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ToolSet {
    /// The tools that the official conformance suite calls by name.
    #[default]
    Conformance,
    /// Tools that take and make documents.
    Documents,
    /// Tools that count for each caller.
    Counters,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    pub era: Era,
    pub tools: ToolSet,
    /// Items per page of every list; everything on one page when absent.
    pub page_size: Option<usize>,
}

pub(super) fn versions_of(era: Era) -> Cow<'static, [ProtocolVersion]> {
    match era {
        Era::Both => Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS),
        Era::Legacy => Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE)),
        Era::Modern => Cow::Owned(vec![ProtocolVersion::V_2026_07_28]),
    }
}

/// True when the request speaks the stateless revision.
pub(super) fn is_modern(ctx: &RequestContext<RoleServer>) -> bool {
    ctx.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}
