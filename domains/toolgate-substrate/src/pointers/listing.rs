//! Pages of pointers and of their moves. What the session has not mounted is left out.

use std::sync::Arc;

use toolgate_core::id::PointerId;
use toolgate_core::platform::ObjectRef;
use toolgate_core::pointer::{Pointer, PointerPath};
use toolgate_core::scope::NamePattern;
use toolgate_core::{Refusal, codes};
use toolgate_domain::{ToolContext, ToolReply};
use toolgate_store::{POINTERS_PAGE_MAX, PointerFilter};

use super::arguments::{ListPointersArguments, PAGE_MAX, PointerHistoryArguments, kind, path};
use super::output::{ListPointersOutput, PointerHistoryOutput, PointerMoveOutput, PointerOutput, refs};
use super::refusal::unknown;
use crate::refusal::{bad_cursor, down};
use crate::state::Substrate;

/// Rows that one call looks through are a limited number of pages. The next call goes on where it ended.
const SCANNED_PAGES_MAX: usize = 10;
const EVERYTHING: &str = "*";
const WILD: [char; 2] = ['*', '?'];

/// The pointers that a call asks for.
struct PointerSelection {
    pattern: NamePattern,
    /// Every namespace that fits begins with this.
    beginning: String,
    limit: usize,
}

/// The pointers that were found, and the last one that was looked at if there may be more.
struct PointerPage {
    pointers: Vec<Pointer>,
    next: Option<PointerId>,
}

pub(super) async fn list(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: ListPointersArguments,
) -> Result<ToolReply<ListPointersOutput>, Refusal> {
    let text = arguments.namespace.as_deref().unwrap_or(EVERYTHING);
    let pattern = NamePattern::new(text).map_err(|error| {
        Refusal::new(&codes::BAD_POINTER, error.to_string()).hint("such as project/*").field("namespace")
    })?;
    let beginning = text.split(WILD).next().unwrap_or_default().to_owned();
    let filter = PointerFilter {
        kind: arguments.pointer_type.as_deref().map(kind).transpose()?,
        from_namespace: beginning.clone(),
        after: after(&substrate, arguments.cursor.as_deref()).await?,
    };
    let limit = usize::from(arguments.limit.clamp(1, PAGE_MAX));
    let page = look(&substrate, &context, PointerSelection { pattern, beginning, limit }, filter).await?;
    let (pointers, is_cut) = substrate.answer_room().fit(page.pointers.iter().map(PointerOutput::from));
    let shown = &page.pointers[..pointers.len()];
    let next = if is_cut { shown.last().map(|one| one.id.clone()) } else { page.next };
    let refs: Vec<ObjectRef> = shown.iter().map(|one| ObjectRef::Pointer { id: one.id.clone() }).collect();
    let next_cursor = next.map(|id| id.to_string());
    Ok(ToolReply::new(ListPointersOutput { pointers, next_cursor }).refs(refs))
}

/// A cursor is the id of a pointer: it may be one that the caller does not see, and must not show its name.
async fn after(substrate: &Substrate, cursor: Option<&str>) -> Result<Option<PointerPath>, Refusal> {
    let Some(cursor) = cursor else { return Ok(None) };
    let found = substrate.store.pointer(&PointerId::new(cursor)).await.map_err(down)?;
    found.map(|pointer| Some(pointer.path)).ok_or_else(|| bad_cursor(cursor))
}

async fn look(
    substrate: &Substrate,
    context: &ToolContext,
    wanted: PointerSelection,
    mut filter: PointerFilter,
) -> Result<PointerPage, Refusal> {
    let mut page = PointerPage { pointers: Vec::new(), next: None };
    for _ in 0..SCANNED_PAGES_MAX {
        let read = substrate.store.pointers(&filter, POINTERS_PAGE_MAX).await;
        let read = read.map_err(down)?;
        let is_last = read.len() < POINTERS_PAGE_MAX;
        let Some(end) = read.last().map(|one| (one.id.clone(), one.path.clone())) else {
            return Ok(PointerPage { next: None, ..page });
        };
        let is_past = !end.1.namespace().starts_with(&wanted.beginning);
        let is_wanted = |one: &Pointer| {
            let path = &one.path;
            wanted.pattern.matches(path.namespace()) && context.sees_pointer(path.namespace(), path.name())
        };
        page.pointers.extend(read.into_iter().filter(is_wanted));
        if page.pointers.len() > wanted.limit {
            page.pointers.truncate(wanted.limit);
            let next = page.pointers.last().map(|one| one.id.clone());
            return Ok(PointerPage { next, ..page });
        }
        if is_last || is_past {
            return Ok(PointerPage { next: None, ..page });
        }
        (page.next, filter.after) = (Some(end.0), Some(end.1));
    }
    Ok(page)
}

pub(super) async fn history(
    substrate: Arc<Substrate>,
    _context: ToolContext,
    arguments: PointerHistoryArguments,
) -> Result<ToolReply<PointerHistoryOutput>, Refusal> {
    let path = path(&arguments.namespace, &arguments.name)?;
    let pointer = ever(&substrate, &path, arguments.pointer_id).await?;
    let before = arguments.cursor.as_deref().map(|text| text.parse::<u64>().map_err(|_| bad_cursor(text)));
    let limit = usize::from(arguments.limit.clamp(1, PAGE_MAX));
    let moves = substrate.store.pointer_moves(&pointer.id, before.transpose()?, limit).await;
    let moves = moves.map_err(down)?;
    let (shown, _) = substrate.answer_room().fit(moves.iter().map(PointerMoveOutput::from));
    // Moves are numbered from 1 without a gap.
    let last = moves[..shown.len()].last();
    let next = last.map(|last| last.version).filter(|version| *version > 1);
    let output = PointerHistoryOutput {
        pointer: PointerOutput::from(&pointer),
        moves: shown,
        next_cursor: next.map(|version| version.to_string()),
    };
    Ok(ToolReply::new(output).refs(refs(&pointer)))
}

/// The pointer of this name and id, or the last one that had the name.
async fn ever(substrate: &Substrate, path: &PointerPath, id: Option<String>) -> Result<Pointer, Refusal> {
    let store = &substrate.store;
    let found = match id {
        Some(id) => store.pointer(&PointerId::new(id)).await,
        None => store.pointer_ever_named(path).await,
    };
    let found = found.map_err(down)?;
    found.filter(|pointer| pointer.path == *path).ok_or_else(|| unknown(path))
}
