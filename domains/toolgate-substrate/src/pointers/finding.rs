//! Finding a pointer by its name.

use toolgate_core::Refusal;
use toolgate_core::pointer::{Pointer, PointerPath};

use super::refusal::unknown;
use crate::refusal::down;
use crate::state::Substrate;

/// The pointer of this name. The frame has checked the mounts.
pub(super) async fn find(substrate: &Substrate, path: &PointerPath) -> Result<Pointer, Refusal> {
    let found = substrate.store.pointer_named(path).await.map_err(down)?;
    found.ok_or_else(|| unknown(path))
}
