//! `toolgate servers outdated`: another entry in the registry is told, and changes nothing.

use serde_json::json;
use toolgate_testkit::registry::{RegistryFault, StandInRegistry};

use super::{WEATHER, config, packaged, place};

#[test]
fn another_version_is_told_with_its_difference_and_changes_nothing() {
    let registry = StandInRegistry::start();
    registry.publish(packaged("1.2.0", json!({})));
    let place = place(&registry, "");
    place.run(&["servers", "add", WEATHER, "--yes"]).well();
    let before = config(&place);
    let current = place.run(&["servers", "outdated", "--json"]).well().json();
    assert_eq!(
        (&current[0]["state"], &current[0]["difference"]),
        (&json!("current"), &json!([])),
        "{current}"
    );

    let key =
        json!({ "environmentVariables": [{ "name": "API_KEY", "isRequired": true, "isSecret": true }] });
    registry.publish(packaged("2.0.0", key));
    let told = place.run(&["servers", "outdated"]).well();
    for words in [
        "outdated",
        "- package npm @ann/weather 1.2.0",
        "+ package npm @ann/weather 2.0.0",
        "+ package npm @ann/weather variable API_KEY required secret",
    ] {
        assert!(told.stdout.contains(words), "{words:?} is missing in {told:?}");
    }
    assert!(told.stderr.contains("Nothing was changed"), "{told:?}");
    assert_eq!(config(&place), before);
    place.run(&["servers", "outdated", "mail"]).badly(1, &["no server \"mail\" was added from a registry"]);
}

#[test]
fn an_entry_that_changed_under_its_version_or_went_away_is_told() {
    let registry = StandInRegistry::start();
    registry.publish(packaged("1.2.0", json!({})));
    let place = place(&registry, "");
    place.run(&["servers", "add", WEATHER, "--yes"]).well();
    let state = || place.run(&["servers", "outdated", "weather", "--json"]).well().json()[0]["state"].clone();
    registry.edit(WEATHER, "1.2.0", |server| server["packages"][0]["identifier"] = json!("@mallory/weather"));
    assert_eq!(state(), "changed");
    let told = place.run(&["servers", "outdated"]).well();
    assert!(told.stdout.contains("the entry of version 1.2.0 is not the one that was added"), "{told:?}");
    registry.edit(WEATHER, "1.2.0", |server| server["packages"][0]["identifier"] = json!("@ann/weather"));
    assert_eq!(state(), "current");
    for (status, told) in [("deprecated", "deprecated"), ("deleted", "deleted"), ("active", "current")] {
        registry.mark(WEATHER, status, "moved to com.example/weather");
        assert_eq!(state(), told);
    }
    registry.withdraw(WEATHER);
    assert_eq!(state(), "gone");
    registry.behave(RegistryFault::Failing);
    place.run(&["servers", "outdated"]).badly(1, &["it answered HTTP 500"]);
}

#[test]
fn a_server_of_another_registry_is_not_asked_for() {
    let (first, second) = (StandInRegistry::start(), StandInRegistry::start());
    first.publish(packaged("1.2.0", json!({})));
    let place = place(&first, "");
    place.run(&["servers", "add", WEATHER, "--yes"]).well();
    let moved = config(&place).replacen(&first.address, &second.address, 1);
    std::fs::write(place.path("toolgate.toml"), moved).expect("written");
    let told = place.run(&["servers", "outdated", "--json"]).well().json();
    assert_eq!(told[0]["state"], "of another registry", "{told}");
    assert!(second.asked().is_empty(), "{:?}", second.asked());
}
