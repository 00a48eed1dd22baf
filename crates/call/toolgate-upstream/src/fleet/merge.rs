//! Many instances as one server: one state and one listing.

use std::collections::HashSet;
use std::sync::Arc;

use toolgate_core::RawJson;
use toolgate_core::server::{InstanceState, ServerHealth, ServerListing, ServerState};
use toolgate_wire::ObjectMembers;

use crate::reading::ListReading;

/// The reason of a server without instances.
pub(super) const NO_INSTANCE: &str = "no instance holds a lease";
/// The number of instances whose reasons are shown; more would only hide them.
const REASONS_MAX: usize = 3;

/// The state of a server whose members are in these states. `instances` is empty if they are not
/// distinguished.
pub(super) fn state(members: &[ServerState], mut instances: Vec<InstanceState>) -> ServerState {
    let Some(first) = members.first() else {
        let reason = Some(NO_INSTANCE.to_owned());
        return ServerState { health: ServerHealth::Degraded, reason, ..ServerState::starting() };
    };
    let healthy = members.iter().find(|state| state.health == ServerHealth::Healthy);
    let (health, reason) = match healthy {
        Some(healthy) => (ServerHealth::Healthy, healthy.reason.clone()),
        None if members.iter().all(|state| state.health == ServerHealth::Starting) => {
            (ServerHealth::Starting, first.reason.clone())
        }
        None => (ServerHealth::Degraded, reason(members, &instances)),
    };
    let restarts = members.iter().fold(0u32, |sum, state| sum.saturating_add(state.restarts));
    instances.sort_by(|one, other| one.id.cmp(&other.id));
    ServerState { health, reason, restarts, instances, ..healthy.unwrap_or(first).clone() }
}

fn reason(members: &[ServerState], instances: &[InstanceState]) -> Option<String> {
    if let [only] = members {
        return only.reason.clone();
    }
    let told: Vec<String> = instances
        .iter()
        .filter_map(|instance| Some(format!("{}: {}", instance.id, instance.reason.as_ref()?)))
        .collect();
    let more = told.len().saturating_sub(REASONS_MAX);
    let mut text = told[..told.len() - more].join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    (!text.is_empty()).then_some(text)
}

/// The union of the instances' offers, with `readings` in order of precedence. Tools of one name that differ
/// are all in it; of everything else the first counts.
pub(super) fn listing(readings: &[Arc<ListReading>]) -> ServerListing {
    let Some((first, others)) = readings.split_first() else { return ServerListing::default() };
    let mut union = first.listing.clone();
    if others.is_empty() {
        return union;
    }
    let listings = || others.iter().map(|reading| &reading.listing);
    union.tools = tools(readings);
    union.instructions = union.instructions.or_else(|| listings().find_map(|one| one.instructions.clone()));
    add_by(&mut union.prompts, listings().flat_map(|one| &one.prompts), "name");
    add_by(&mut union.resources, listings().flat_map(|one| &one.resources), "uri");
    add_by(&mut union.templates, listings().flat_map(|one| &one.templates), "uriTemplate");
    for name in listings().flat_map(|one| &one.conflicts) {
        if !union.conflicts.contains(name) {
            union.conflicts.push(name.clone());
        }
    }
    union
}

fn tools(readings: &[Arc<ListReading>]) -> Vec<RawJson> {
    let mut seen = HashSet::new();
    let mut tools = Vec::new();
    for reading in readings {
        for (definition, key) in reading.listing.tools.iter().zip(&reading.tools) {
            if seen.insert(key) {
                tools.push(definition.clone());
            }
        }
    }
    tools
}

fn add_by<'a>(union: &mut Vec<RawJson>, more: impl Iterator<Item = &'a RawJson>, key: &str) {
    let mut seen: HashSet<String> = union.iter().filter_map(|entry| name_of(entry, key)).collect();
    for entry in more {
        if name_of(entry, key).is_some_and(|name| seen.insert(name)) {
            union.push(entry.clone());
        }
    }
}

fn name_of(entry: &RawJson, key: &str) -> Option<String> {
    ObjectMembers::of(entry).ok()?.get_str(key).map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use toolgate_core::server::{Era, InstanceId};

    use super::*;

    fn raw(text: &str) -> RawJson {
        RawJson::from_composed(text.to_owned())
    }

    fn reading(tools: &[&str], prompts: &[&str]) -> Arc<ListReading> {
        let all = |texts: &[&str]| texts.iter().map(|text| raw(text)).collect();
        let listing = ServerListing { tools: all(tools), prompts: all(prompts), ..ServerListing::default() };
        Arc::new(ListReading::of(listing))
    }

    #[test]
    fn tools_that_differ_are_all_listed_and_of_other_things_the_newest() {
        let newest = reading(
            &[r#"{"name":"a","description":"2"}"#, r#"{"name":"b"}"#],
            &[r#"{"name":"p","description":"2"}"#],
        );
        let older = reading(
            &[r#"{"name":"a","description":"1"}"#, r#"{"name":"b", "_meta":{}}"#, r#"{"name":"c"}"#],
            &[r#"{"name":"p","description":"1"}"#, r#"{"name":"q"}"#],
        );
        let union = listing(&[newest, older]);
        let text =
            |entries: &[RawJson]| entries.iter().map(|one| one.as_str().to_owned()).collect::<Vec<_>>();
        assert_eq!(
            text(&union.tools),
            [
                r#"{"name":"a","description":"2"}"#,
                r#"{"name":"b"}"#,
                r#"{"name":"a","description":"1"}"#,
                r#"{"name":"c"}"#
            ]
        );
        assert_eq!(text(&union.prompts), [r#"{"name":"p","description":"2"}"#, r#"{"name":"q"}"#]);
        assert!(union.conflicts.is_empty(), "instances that differ are no conflict");
    }

    fn member(health: ServerHealth, reason: Option<&str>, era: Option<Era>) -> ServerState {
        ServerState { health, reason: reason.map(String::from), era, restarts: 1, ..ServerState::starting() }
    }

    fn check(members: &[ServerState], expected: (ServerHealth, Option<&str>, Option<Era>)) {
        let instances = members.iter().enumerate().map(|(at, state)| InstanceState {
            id: InstanceId::new(&format!("i{at}")).expect("an id"),
            version: None,
            health: state.health,
            reason: state.reason.clone(),
        });
        let merged = state(members, instances.collect());
        assert_eq!((merged.health, merged.reason.as_deref(), merged.era), expected);
        assert_eq!(merged.restarts as usize, members.len());
    }

    #[test]
    fn a_server_is_as_well_as_the_best_of_its_instances() {
        use ServerHealth::{Degraded, Healthy, Starting};
        let starting = member(Starting, None, None);
        let well = member(Healthy, None, Some(Era::Modern));
        let ill = member(Degraded, Some("gone"), Some(Era::Legacy));
        check(&[ill.clone(), well.clone()], (Healthy, None, Some(Era::Modern)));
        check(&[starting.clone(), well], (Healthy, None, Some(Era::Modern)));
        check(&[starting.clone(), starting.clone()], (Starting, None, None));
        check(&[starting, ill.clone()], (Degraded, Some("i1: gone"), None));
        check(std::slice::from_ref(&ill), (Degraded, Some("gone"), Some(Era::Legacy)));
        let many = vec![ill; 5];
        check(&many, (Degraded, Some("i0: gone; i1: gone; i2: gone; and 2 more"), Some(Era::Legacy)));
        check(&[], (Degraded, Some(NO_INSTANCE), None));
    }
}
