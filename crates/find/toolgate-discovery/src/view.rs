//! The view of one principal in one scope, on the catalogue at one moment and under the policies in force.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use toolgate_catalog::{Alias, CatalogEntry, CatalogSection, FoundTool, MissingTool, Snapshot};
use toolgate_core::decision::{ApprovalLikelihood, Policy, Visibility, VisibilityRequest};
use toolgate_core::platform::OWN_SERVER;
use toolgate_core::scope::{Scope, ScopeReason};
use toolgate_core::tool::Action;
use toolgate_core::{Digest, Principal, RawJson, ServerName, Tool};
use toolgate_search::Subset;

use crate::own::OwnTool;
use crate::surface::Surface;
use crate::tally::CostTally;
use crate::viewer::{ToolViewer, glimpse};

/// A list of tools that never changes; another catalogue or other policies make another one.
pub struct View {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) policy_version: Digest,
    pub(crate) scope: Arc<Scope>,
    /// The visible tools, sorted by wire name.
    pub(crate) entries: Vec<Arc<CatalogEntry>>,
    /// The same order.
    pub(crate) asking: Vec<ApprovalLikelihood>,
    /// One for every tool of the snapshot, in its order: unchanged tools are not judged again.
    verdicts: Vec<Option<ApprovalLikelihood>>,
    /// Servers with a visible tool.
    pub(crate) servers: BTreeSet<ServerName>,
    /// Servers that have tools, seen or not.
    with_tools: BTreeSet<ServerName>,
    /// Servers whose resources or prompts policy hides from this principal for any request.
    without_resources: BTreeSet<ServerName>,
    without_prompts: BTreeSet<ServerName>,
    /// The gateway's own tools among them.
    own: Vec<Arc<CatalogEntry>>,
    /// Tools of the gateway's domains that the session may call by name; no capability names them, so no list has them.
    unlisted: Vec<(Arc<CatalogEntry>, ApprovalLikelihood)>,
    /// The names of those that are listed regardless of the budget.
    pub(crate) own_pinned: Vec<String>,
    /// Texts of the list that differ from the definitions.
    pub(crate) dressed: Vec<OnceLock<Box<str>>>,
    pub(crate) surface: OnceLock<Surface>,
    pub(crate) subset: OnceLock<Subset>,
    pub(crate) first_page: OnceLock<RawJson>,
    pub(crate) tally: OnceLock<CostTally>,
}

impl View {
    pub(crate) fn of(viewer: ToolViewer<'_>, snapshot: Arc<Snapshot>, before: Option<&View>) -> Self {
        let policy_version = viewer.policy.version();
        let before = before.filter(|view| view.policy_version == policy_version);
        let verdicts = verdicts(viewer, &snapshot, before);
        let (mut entries, mut asking, mut unlisted) = (Vec::new(), Vec::new(), Vec::new());
        for (entry, verdict) in snapshot.tools.entries().iter().zip(&verdicts) {
            let Some(verdict) = verdict else { continue };
            if is_listed(viewer.scope, entry) {
                entries.push(entry.clone());
                asking.push(*verdict);
            } else {
                unlisted.push((entry.clone(), *verdict));
            }
        }
        let servers = servers_of(&entries);
        let own_pinned = add_own(viewer, &mut entries, &mut asking);
        let own = entries.iter().filter(|entry| entry.server.as_str() == OWN_SERVER).cloned().collect();
        Self {
            policy_version,
            scope: viewer.scope.clone(),
            servers,
            own,
            unlisted,
            own_pinned,
            with_tools: servers_of(snapshot.tools.entries()),
            without_resources: closed(
                viewer,
                Action::ReadResource,
                &[&snapshot.resources, &snapshot.templates],
            ),
            without_prompts: closed(viewer, Action::GetPrompt, &[&snapshot.prompts]),
            dressed: entries.iter().map(|_| OnceLock::new()).collect(),
            entries,
            asking,
            verdicts,
            snapshot,
            surface: OnceLock::new(),
            subset: OnceLock::new(),
            first_page: OnceLock::new(),
            tally: OnceLock::new(),
        }
    }

