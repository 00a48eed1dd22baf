//! A server's `requestState` as the client gets it: of use to one principal and for one server alone, because servers see
//! one caller only and cannot tell principals apart themselves. It also says which call it goes on with.

use toolgate_core::id::CallId;
use toolgate_core::{PrincipalId, RawJson, ServerName};
use toolgate_pipeline::InputRound;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::with_member;

use crate::messages::request_state::SERVERS;
use crate::messages::seal::Sealer;
use crate::messages::text::quoted;

const PURPOSE: &str = "server-state";
const AGREED: &str = "server-state agreed";
/// Stands where there is no call, or none that needed approval.
const NOTHING: &str = "-";
/// Stands where people agreed.
const PEOPLE: &str = "people";

/// The state as it comes back: the server's own, and its call if it has one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OpenedState {
    pub(crate) own: String,
    pub(crate) round: Option<InputRound>,
}

pub(crate) fn seal(
    sealer: &Sealer,
    server: &ServerName,
    principal: &PrincipalId,
    round: Option<&InputRound>,
    own: &str,
) -> String {
    let call = round.map_or(NOTHING, |round| round.call.as_str());
    let number = round.map_or(0, |round| round.number);
    let people = if round.is_some_and(|round| round.approved) { PEOPLE } else { NOTHING };
    // The client can read the state, and is not to guess at arguments by their digest.
    let beside = beside(server, principal, call, number, people, own);
    let agreed = round.map(|round| sealer.masked(AGREED, &beside, round.agreed).to_string());
    let agreed = agreed.unwrap_or(NOTHING.to_owned());
    let payload = format!("{server}\n{principal}\n{call}\n{number}\n{people}\n{agreed}\n{own}");
    format!("{SERVERS}{}", sealer.seal(PURPOSE, &payload))
}

/// A result that asks for input with its `requestState` sealed, so that it is told apart from handles of ours and leads back to
/// its call.
pub(crate) fn seal_in(
    sealer: &Sealer,
    server: &ServerName,
    principal: &PrincipalId,
    round: &InputRound,
    result: &RawJson,
) -> RawJson {
    let state = ObjectMembers::of(result)
        .ok()
        .and_then(|members| members.get_str("requestState").map(|s| s.into_owned()));
    let sealed = state.map(|own| quoted(&seal(sealer, server, principal, Some(round), &own)));
    let marked = sealed.and_then(|state| with_member(result.as_str(), "requestState", &state).ok());
    marked.map_or_else(|| result.clone(), RawJson::from_composed)
}

/// What a state has beside the digest of the arguments.
fn beside(
    server: &ServerName,
    principal: &PrincipalId,
    call: &str,
    number: u32,
    people: &str,
    own: &str,
) -> String {
    format!("{server}\n{principal}\n{call}\n{number}\n{people}\n{own}")
}

/// The state, if it was given to this principal and by this server.
pub(crate) fn open(
    sealer: &Sealer,
    server: &ServerName,
    principal: &PrincipalId,
    sealed: &str,
) -> Option<OpenedState> {
    let payload = sealer.open(PURPOSE, sealed)?;
    let mut parts = payload.splitn(7, '\n');
    let fits = parts.next()? == server.as_str() && parts.next()? == principal.as_str();
    let (call, number) = (parts.next()?, parts.next()?.parse().ok()?);
    let (people, agreed) = (parts.next()?, parts.next()?);
    let own = parts.next()?.to_owned();
    let round = match agreed {
        NOTHING => None,
        agreed => {
            let beside = beside(server, principal, call, number, people, &own);
            let agreed = sealer.masked(AGREED, &beside, agreed.parse().ok()?);
            Some(InputRound { call: CallId::new(call), number, agreed, approved: people == PEOPLE })
        }
    };
    fits.then_some(OpenedState { own, round })
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;

    use super::*;

    #[test]
    fn a_state_opens_for_its_principal_and_server_alone() {
        let sealer = Sealer::new([7; 32]);
        let (files, git) = (ServerName::new("files").unwrap(), ServerName::new("git").unwrap());
        let (one, two) = (PrincipalId::new("one"), PrincipalId::new("two"));
        let round =
            InputRound { call: CallId::new("tc_1"), number: 2, agreed: Digest::of("x"), approved: true };
        let state = seal(&sealer, &files, &one, Some(&round), "own\nlines");
        let sealed = state.strip_prefix(SERVERS).unwrap();
        let opened = open(&sealer, &files, &one, sealed).unwrap();
        assert_eq!(opened, OpenedState { own: "own\nlines".into(), round: Some(round) });
        let readable = sealer.open(PURPOSE, sealed).unwrap();
        assert!(!readable.contains(&Digest::of("x").to_string()), "a client reads it: {readable}");
        assert_eq!(open(&sealer, &git, &one, sealed), None);
        assert_eq!(open(&sealer, &files, &two, sealed), None);
        let plain = seal(&sealer, &files, &one, None, "own");
        let opened = open(&sealer, &files, &one, plain.strip_prefix(SERVERS).unwrap()).unwrap();
        assert_eq!(opened, OpenedState { own: "own".into(), round: None });
    }
}
