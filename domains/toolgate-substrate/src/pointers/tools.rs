//! The tools `substrate.pointer.*`.

use std::sync::Arc;

use toolgate_core::Refusal;
use toolgate_core::content::AttachedContents;
use toolgate_core::platform::OldName;
use toolgate_core::pointer::ExpectedHead;
use toolgate_core::tool::ToolTrait;
use toolgate_domain::{Domain, MountRule, ToolContext, ToolDefinition, ToolReply};

use super::arguments::{
    AdvancePointerArguments, CreatePointerArguments, DeletePointerArguments, PromotePointerArguments,
    ResolvePointerArguments, RevertPointerArguments, changeable_path, expected, path,
};
use super::finding::find;
use super::output::{MovedPointerOutput, PointerOutput, refs};
use super::{listing, moving, plan, shown};
use crate::limits::FLAT_NAMES_END_MS;
use crate::state::Substrate;

const NAMED: MountRule = MountRule::NamedPointer { namespace: "namespace", name: "name" };
const MOVES: &[ToolTrait] = &[ToolTrait::PointerMove];

const LIST: ToolDefinition = ToolDefinition::reads(
    "substrate.pointer.list",
    "List pointers",
    "Lists pointers: names that lead to a manifest. Sorted by namespace and name.",
)
.mount(MountRule::ListedPointers)
.old_names(&[OldName { name: "list_pointers", until_ms: FLAT_NAMES_END_MS }]);

const RESOLVE: ToolDefinition = ToolDefinition::reads(
    "substrate.pointer.resolve",
    "Resolve a pointer",
    "Shows a pointer and the manifest that it leads to.",
)
.mount(NAMED)
.old_names(&[OldName { name: "resolve_pointer", until_ms: FLAT_NAMES_END_MS }]);

const HISTORY: ToolDefinition = ToolDefinition::reads(
    "substrate.pointer.history",
    "Show the moves of a pointer",
    "Lists the moves of a pointer, the last first: old and new manifest, who, when, why. Also of a deleted one.",
)
.mount(NAMED);

const CREATE: ToolDefinition = ToolDefinition::writes(
    "substrate.pointer.create",
    "Create a pointer",
    "Creates a pointer. A bundle moves freely, a corpus when people agree, a snapshot never.",
)
.mount(NAMED)
.traits(MOVES)
.old_names(&[OldName { name: "create_pointer", until_ms: FLAT_NAMES_END_MS }]);

const ADVANCE: ToolDefinition = ToolDefinition::writes(
    "substrate.pointer.advance",
    "Move a pointer",
    "Moves a bundle to another manifest. With expected_sha256 it moves only if it still leads there. A corpus is promoted instead.",
)
.mount(NAMED)
.traits(MOVES)
.old_names(&[OldName { name: "advance_pointer", until_ms: FLAT_NAMES_END_MS }]);

const PROMOTE: ToolDefinition = ToolDefinition::writes(
    "substrate.pointer.promote",
    "Promote to a corpus",
    "Moves a corpus to a manifest, or to that of a bundle. People are shown the difference, and agree first.",
)
.mount(NAMED)
.traits(&[ToolTrait::Promotion]);

const REVERT: ToolDefinition = ToolDefinition::writes(
    "substrate.pointer.revert",
    "Revert a pointer",
    "Moves a pointer back to a manifest of its own history.",
)
.mount(NAMED)
.traits(MOVES);

const DELETE: ToolDefinition = ToolDefinition::destroys(
    "substrate.pointer.delete",
    "Delete a pointer",
    "Deletes a pointer. Its history stays, and its name is free.",
)
.mount(NAMED)
.traits(MOVES);

pub(crate) fn add(domain: Domain<Substrate>) -> Domain<Substrate> {
    domain
        .tool(LIST, listing::list)
        .tool(RESOLVE, resolve)
        .tool(HISTORY, listing::history)
        .tool(CREATE, create)
        .prepared_tool(ADVANCE, prepare_advance, advance)
        .prepared_tool(PROMOTE, prepare_promote, promote)
        .prepared_tool(REVERT, prepare_revert, revert)
        .prepared_tool(DELETE, prepare_delete, delete)
}

