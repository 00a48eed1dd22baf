//! The use of each id in the arguments: it fills an argument, or is passed on.

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::content::Notice;
use toolgate_core::file::Ref;
use toolgate_core::id::{FileId, RefId};
use toolgate_core::{Refusal, ServerName, Tool};

use super::scan::{IdMention, MentionRole};
use crate::files::FoundContent;
use crate::refusal::{UnknownContent, unknown};

/// The result of looking up an id.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum LookupOutcome {
    Here(FoundContent),
    /// Contents of servers under this id. Newest first; never empty.
    AtServers(Vec<Ref>),
    Nothing,
}

/// An id whose bytes are needed.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PlannedItem {
    /// Its place among all ids of the call.
    pub(super) order: usize,
    pub(super) place: String,
    pub(super) id: String,
    pub(super) source: ContentSource,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum ContentSource {
    Here(FoundContent),
    /// The contents of one server under this id. Newest first; never empty.
    Server(Vec<Ref>),
}

/// The content of one slot.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SlotFill {
    /// The place of the slot among the tool's.
    pub(super) slot: usize,
    /// The argument that it replaces.
    pub(super) argument: String,
    pub(super) items: Vec<PlannedItem>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ExpansionPlan {
    pub(super) fills: Vec<SlotFill>,
    /// The ids that are passed on and known here.
    pub(super) passed: Vec<PlannedItem>,
    /// Ids that the server itself writes shorter: place and id.
    pub(super) rewritten: Vec<(String, String)>,
    pub(super) notices: Vec<Notice>,
}

/// Decides on every id. `looked` has the lookup of each mention.
pub(super) fn plan(
    tool: &Tool,
    arguments: &Value,
    mentions: Vec<IdMention>,
    looked: Vec<LookupOutcome>,
) -> Result<ExpansionPlan, Refusal> {
    let free = free_slot(tool, arguments);
    let mut planner = ExpansionPlanner { tool, free, plan: ExpansionPlan::default() };
    for (order, (mention, looked)) in mentions.into_iter().zip(looked).enumerate() {
        match mention.role.clone() {
            MentionRole::Slot(slot) if tool.handling.files[slot].expands() => {
                let item = planner.item(order, mention, looked)?;
                planner.fill(slot, &tool.handling.files[slot].argument, item);
            }
            MentionRole::Slot(_) => planner.pass_in_slot(order, mention, looked)?,
            MentionRole::Argument(key) => planner.loose(order, &key, mention, looked)?,
            MentionRole::Within(key) => planner.pass(order, &key, mention, looked),
        }
    }
    Ok(planner.plan)
}

/// The only slot of a tool, if its id and everything that it fills in are missing.
fn free_slot(tool: &Tool, arguments: &Value) -> Option<usize> {
    let mut expanding = tool.handling.files.iter().enumerate().filter(|(_, slot)| slot.expands());
    let (at, slot) = expanding.next().filter(|_| expanding.next().is_none())?;
    let is_given = |name: &String| arguments.get(name).is_some_and(|value| !value.is_null());
    (!std::iter::once(&slot.argument).chain(slot.filled()).any(is_given)).then_some(at)
}

struct ExpansionPlanner<'a> {
    tool: &'a Tool,
    free: Option<usize>,
    plan: ExpansionPlan,
}

