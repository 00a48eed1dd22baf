//! Pins: `substrate.manifest.pin`, `unpin` and `pins`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{PrincipalId, Refusal, Role, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, ManifestPin, PINS_MAX, PinError, PinFilter};

use crate::digests;
use crate::limits::{PAGE_MAX, PAGE_USUAL};
use crate::refusal::{self, unknown_manifest};
use crate::state::Substrate;

/// The longest reason of a pin.
const REASON_BYTES_MAX: usize = 1_000;
/// Stands between the parts of a cursor; no digest has it.
const BETWEEN: char = '/';

pub(super) const PIN: ToolDefinition = ToolDefinition::writes(
    "substrate.manifest.pin",
    "Pin a manifest",
    "Keeps a manifest and everything in it, although no pointer or run leads to it.",
)
.idempotent();

pub(super) const UNPIN: ToolDefinition = ToolDefinition::writes(
    "substrate.manifest.unpin",
    "Unpin a manifest",
    "Removes your pin from a manifest, or that of another principal if you are an operator. If nothing else leads to it, it is collected after a while.",
)
.idempotent();

pub(super) const PINS: ToolDefinition = ToolDefinition::reads(
    "substrate.manifest.pins",
    "List pins",
    "Lists the manifests that you have pinned. Operators see the pins of everyone.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct PinManifestArguments {
    /// The digest of the manifest
    sha256: String,
    /// Why it must stay
    #[serde(default)]
    #[schemars(length(max = REASON_BYTES_MAX))]
    reason: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct UnpinManifestArguments {
    /// The digest of the manifest
    sha256: String,
    /// The principal whose pin it is, if it is not yours
    principal: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListPinsArguments {
    /// Only the pins of this principal
    principal: Option<String>,
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: u16,
    /// next_cursor of the page before
    cursor: Option<String>,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListPinsOutput {
    pins: Vec<ListedPin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ListedPin {
    sha256: String,
    principal: String,
    reason: String,
    pinned_at: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PinOutput {
    sha256: String,
    is_pinned: bool,
    /// False if it was so before
    is_changed: bool,
}

pub(super) async fn pin(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: PinManifestArguments,
) -> Result<ToolReply<PinOutput>, Refusal> {
    let manifest = digests::read_manifest(&arguments.sha256, "sha256")?;
    if arguments.reason.len() > REASON_BYTES_MAX {
        let message = format!("the reason has more than {REASON_BYTES_MAX} bytes");
        return Err(refusal::invalid(message, "say it in fewer words"));
    }
    let by = Actor::of(&context.holder);
    let pinned = substrate.books.pin_manifest(&manifest, &arguments.reason, context.now_ms, &by).await;
    let is_changed = pinned.map_err(not_pinned)?;
    let output = PinOutput { sha256: manifest.to_string(), is_pinned: true, is_changed };
    Ok(ToolReply::new(output).refs([ObjectRef::Manifest { sha256: manifest.digest() }]))
}

pub(super) async fn unpin(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: UnpinManifestArguments,
) -> Result<ToolReply<PinOutput>, Refusal> {
    let manifest = digests::read_manifest(&arguments.sha256, "sha256")?;
    let by = Actor::of(&context.holder);
    let of = pinner(&context, arguments.principal)?.unwrap_or_else(|| by.principal.clone());
    let unpinned = substrate.books.unpin_manifest(&manifest, &of, context.now_ms, &by).await;
    let is_changed = unpinned.map_err(refusal::down)?;
    let output = PinOutput { sha256: manifest.to_string(), is_pinned: false, is_changed };
    Ok(ToolReply::new(output).refs([ObjectRef::Manifest { sha256: manifest.digest() }]))
}

pub(super) async fn list(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: ListPinsArguments,
) -> Result<ToolReply<ListPinsOutput>, Refusal> {
    let named = pinner(&context, arguments.principal)?;
    let principal = if runs_gateway(&context) { named } else { Some(context.principal().id.clone()) };
    let after = arguments.cursor.as_deref().map(read_cursor).transpose()?;
    let limit = arguments.limit.clamp(1, PAGE_MAX);
    let pins = substrate.store.pins(&PinFilter { principal, after }, limit).await.map_err(refusal::down)?;
    let (shown, is_cut) = substrate.answer_room().fit(pins.iter().map(ListedPin::from));
    let has_more = is_cut || pins.len() == usize::from(limit);
    let pins = &pins[..shown.len()];
    let last = pins.last().filter(|_| has_more);
    let next_cursor = last.map(|last| format!("{}{BETWEEN}{}", last.manifest, last.principal));
    let refs: Vec<ObjectRef> =
        pins.iter().map(|pin| ObjectRef::Manifest { sha256: pin.manifest.digest() }).collect();
    Ok(ToolReply::new(ListPinsOutput { pins: shown, next_cursor }).refs(refs))
}

impl From<&ManifestPin> for ListedPin {
    fn from(pin: &ManifestPin) -> Self {
        Self {
            sha256: pin.manifest.to_string(),
            principal: pin.principal.to_string(),
            reason: pin.reason.clone(),
            pinned_at: rfc3339(pin.at_ms),
        }
    }
}

fn read_cursor(text: &str) -> Result<(ManifestDigest, PrincipalId), Refusal> {
    let (manifest, principal) = text.split_once(BETWEEN).ok_or_else(|| refusal::bad_cursor(text))?;
    let manifest = digests::read_manifest(manifest, "cursor").map_err(|_| refusal::bad_cursor(text))?;
    Ok((manifest, PrincipalId::new(principal)))
}

/// The principal that a call names. Only those who run the gateway name another one than themselves.
fn pinner(context: &ToolContext, named: Option<String>) -> Result<Option<PrincipalId>, Refusal> {
    let named = named.map(|name| PrincipalId::new(&name));
    let is_other = named.as_ref().is_some_and(|one| *one != context.principal().id);
    if is_other && !runs_gateway(context) {
        let message = "the pins of others are for admins and operators";
        return Err(Refusal::new(&codes::OPERATORS_ONLY, message).field("principal"));
    }
    Ok(named)
}

fn runs_gateway(context: &ToolContext) -> bool {
    matches!(context.principal().role, Role::Admin | Role::Operator)
}

fn not_pinned(error: PinError) -> Refusal {
    match error {
        PinError::UnknownManifest(digest) => unknown_manifest(&digest),
        PinError::TooMany => {
            let message = format!("you have pinned {PINS_MAX} manifests, and no more are allowed");
            Refusal::new(&codes::TOO_MANY_PINS, message)
        }
        PinError::Store(error) => refusal::down(error),
    }
}