    pub(crate) fn is_of(&self, snapshot: &Arc<Snapshot>, policy_version: Digest) -> bool {
        Arc::ptr_eq(&self.snapshot, snapshot) && self.policy_version == policy_version
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The visible tools, sorted by wire name, and whether people are asked when they are called.
    pub fn tools(&self) -> impl Iterator<Item = (&Arc<CatalogEntry>, ApprovalLikelihood)> {
        self.entries.iter().zip(self.asking.iter().copied())
    }

    /// The catalogue that this is a part of.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// A tool by its wire name, its canonical name or an alias, if it is seen.
    pub fn find(&self, name: &str, now_ms: i64) -> Option<FoundTool<'_>> {
        let is_named = |entry: &&Arc<CatalogEntry>| entry.wire == name || entry.canonical.as_str() == name;
        if let Some(entry) = self.own.iter().find(is_named) {
            return Some(FoundTool { entry: entry.clone(), alias: None });
        }
        self.snapshot.find_tool(name, now_ms).filter(|found| self.has(&found.entry))
    }

    /// The reason why [`View::find`] finds nothing. An invisible tool is unknown, whatever its state.
    pub fn missing(&self, viewer: &Principal, policy: &dyn Policy, name: &str, now_ms: i64) -> MissingTool {
        let missing = self.snapshot.missing_tool(name, now_ms);
        let would_see = |server: &str, own: &str| {
            let server = ServerName::new(server).ok();
            server.is_some_and(|server| self.would_show(viewer, policy, &Tool::unread(&server, own)))
        };
        let target = match &missing {
            MissingTool::Unknown => return missing,
            MissingTool::Withheld { name, .. } => name.clone(),
            MissingTool::Sunset { alias: Alias { target, .. } } => target.clone(),
        };
        let seen = match self.snapshot.tools.find(target.as_str()) {
            Some(entry) => self.has(entry),
            None => target.as_str().split_once(':').is_some_and(|(server, own)| would_see(server, own)),
        };
        if seen { missing } else { MissingTool::Unknown }
    }

    /// True if a tool known by name only would be visible.
    fn would_show(&self, principal: &Principal, policy: &dyn Policy, tool: &Tool) -> bool {
        let agent = self.scope.layers.first().map(|layer| &layer.agent);
        let glimpse = VisibilityRequest { principal, tool, agent, template: self.scope.template };
        matches!(self.scope.judge(tool, principal.role), ScopeReason::In(_))
            && matches!(policy.visibility(&glimpse), Visibility::Visible(_))
    }

    /// True if it can be called, listed or not.
    fn has(&self, entry: &CatalogEntry) -> bool {
        self.asking(entry).is_some()
    }

    /// Whether people are asked when a tool that can be called is called, listed or not.
    pub fn asking(&self, entry: &CatalogEntry) -> Option<ApprovalLikelihood> {
        let unlisted = || self.unlisted.iter().find(|(one, _)| one.canonical == entry.canonical);
        let listed = self.place(entry).map(|place| self.asking[place]);
        listed.or_else(|| unlisted().map(|(_, asking)| *asking))
    }

    pub(crate) fn shows(&self, entry: &CatalogEntry) -> bool {
        self.place(entry).is_some()
    }

    pub(crate) fn place(&self, entry: &CatalogEntry) -> Option<usize> {
        let place = self.entries.binary_search_by(|one| one.wire.as_str().cmp(&entry.wire)).ok()?;
        (self.entries[place].canonical == entry.canonical).then_some(place)
    }

    /// True if both show the same tools with the same definitions.
    pub(crate) fn shows_like(&self, other: &View) -> bool {
        self.asking == other.asking
            && self.scope.schema_diet == other.scope.schema_diet
            && read_alike(&self.entries, &other.entries)
    }

    /// The prompts that are seen.
    pub fn prompts(&self) -> Vec<Arc<CatalogEntry>> {
        let all = self.snapshot.prompts.entries().iter();
        all.filter(|entry| self.shows_prompts(&entry.server)).cloned().collect()
    }

    /// The resources that are seen.
    pub fn resources(&self) -> Vec<Arc<CatalogEntry>> {
        self.resources_in(&self.snapshot.resources)
    }

    /// The templates of resources that are seen.
    pub fn templates(&self) -> Vec<Arc<CatalogEntry>> {
        self.resources_in(&self.snapshot.templates)
    }

    fn resources_in(&self, section: &CatalogSection) -> Vec<Arc<CatalogEntry>> {
        section.entries().iter().filter(|entry| self.shows_resources(&entry.server)).cloned().collect()
    }

    /// True if both show the same prompts.
    pub fn prompts_like(&self, other: &View) -> bool {
        read_alike(&self.prompts(), &other.prompts())
    }

    /// True if both show the same resources and templates.
    pub fn resources_like(&self, other: &View) -> bool {
        read_alike(&self.resources(), &other.resources()) && read_alike(&self.templates(), &other.templates())
    }

    /// The cost of its list, once counted.
    pub fn tally(&self) -> Option<CostTally> {
        self.tally.get().copied()
    }

