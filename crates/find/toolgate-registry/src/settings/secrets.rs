//! The addresses to which servers of the setting `mcp_servers` send secrets of the vault. Operators set
//! addresses, and could read every secret by setting their own: a secret goes only where an admin, the
//! operator's file or the person who stored it allowed.

use std::collections::BTreeSet;

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::{Refusal, ServerName};
use toolgate_store::{SealedSecret, SecretOrigin, SecretOwner};

use super::address::origin_of;
use crate::source::FileSecret;

const OPENING: &str = "${vault:";
const CLOSING: char = '}';

/// The stored secrets, and the addresses they may be sent to.
pub(crate) struct HeldSecrets<'a> {
    pub(crate) stored: Vec<SealedSecret>,
    pub(crate) origins: Vec<SecretOrigin>,
    pub(crate) outside: &'a [FileSecret],
}

/// The secrets that `after` sends somewhere and `before` did not.
pub(crate) fn newly_sent(before: &Value, after: &Value) -> Vec<SecretOrigin> {
    let before = sent(before);
    let new = sent(after).into_iter().filter(|one| !before.contains(one));
    let read = |(server, name, origin): (String, String, String)| {
        Some(SecretOrigin { server: ServerName::new(&server).ok()?, whose: SecretOwner::All, name, origin })
    };
    new.filter_map(read).collect()
}

/// Server, name of the secret and origin, including disabled servers: enabling one says nothing about its
/// address.
fn sent(value: &Value) -> BTreeSet<(String, String, String)> {
    let mut sent = BTreeSet::new();
    for entry in value.as_array().into_iter().flatten() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        // An API is at its own address, or on the origin of its document.
        let address = text("url").or_else(|| text("base_url")).or_else(|| text("openapi"));
        let (Some(server), Some(origin)) = (text("name"), address.and_then(origin_of)) else { continue };
        let maps =
            ["headers", "query"].into_iter().filter_map(|key| entry.get(key).and_then(Value::as_object));
        let values = maps.flat_map(|map| map.values().filter_map(Value::as_str));
        for name in values.flat_map(named) {
            sent.insert((server.to_owned(), name.to_owned(), origin.clone()));
        }
    }
    sent
}

/// The secrets that a text names.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(OPENING).skip(1);
    parts.filter_map(|part| part.split_once(CLOSING)).map(|(name, _)| name.trim())
}

/// Checks that all of it was allowed before. A secret that is not stored yet can be named: the person who
/// stores it decides.
pub(crate) fn check(wanted: &[SecretOrigin], held: &HeldSecrets<'_>) -> Result<(), Refusal> {
    match wanted.iter().find(|one| !held.allows(one)) {
        None => Ok(()),
        Some(SecretOrigin { server, name, origin, .. }) => {
            let message = format!("the secret {name} of server {server:?} may not be sent to {origin}");
            let hint = format!(
                "an admin allows it with `toolgate secrets allow {server} {name} {origin}`, or sets the server themselves"
            );
            Err(Refusal::new(&codes::SECRET_BOUND, message).field("value").hint(hint))
        }
    }
}

impl HeldSecrets<'_> {
    fn allows(&self, SecretOrigin { server, name, origin, .. }: &SecretOrigin) -> bool {
        let is_it = |one: &&SealedSecret| one.server == *server && one.name == *name;
        let may_go = |one: &SealedSecret| {
            self.origins.iter().any(|known| known.allows(server, one.principal.as_ref(), name, origin))
        };
        let mut outside = self.outside.iter().filter(|one| one.server == *server && one.name == *name);
        let by_admin = || {
            self.origins
                .iter()
                .any(|known| known.whose == SecretOwner::All && known.allows(server, None, name, origin))
        };
        let may_go_outside = |one: &FileSecret| {
            one.origins.iter().any(|known| known == origin || known == SecretOrigin::ANYWHERE) || by_admin()
        };
        self.stored.iter().filter(is_it).all(may_go) && outside.all(may_go_outside)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolgate_core::PrincipalId;

    use super::*;

    fn entry(url: &str, header: &str) -> Value {
        json!([{ "name": "mail", "url": url, "headers": { "Authorization": header } }])
    }

    fn mail() -> ServerName {
        ServerName::new("mail").expect("a name")
    }

    fn stored(principal: Option<&str>) -> SealedSecret {
        let principal = principal.map(PrincipalId::new);
        SealedSecret { server: mail(), principal, name: "A".into(), created_at_ms: 0, updated_at_ms: 0 }
    }

    fn origin(whose: SecretOwner, origin: &str) -> SecretOrigin {
        SecretOrigin { server: mail(), whose, name: "A".into(), origin: origin.into() }
    }

    #[test]
    fn only_what_is_sent_elsewhere_than_before_is_news() {
        let before = entry("https://one.example/mcp", "Bearer ${vault:A}");
        let told = |after: &Value| -> Vec<String> {
            newly_sent(&before, after).into_iter().map(|one| format!("{} {}", one.name, one.origin)).collect()
        };
        assert_eq!(told(&before), [""; 0]);
        assert_eq!(told(&entry("https://one.example/other", "Token ${vault: A }")), [""; 0]);
        assert_eq!(told(&entry("https://one.example:8443/", "${vault:A}")), ["A https://one.example:8443"]);
        assert_eq!(told(&entry("https://one.example/", "${vault:A} ${vault:B}")), ["B https://one.example"]);
        assert_eq!(told(&json!([])), [""; 0]);
    }

    #[test]
    fn every_secret_of_the_name_must_be_allowed_there() {
        let wanted = newly_sent(&json!([]), &entry("https://one.example/mcp", "${vault:A}"));
        let may = |stored: Vec<SealedSecret>, origins: Vec<SecretOrigin>, outside: &[FileSecret]| {
            check(&wanted, &HeldSecrets { stored, origins, outside }).is_ok()
        };
        let (all, one) = (|place: &str| origin(SecretOwner::All, place), "https://one.example");
        let ann = || Some(PrincipalId::new("ann"));
        assert!(may(vec![], vec![], &[]), "nobody has stored it yet");
        assert!(!may(vec![stored(None)], vec![], &[]));
        assert!(!may(vec![stored(None)], vec![all("https://two.example")], &[]));
        assert!(may(vec![stored(None), stored(Some("ann"))], vec![all(one)], &[]));
        assert!(may(vec![stored(None)], vec![all("*")], &[]));
        assert!(may(vec![stored(Some("ann"))], vec![origin(SecretOwner::One(ann()), one)], &[]));
        assert!(!may(
            vec![stored(None), stored(Some("ann"))],
            vec![origin(SecretOwner::One(ann()), one)],
            &[]
        ));
        let outside = |origins: &[&str]| {
            let origins = origins.iter().map(ToString::to_string).collect();
            [FileSecret { server: mail(), name: "A".into(), origins }]
        };
        assert!(!may(vec![], vec![], &outside(&[])));
        assert!(may(vec![], vec![], &outside(&[one])) && may(vec![], vec![all(one)], &outside(&[])));
        assert!(
            !may(vec![], vec![origin(SecretOwner::One(None), one)], &outside(&[])),
            "that was another value"
        );
    }
}
