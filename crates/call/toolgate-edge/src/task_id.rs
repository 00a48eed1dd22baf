//! Task ids of servers, as agents see them: bound to the server and the principal, so that an id alone opens nothing.

use toolgate_core::{PrincipalId, ServerName};

use crate::seal::Sealer;

const PURPOSE: &str = "task";

pub(crate) fn expose(sealer: &Sealer, server: &ServerName, principal: &PrincipalId, own: &str) -> String {
    sealer.seal(PURPOSE, &format!("{server}\n{principal}\n{own}"))
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
