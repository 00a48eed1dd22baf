//! Task ids of servers, as agents see them: bound to the server and the principal, so that an id alone opens nothing.

use toolgate_core::{PrincipalId, RawJson, ServerName};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::with_member;

use crate::messages::seal::Sealer;
use crate::messages::text::quoted;

const PURPOSE: &str = "task";

pub(crate) fn expose(sealer: &Sealer, server: &ServerName, principal: &PrincipalId, own: &str) -> String {
    sealer.seal(PURPOSE, &format!("{server}\n{principal}\n{own}"))
}

/// The object with its `taskId` as the client must see it; `None` if it has none.
pub(crate) fn expose_in(
    sealer: &Sealer,
    server: &ServerName,
    principal: &PrincipalId,
    object: &RawJson,
) -> Option<RawJson> {
    let own = ObjectMembers::of(object).ok()?.get_str("taskId")?.into_owned();
    let exposed = quoted(&expose(sealer, server, principal, &own));
    with_member(object.as_str(), "taskId", &exposed).ok().map(RawJson::from_composed)
}

/// The server and its own id, if the id was given to this principal.
pub(crate) fn resolve(
    sealer: &Sealer,
    principal: &PrincipalId,
    exposed: &str,
) -> Option<(ServerName, String)> {
    let payload = sealer.open(PURPOSE, exposed)?;
    let mut parts = payload.splitn(3, '\n');
    let server = ServerName::new(parts.next()?).ok()?;
    let owner = parts.next()?;
    let own = parts.next()?;
    (owner == principal.as_str()).then(|| (server, own.to_owned()))
}
