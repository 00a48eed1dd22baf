//! Reading all lists of a server, every page of them, within limits.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use toolgate_core::RawJson;
use toolgate_core::port::{ServerError, ServerReply, ServerRequest};
use toolgate_core::server::{ServerListing, TransportSpec};
use toolgate_wire::object::push_member;
use toolgate_wire::{ObjectMembers, object};

use crate::context::ServerContext;
use crate::deadline::Deadline;
use crate::link::LiveLink;
use crate::reading::{ListReading, add_extras};

/// The maximum total size of all pages of one list.
const LIST_BYTES_MAX: usize = 64 << 20;

/// One of the lists of MCP.
struct ListKind {
    capability: &'static str,
    method: &'static str,
    /// The member of the result with the entries.
    entries: &'static str,
    /// The member of an entry that names it.
    key: &'static str,
}

const TOOLS: ListKind = ListKind { capability: "tools", method: "tools/list", entries: "tools", key: "name" };
const PROMPTS: ListKind =
    ListKind { capability: "prompts", method: "prompts/list", entries: "prompts", key: "name" };
const RESOURCES: ListKind =
    ListKind { capability: "resources", method: "resources/list", entries: "resources", key: "uri" };
const TEMPLATES: ListKind = ListKind {
    capability: "resources",
    method: "resources/templates/list",
    entries: "resourceTemplates",
    key: "uriTemplate",
};

/// The listing, and remarks for people.
pub(crate) struct ReadListing {
    pub(crate) reading: ListReading,
    pub(crate) remarks: Option<String>,
}

/// Reads all lists that the server declares, side by side.
pub(crate) async fn read(
    ctx: &ServerContext,
    live: &LiveLink,
    deadline: &Arc<Deadline>,
) -> Result<ReadListing, ServerError> {
    let one = |kind| read_kind(ctx, live, deadline, kind);
    let (tools, prompts, resources, templates) =
        tokio::try_join!(one(&TOOLS), one(&PROMPTS), one(&RESOURCES), one(&TEMPLATES))?;
    let mut remarks = String::new();
    for entries in [&tools, &prompts, &resources, &templates] {
        entries.remark(&mut remarks);
    }
    if live.opening.declares(&["tools"]) && tools.kept.is_empty() {
        push_remark(&mut remarks, "it is connected but lists no tools");
    }
    let listing = ServerListing {
        capabilities: live.opening.capabilities.clone(),
        server_info: live.opening.server_info.clone(),
        instructions: live.opening.instructions.clone(),
        tools: with_extras(ctx, tools.kept),
        prompts: prompts.kept,
        resources: resources.kept,
        templates: templates.kept,
        conflicts: Vec::new(),
    };
    Ok(ReadListing { reading: ListReading::of(listing), remarks: (!remarks.is_empty()).then_some(remarks) })
}

/// Reads the tools once more and keeps the rest of the earlier listing.
pub(crate) async fn read_tools(
    ctx: &ServerContext,
    live: &LiveLink,
    deadline: &Arc<Deadline>,
    before: &ListReading,
) -> Result<ListReading, ServerError> {
    let tools = read_kind(ctx, live, deadline, &TOOLS).await?;
    Ok(ListReading::of(ServerListing { tools: with_extras(ctx, tools.kept), ..before.listing.clone() }))
}

fn with_extras(ctx: &ServerContext, mut tools: Vec<RawJson>) -> Vec<RawJson> {
    if let TransportSpec::Http { instances, .. } = &ctx.spec.transport
        && let [instance] = &instances[..]
    {
        add_extras(&mut tools, &instance.extras);
    }
    tools
}

struct ListEntries {
    kind: &'static ListKind,
    kept: Vec<RawJson>,
    skipped: usize,
    /// The reason why reading stopped before the last page.
    cut_short: Option<&'static str>,
}

impl ListEntries {
    fn remark(&self, remarks: &mut String) {
        let method = self.kind.method;
        if self.skipped > 0 {
            push_remark(
                remarks,
                &format!("{} entries of {method} have no usable {}", self.skipped, self.kind.key),
            );
        }
        if let Some(why) = self.cut_short {
            push_remark(remarks, &format!("{method} was cut short: {why}"));
        }
    }
}

fn push_remark(remarks: &mut String, remark: &str) {
    let separator = if remarks.is_empty() { "" } else { "; " };
    write!(remarks, "{separator}{remark}").expect("writing to a string does not fail");
}

async fn read_kind(
    ctx: &ServerContext,
    live: &LiveLink,
    deadline: &Arc<Deadline>,
    kind: &'static ListKind,
) -> Result<ListEntries, ServerError> {
    let mut entries = ListEntries { kind, kept: Vec::new(), skipped: 0, cut_short: None };
    if !live.opening.declares(&[kind.capability]) {
        return Ok(entries);
    }
    let mut seen = BTreeSet::new();
    let mut cursor: Option<String> = None;
    let mut bytes = 0;
    for _ in 0..ctx.limits().upstream_pages_max {
        let page = match page(live, deadline, kind, cursor.as_deref()).await {
            // Some servers declare resources and know no templates.
            Err(ServerError::Rpc(error)) if error.code == toolgate_core::RpcError::METHOD_NOT_FOUND => {
                return Ok(entries);
            }
            page => page?,
        };
        bytes += page.as_bytes().len();
        cursor = entries.take_page(ctx, &page)?;
        let Some(next) = &cursor else { return Ok(entries) };
        if bytes > LIST_BYTES_MAX {
            entries.cut_short = Some("it is larger than 64 MiB");
            return Ok(entries);
        }
        if !seen.insert(next.clone()) {
            entries.cut_short = Some("it repeats a cursor");
            return Ok(entries);
        }
    }
    entries.cut_short = Some("it has more pages than limits.upstream_pages_max");
    Ok(entries)
}

async fn page(
    live: &LiveLink,
    deadline: &Arc<Deadline>,
    kind: &ListKind,
    cursor: Option<&str>,
) -> Result<RawJson, ServerError> {
    let mut params = String::new();
    if let Some(cursor) = cursor {
        push_member(&mut params, "cursor", cursor);
    }
    match live.request(&ServerRequest::new(kind.method, params), None, deadline).await? {
        ServerReply::Complete(result)
        | ServerReply::Cached(result)
        | ServerReply::InputRequired(result)
        | ServerReply::Task(result) => Ok(result),
    }
}

impl ListEntries {
    /// Keeps the entries of one page and returns the raw cursor of the next.
    fn take_page(&mut self, ctx: &ServerContext, page: &RawJson) -> Result<Option<String>, ServerError> {
        let broken = || {
            ctx.garbled(format!("its answer to {} has no list \"{}\"", self.kind.method, self.kind.entries))
        };
        let members = ObjectMembers::of_str(page.as_str()).map_err(|_| broken())?;
        let list = members.get(self.kind.entries).ok_or_else(broken)?;
        let list = object::elements(list).map_err(|_| broken())?;
        let buffer = page.clone().into_bytes();
        for entry in list {
            let named = ObjectMembers::parse(entry).ok().and_then(|members| members.get_str(self.kind.key));
            if named.is_some_and(|name| !name.is_empty()) {
                self.kept.push(RawJson::within(&buffer, entry));
            } else {
                self.skipped += 1;
            }
        }
        Ok(members
            .get("nextCursor")
            .map(|cursor| cursor.get().to_owned())
            .filter(|cursor| !matches!(&**cursor, "null" | "\"\"")))
    }
}