async fn resolve(
    substrate: Arc<Substrate>,
    _context: ToolContext,
    arguments: ResolvePointerArguments,
) -> Result<ToolReply<PointerOutput>, Refusal> {
    let pointer = find(&substrate, &path(&arguments.namespace, &arguments.name)?).await?;
    Ok(ToolReply::new(PointerOutput::from(&pointer)).refs(refs(&pointer)))
}

async fn create(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: CreatePointerArguments,
) -> Result<ToolReply<PointerOutput>, Refusal> {
    let pointer = moving::create(&substrate, &context, arguments).await?;
    Ok(ToolReply::new(PointerOutput::from(&pointer)).refs(refs(&pointer)))
}

async fn prepare_advance(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: AdvancePointerArguments,
) -> Result<AttachedContents, Refusal> {
    shown::attach_move(&substrate, &context, &plan::advance(&substrate, &arguments).await?).await
}

async fn advance(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: AdvancePointerArguments,
) -> Result<ToolReply<MovedPointerOutput>, Refusal> {
    let plan = plan::advance(&substrate, &arguments).await?;
    carry_out(&substrate, &context, plan, arguments.reason).await
}

async fn prepare_promote(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: PromotePointerArguments,
) -> Result<AttachedContents, Refusal> {
    let plan = plan::promote(&substrate, &context, &arguments).await?;
    shown::attach_move(&substrate, &context, &plan).await
}

async fn promote(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: PromotePointerArguments,
) -> Result<ToolReply<MovedPointerOutput>, Refusal> {
    let plan = plan::promote(&substrate, &context, &arguments).await?;
    carry_out(&substrate, &context, plan, arguments.reason).await
}

async fn prepare_revert(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: RevertPointerArguments,
) -> Result<AttachedContents, Refusal> {
    let plan = plan::revert(&substrate, &context, &arguments).await?;
    shown::attach_move(&substrate, &context, &plan).await
}

async fn revert(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: RevertPointerArguments,
) -> Result<ToolReply<MovedPointerOutput>, Refusal> {
    let plan = plan::revert(&substrate, &context, &arguments).await?;
    carry_out(&substrate, &context, plan, arguments.reason).await
}

async fn carry_out(
    substrate: &Substrate,
    context: &ToolContext,
    plan: plan::PlannedMove,
    reason: Option<String>,
) -> Result<ToolReply<MovedPointerOutput>, Refusal> {
    let moved = moving::carry_out(substrate, context, plan, reason).await?;
    Ok(ToolReply::new(MovedPointerOutput::from(&moved)).refs(refs(&moved.pointer)))
}

async fn prepare_delete(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: DeletePointerArguments,
) -> Result<AttachedContents, Refusal> {
    let pointer = find(&substrate, &changeable_path(&arguments.namespace, &arguments.name)?).await?;
    shown::attach_end(&substrate, &context, &pointer, expected_end(&arguments)?).await
}

async fn delete(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: DeletePointerArguments,
) -> Result<ToolReply<MovedPointerOutput>, Refusal> {
    let pointer = find(&substrate, &changeable_path(&arguments.namespace, &arguments.name)?).await?;
    let expected = expected_end(&arguments)?;
    let deleted = moving::delete(&substrate, &context, &pointer, expected, arguments.reason).await?;
    Ok(ToolReply::new(MovedPointerOutput::from(&deleted)).refs(refs(&deleted.pointer)))
}

fn expected_end(arguments: &DeletePointerArguments) -> Result<ExpectedHead, Refusal> {
    let given = expected(arguments.expected_sha256.as_deref())?;
    Ok(given.map_or(ExpectedHead::Any, |manifest| ExpectedHead::Exactly(Some(manifest))))
}
