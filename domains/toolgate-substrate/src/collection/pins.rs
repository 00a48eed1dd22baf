//! Pins: `substrate.manifest.pin` and `unpin`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::platform::ObjectRef;
use toolgate_core::{Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, PINS_MAX, PinError};

use crate::digests;
use crate::refusal::{self, unknown_manifest};
use crate::state::Substrate;

/// The longest reason of a pin.
const REASON_BYTES_MAX: usize = 1_000;

pub(super) const PIN: ToolDefinition = ToolDefinition::writes(
    "substrate.manifest.pin",
    "Pin a manifest",
    "Keeps a manifest and everything in it, although no pointer or run leads to it.",
)
.idempotent();

pub(super) const UNPIN: ToolDefinition = ToolDefinition::writes(
    "substrate.manifest.unpin",
    "Unpin a manifest",
    "Removes your pin from a manifest. If nothing else leads to it, it is collected after a while.",
)
.idempotent();

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
    let unpinned = substrate.books.unpin_manifest(&manifest, context.now_ms, &by).await;
    let is_changed = unpinned.map_err(refusal::down)?;
    let output = PinOutput { sha256: manifest.to_string(), is_pinned: false, is_changed };
    Ok(ToolReply::new(output).refs([ObjectRef::Manifest { sha256: manifest.digest() }]))
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
