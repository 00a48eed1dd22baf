//! Registries that do not answer as they should: words, a hint, and nothing written.

use serde_json::json;
use toolgate_testkit::registry::{RegistryFault, StandInRegistry};

use super::{WEATHER, config, packaged, place};
use crate::cli::CliFolder;

#[test]
fn a_registry_that_misbehaves_is_told_with_words_and_nothing_is_written() {
    let registry = StandInRegistry::start();
    registry.publish(packaged("1.2.0", json!({})));
    let place = place(&registry, "");
    let before = config(&place);
    for (fault, words) in [
        (RegistryFault::Html, "it said \"<!doctype html>"),
        (RegistryFault::Failing, "it answered HTTP 500"),
        (RegistryFault::Redirecting, "it answered HTTP 302"),
        (RegistryFault::Huge, "at most 4 MiB"),
        (RegistryFault::Broken, "was not read to the end"),
    ] {
        registry.behave(fault);
        let both = [&["servers", "search", "weather"][..], &["servers", "add", WEATHER, "--yes"]];
        for args in both {
            place.run(args).badly(1, &[registry.address.as_str(), words, "hint: "]);
        }
        assert_eq!(config(&place), before, "{fault:?}");
    }
    registry.behave(RegistryFault::Swapping);
    let add = ["servers", "add", WEATHER, "--yes"];
    place.run(&add).badly(1, &["answered with com.evil/swapped 1.2.0, which was not asked for"]);
    assert_eq!(config(&place), before);
}

#[test]
fn a_registry_that_says_nothing_is_left_after_its_time() {
    let registry = StandInRegistry::start();
    registry.behave(RegistryFault::Silent);
    let place = place(&registry, "timeout_seconds = 0.3\n");
    place.run(&["servers", "search", "weather"]).badly(1, &["no answer within 0.3 s", "hint: "]);
}

#[test]
fn a_list_without_an_end_ends() {
    let registry = StandInRegistry::start();
    registry.publish(packaged("1.2.0", json!({})));
    let place = place(&registry, "");
    for (fault, requests) in [(RegistryFault::Endless, 10), (RegistryFault::Repeating, 2)] {
        registry.behave(fault);
        let before = registry.asked().len();
        let found = place.run(&["servers", "search", "weather"]).well();
        assert_eq!(found.stdout.matches(WEATHER).count(), 1, "{found:?}");
        assert!(found.stderr.contains("There may be more"), "{found:?}");
        assert_eq!(registry.asked().len() - before, requests, "{fault:?}");
    }
}

#[test]
fn a_registry_that_is_away_is_told_by_what_is_wrong() {
    let place = CliFolder::new("[registry]\nurl = \"http://127.0.0.1:9/\"\n");
    let said = place.run(&["servers", "search", "weather"]);
    said.badly(
        1,
        &["the registry http://127.0.0.1:9/ cannot be used", "connection refused", "check the port"],
    );
}

#[test]
fn servers_and_versions_that_are_not_there_are_told() {
    let registry = StandInRegistry::start();
    registry.publish(packaged("1.2.0", json!({})));
    let place = place(&registry, "");
    place
        .run(&["servers", "add", "io.github.ann/wether"])
        .badly(1, &["has no server io.github.ann/wether", "servers search"]);
    let add = ["servers", "add", WEATHER, "--version", "9.9.9"];
    place.run(&add).badly(1, &["has no server io.github.ann/weather 9.9.9"]);
    place.run(&["servers", "add", "weather"]).badly(2, &["io.github.owner/server"]);
}
