use std::sync::Arc;

use toolgate_core::server::{InstanceId, Sandbox};

use super::*;
use crate::source::{Drift, ServerSource};

fn name(text: &str) -> ServerName {
    ServerName::new(text).expect("a name")
}

fn entry(text: &str, source: ServerSource) -> ServerEntry {
    let entry = of_registration(&name(text), &[], &FileState::default());
    let mut entry = ServerEntry { source, ..entry };
    if source == ServerSource::File {
        entry.spec.reach = Reach::Anywhere;
        entry.spec.transport = TransportSpec::http("https://example.com/mcp", BTreeMap::new());
    }
    entry
}

fn instance(id: &str) -> InstanceSpec {
    InstanceSpec {
        id: InstanceId::new(id).expect("an id"),
        url: format!("https://{id}.example.com/mcp"),
        version: None,
        concurrency_max: None,
        wants_token: false,
        extras: Arc::default(),
    }
}

fn file(servers: Vec<ServerEntry>) -> FileState {
    FileState { servers, ..FileState::default() }
}

fn registered(servers: &[(&str, &[&str])]) -> RegisteredServers {
    let instances = |ids: &[&str]| ids.iter().map(|id| instance(id)).collect();
    servers.iter().map(|(server, ids)| (name(server), instances(ids))).collect()
}

/// `name source [instances]`, in the order of the roster.
fn told(roster: &Roster) -> Vec<String> {
    let tell = |entry: &ServerEntry| {
        let TransportSpec::Http { instances, .. } = &entry.spec.transport else {
            unreachable!("all are reached by HTTP")
        };
        let ids: Vec<&str> = instances.iter().map(|instance| instance.id.as_str()).collect();
        format!("{} {:?} {ids:?}", entry.spec.name, entry.source)
    };
    roster.entries.iter().map(tell).collect()
}

#[test]
fn the_file_comes_first_then_settings_then_what_registered() {
    let file = file(vec![entry("z", ServerSource::File), entry("a", ServerSource::File)]);
    let settings = [entry("y", ServerSource::Settings), entry("b", ServerSource::Settings)];
    let roster = Roster::merge(&file, &settings, &registered(&[("x", &["1", "2"]), ("c", &[])]));
    assert_eq!(
        told(&roster),
        [
            "z File [\"only\"]",
            "a File [\"only\"]",
            "y Settings []",
            "b Settings []",
            "x Registered [\"1\", \"2\"]",
            "c Registered []",
        ]
    );
    assert_eq!(roster.shadowed, []);
}

#[test]
fn whoever_comes_first_has_the_name_and_the_other_is_known_to_be_shadowed() {
    let file = file(vec![entry("files", ServerSource::File)]);
    let settings = [entry("Files", ServerSource::Settings), entry("a.b", ServerSource::Settings)];
    let roster = Roster::merge(&file, &settings, &registered(&[("a__b", &["1"]), ("files", &["1"])]));
    assert_eq!(told(&roster), ["files File [\"only\"]", "a.b Settings []"]);
    let shadowed: Vec<String> =
        roster.shadowed.iter().map(|one| format!("{} by {} {:?}", one.name, one.by, one.by_source)).collect();
    assert_eq!(shadowed, ["Files by files File", "a__b by a.b Settings", "files by files File"]);
}

#[test]
fn what_was_kept_under_the_name_of_the_gateway_is_left_out_and_takes_no_other_down() {
    let settings = [entry("Toolgate", ServerSource::Settings), entry("a", ServerSource::Settings)];
    let roster =
        Roster::merge(&file(Vec::new()), &settings, &registered(&[("toolgate", &["1"]), ("b", &["1"])]));
    assert_eq!(told(&roster), ["a Settings []", "b Registered [\"1\"]"]);
    assert_eq!(roster.reserved, [name("Toolgate"), name("toolgate")]);
}

#[test]
fn a_server_the_file_expects_has_the_instances_that_registered_and_the_limits_of_the_file() {
    let mut expected = entry("jobs", ServerSource::Expected);
    expected.spec.concurrency_max = 7;
    expected.drift = Some(Drift::Accept);
    let roster = Roster::merge(&file(vec![expected]), &[], &registered(&[("jobs", &["1", "2"])]));
    assert_eq!(told(&roster), ["jobs Expected [\"1\", \"2\"]"]);
    let jobs = roster.get(&name("jobs")).expect("there");
    assert_eq!((jobs.spec.concurrency_max, jobs.drift), (7, Some(Drift::Accept)));
    assert_eq!(jobs.spec.reach, Reach::Within(AddressRules::default()));
}

#[test]
fn what_somebody_sent_is_reached_only_where_the_operator_allows() {
    let mut state = file(vec![entry("files", ServerSource::File)]);
    state.addresses = AddressRules { allow_loopback: true, allow_private: false };
    let roster = Roster::merge(&state, &[entry("set", ServerSource::Settings)], &registered(&[("reg", &[])]));
    let reach: Vec<Reach> = roster.specs().into_iter().map(|spec| spec.reach).collect();
    assert_eq!(reach, [Reach::Anywhere, Reach::Within(state.addresses), Reach::Within(state.addresses)]);
}

#[test]
fn differences_name_the_keys_and_no_values() {
    let before = [
        entry("gone", ServerSource::File),
        entry("same", ServerSource::File),
        entry("other", ServerSource::File),
    ];
    let mut other = entry("other", ServerSource::File);
    other.spec.timeout = Duration::from_secs(1);
    other.spec.transport = TransportSpec::http(
        "https://example.com/?key=secret",
        BTreeMap::from([("X".into(), "secret".into())]),
    );
    other.drift = Some(Drift::Accept);
    let mut stdio = entry("new", ServerSource::File);
    stdio.spec.transport = TransportSpec::Stdio {
        command: "x".into(),
        args: vec![],
        env: BTreeMap::new(),
        cwd: None,
        sandbox: Sandbox::default(),
    };
    let after = [stdio, other, entry("same", ServerSource::File)];
    let lines: Vec<String> = differences(&before, &after).iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "server \"new\" added",
            "server \"other\" changed: url, headers, timeout_seconds, drift",
            "server \"gone\" removed",
        ]
    );
    assert!(differences(&before, &after)[1].is_about_review());
}

#[test]
fn a_server_that_becomes_a_command_is_told_so() {
    let mut stdio = entry("x", ServerSource::File);
    stdio.spec.transport = TransportSpec::Stdio {
        command: "x".into(),
        args: vec![],
        env: BTreeMap::new(),
        cwd: None,
        sandbox: Sandbox::default(),
    };
    let lines: Vec<String> =
        differences(&[entry("x", ServerSource::File)], &[stdio]).iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["server \"x\" changed: command, url"]);
}