impl ExpansionPlanner<'_> {
    fn fill(&mut self, slot: usize, argument: &str, item: PlannedItem) {
        match self.plan.fills.iter_mut().find(|fill| fill.slot == slot && fill.argument == argument) {
            Some(fill) => fill.items.push(item),
            None => self.plan.fills.push(SlotFill { slot, argument: argument.to_owned(), items: vec![item] }),
        }
    }

    fn item(&self, order: usize, mention: IdMention, looked: LookupOutcome) -> Result<PlannedItem, Refusal> {
        let source = source(Some(self.tool), &mention, looked)?;
        Ok(PlannedItem { order, place: mention.place, id: mention.id, source })
    }

    /// An id in an argument that no slot knows of.
    fn loose(
        &mut self,
        order: usize,
        key: &str,
        mention: IdMention,
        looked: LookupOutcome,
    ) -> Result<(), Refusal> {
        let is_own = matches!(&looked, LookupOutcome::AtServers(refs) if self.own(refs).is_some());
        match self.free {
            Some(slot) if !is_own && looked != LookupOutcome::Nothing => {
                let item = self.item(order, mention, looked)?;
                self.fill(slot, key, item);
                self.free = None;
            }
            _ => self.pass(order, key, mention, looked),
        }
        Ok(())
    }

    fn pass(&mut self, order: usize, key: &str, mention: IdMention, looked: LookupOutcome) {
        if let LookupOutcome::AtServers(refs) = &looked
            && self.pass_own(&mention, refs)
        {
            return;
        }
        if looked != LookupOutcome::Nothing || is_ours(&mention.id) {
            self.plan.notices.push(self.not_mapped(key, &mention, &looked));
        }
        self.note(order, mention, looked);
    }

    /// A slot that passes ids on does not check them, but does not pass on another principal's files.
    fn pass_in_slot(
        &mut self,
        order: usize,
        mention: IdMention,
        looked: LookupOutcome,
    ) -> Result<(), Refusal> {
        if looked == LookupOutcome::Nothing && is_ours(&mention.id) {
            return Err(unknown_id(&mention));
        }
        if let LookupOutcome::AtServers(refs) = &looked {
            self.pass_own(&mention, refs);
        }
        self.note(order, mention, looked);
        Ok(())
    }

    fn note(&mut self, order: usize, mention: IdMention, looked: LookupOutcome) {
        if let LookupOutcome::Here(found) = looked {
            let source = ContentSource::Here(found);
            self.plan.passed.push(PlannedItem { order, place: mention.place, id: mention.id, source });
        }
    }

    /// The tool's own server gets its own id. `false` if it is not one of its own.
    fn pass_own(&mut self, mention: &IdMention, refs: &[Ref]) -> bool {
        let Some(own) = self.own(refs).map(str::to_owned) else { return false };
        if own != mention.id {
            self.plan.rewritten.push((mention.place.clone(), own));
        }
        true
    }

    fn own<'r>(&self, refs: &'r [Ref]) -> Option<&'r str> {
        let mut origins = refs.iter().filter_map(|one| one.origin.as_ref());
        origins.find(|origin| origin.server == self.tool.server).map(|origin| origin.own.as_str())
    }

    fn not_mapped(&self, key: &str, mention: &IdMention, looked: &LookupOutcome) -> Notice {
        let (id, name) = (&mention.id, self.tool.name.as_str());
        let message = match looked {
            LookupOutcome::Nothing => {
                format!("`{key}` holds {id}, which names nothing here, and is passed on as it is")
            }
            _ if self.tool.handling.files.is_empty() => format!(
                "`{key}` holds {id} and is passed on as it is: tool {name} has no file strategy. To give it the \
                 content instead, an operator sets one: [[tools]] name = \"{name}\" file_strategy = \"binary_base64\""
            ),
            _ => format!(
                "`{key}` holds {id} and is passed on as it is: no file strategy of tool {name} is for `{key}`. It \
                 takes files in {}",
                self.slots()
            ),
        };
        Notice { code: &codes::FILE_NOT_MAPPED, message }
    }

    fn slots(&self) -> String {
        let names = self.tool.handling.files.iter().map(|slot| format!("`{}`", slot.argument));
        names.collect::<Vec<String>>().join(", ")
    }
}

/// The source of the bytes of an id, for a tool or for the caller itself.
pub(super) fn source(
    tool: Option<&Tool>,
    mention: &IdMention,
    looked: LookupOutcome,
) -> Result<ContentSource, Refusal> {
    match looked {
        LookupOutcome::Here(found) => Ok(ContentSource::Here(found)),
        LookupOutcome::AtServers(refs) => of_one_server(tool, mention, refs).map(ContentSource::Server),
        LookupOutcome::Nothing => Err(unknown_id(mention)),
    }
}

/// The contents of one server under this id: the tool's own, or the only one.
fn of_one_server(tool: Option<&Tool>, mention: &IdMention, mut refs: Vec<Ref>) -> Result<Vec<Ref>, Refusal> {
    let mut servers: Vec<&ServerName> = refs.iter().filter_map(server_of).collect();
    servers.sort_unstable();
    servers.dedup();
    let own = tool.map(|tool| &tool.server).filter(|own| servers.contains(own));
    let server = match (own, servers.as_slice()) {
        (Some(own), _) => own.clone(),
        (None, [server]) => (*server).clone(),
        (None, servers) => return Err(ambiguous(mention, servers)),
    };
    refs.retain(|one| server_of(one) == Some(&server));
    Ok(refs)
}

fn server_of(one: &Ref) -> Option<&ServerName> {
    one.origin.as_ref().map(|origin| &origin.server)
}

/// True if an id looks like one of this gateway.
fn is_ours(id: &str) -> bool {
    [FileId::PREFIX, RefId::PREFIX].iter().any(|prefix| id.starts_with(prefix))
}

fn unknown_id(mention: &IdMention) -> Refusal {
    let what = match mention.id.as_str() {
        id if id.starts_with(FileId::PREFIX) => UnknownContent::File,
        id if id.starts_with("sha256:") => UnknownContent::Artifact,
        _ => UnknownContent::Ref,
    };
    unknown(what, &mention.id).field(&mention.place)
}

fn ambiguous(mention: &IdMention, servers: &[&ServerName]) -> Refusal {
    let id = &mention.id;
    let names: Vec<String> = servers.iter().map(|server| format!("`{server}:{id}`")).collect();
    let message = format!("{} servers call something {id}", servers.len());
    Refusal::new(&codes::AMBIGUOUS_REF, message)
        .hint(format!("say whose is meant: {}", names.join(" or ")))
        .field(&mention.place)
}

#[cfg(test)]
mod tests;
