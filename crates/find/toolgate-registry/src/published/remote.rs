//! A remote as a server with an address. Its secrets go into headers, from the vault.

use std::collections::BTreeMap;

use toolgate_core::address::AddressRules;

use super::entry::{PublishedEntry, PublishedTransport, WayRefusal};
use super::input::{InputFilling, PublishedInput, SecretPlace};
use super::server::PublishedRemote;
use super::wishes::AddWishes;
use crate::settings::address;

const ADDRESS: SecretPlace = SecretPlace::Refused("a part of its address");

pub(super) fn reached(
    remote: &PublishedRemote,
    wishes: &AddWishes,
    rules: AddressRules,
) -> Result<PublishedEntry, WayRefusal> {
    if !matches!(remote.kind.as_str(), "streamable-http" | "sse" | "http") {
        let says =
            format!("it is reached by {:?}, and Toolgate knows `streamable-http` and `sse`", remote.kind);
        return Err(WayRefusal::new(says, "choose another way to reach it"));
    }
    let mut filling = InputFilling::with(&wishes.values);
    let template = PublishedInput {
        value: Some(remote.url.clone()),
        variables: remote.variables.clone(),
        ..PublishedInput::default()
    };
    let url = filling.fill(&template, "its address", ADDRESS)?.unwrap_or_default();
    let headers = headers(remote, &mut filling)?;
    filling.finish()?;
    let url = address::check(&url, rules).map_err(|bad| WayRefusal::new(bad.message, bad.hint))?;
    check_encrypted(&url)?;
    let InputFilling { secrets, left_out, .. } = filling;
    Ok(PublishedEntry {
        transport: PublishedTransport::Url { url, headers },
        secrets,
        left_out,
        digest: None,
        notes: Vec::new(),
    })
}

fn headers(
    remote: &PublishedRemote,
    filling: &mut InputFilling<'_>,
) -> Result<BTreeMap<String, String>, WayRefusal> {
    let mut headers = BTreeMap::new();
    for header in &remote.headers {
        let is_name = !header.name.is_empty()
            && header.name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if !is_name {
            let says = format!("{:?} cannot be the name of a header", header.name);
            return Err(WayRefusal::new(says, "nothing good writes such an entry: do not add it"));
        }
        if let Some(value) = filling.fill(header, &header.name, SecretPlace::Vault)? {
            headers.insert(header.name.clone(), value);
        }
    }
    Ok(headers)
}

/// Plain HTTP is for addresses that the operator allowed, on this machine or in a private network: those that no rule but the
/// operator's would let through.
fn check_encrypted(url: &str) -> Result<(), WayRefusal> {
    let is_near = address::check(url, AddressRules::default()).is_err();
    if is_near || url.to_ascii_lowercase().starts_with("https:") {
        return Ok(());
    }
    let says = format!("{url} is not encrypted, so others could read and change what agents send");
    Err(WayRefusal::new(says, "ask its publisher for an address with https"))
}