    pub fn shows_prompts(&self, server: &ServerName) -> bool {
        self.reaches(server) && !self.without_prompts.contains(server)
    }

    pub fn shows_resources(&self, server: &ServerName) -> bool {
        self.reaches(server) && !self.without_resources.contains(server)
    }

    /// True if anything of a server is visible. If all its tools are hidden, nothing is.
    pub fn reaches(&self, server: &ServerName) -> bool {
        self.servers.contains(server) || (!self.with_tools.contains(server) && self.scope.reaches(server))
    }

    /// The same tool in this view, if it is visible.
    pub fn shown(&self, entry: &CatalogEntry) -> Option<&Arc<CatalogEntry>> {
        self.snapshot.tools.find(entry.canonical.as_str()).filter(|entry| self.shows(entry))
    }
}

/// True if a visible tool is in lists and searches. A tool of the gateway's domains is where a capability names it.
pub(crate) fn is_listed(scope: &Scope, entry: &CatalogEntry) -> bool {
    entry.server.as_str() != OWN_SERVER || entry.tool.as_ref().is_some_and(|tool| scope.names(tool))
}

/// Inserts the gateway's own tools among those of servers.
fn add_own(
    viewer: ToolViewer<'_>,
    entries: &mut Vec<Arc<CatalogEntry>>,
    asking: &mut Vec<ApprovalLikelihood>,
) -> Vec<String> {
    let there: Vec<(&OwnTool, ApprovalLikelihood)> =
        viewer.own.iter().filter_map(|own| Some((own, own.verdict(viewer, entries)?))).collect();
    let mut pinned = Vec::new();
    for (own, verdict) in there {
        let place = entries.partition_point(|entry| entry.wire < own.entry.wire);
        // A server's tool of the same name cannot be called by it.
        if entries.get(place).is_some_and(|entry| entry.wire == own.entry.wire) {
            entries.remove(place);
            asking.remove(place);
        }
        entries.insert(place, own.entry.clone());
        asking.insert(place, verdict);
        if own.is_pinned() {
            pinned.push(own.entry.wire.clone());
        }
    }
    pinned
}

fn read_alike(one: &[Arc<CatalogEntry>], other: &[Arc<CatalogEntry>]) -> bool {
    let same = |(one, other): (&Arc<CatalogEntry>, &Arc<CatalogEntry>)| {
        Arc::ptr_eq(one, other) || one.reads_like(other)
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// The servers among these for which policy forbids the action for any arguments.
fn closed(viewer: ToolViewer<'_>, action: Action, sections: &[&CatalogSection]) -> BTreeSet<ServerName> {
    let mut servers: BTreeSet<ServerName> =
        sections.iter().flat_map(|section| servers_of(section.entries())).collect();
    servers.retain(|server| {
        let tool = Tool::of_action(server, action);
        matches!(viewer.policy.visibility(&glimpse(viewer, &tool)), Visibility::Hidden(_))
    });
    servers
}

fn servers_of(entries: &[Arc<CatalogEntry>]) -> BTreeSet<ServerName> {
    let mut servers = BTreeSet::new();
    for entry in entries {
        if !servers.contains(&entry.server) {
            servers.insert(entry.server.clone());
        }
    }
    servers
}

fn verdicts(
    viewer: ToolViewer<'_>,
    snapshot: &Snapshot,
    before: Option<&View>,
) -> Vec<Option<ApprovalLikelihood>> {
    let known = before.map(|view| (view.snapshot.tools.entries(), &view.verdicts));
    let mut at = 0;
    let mut judged_before = |entry: &Arc<CatalogEntry>| {
        let (entries, verdicts) = known?;
        while entries.get(at).is_some_and(|one| one.wire < entry.wire) {
            at += 1;
        }
        entries.get(at).filter(|one| same_tool(one, entry)).map(|_| verdicts[at])
    };
    let entries = snapshot.tools.entries().iter();
    entries.map(|entry| judged_before(entry).unwrap_or_else(|| verdict(viewer, entry))).collect()
}

fn same_tool(one: &CatalogEntry, other: &CatalogEntry) -> bool {
    match (&one.tool, &other.tool) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    }
}

fn verdict(viewer: ToolViewer<'_>, entry: &CatalogEntry) -> Option<ApprovalLikelihood> {
    let tool = entry.tool.as_ref()?;
    let ScopeReason::In(_) = viewer.scope.judge(tool, viewer.principal.role) else { return None };
    match viewer.policy.visibility(&glimpse(viewer, tool)) {
        Visibility::Visible(asking) => Some(asking),
        Visibility::Hidden(_) => None,
    }
}
