//! `toolgate servers search`: what is found, and that nothing comes of it.

use serde_json::json;
use toolgate_testkit::registry::StandInRegistry;

use super::{WEATHER, config, packaged, place, weather};

#[test]
fn servers_are_found_by_all_words_and_nothing_is_written() {
    let registry = StandInRegistry::start();
    registry.publish(packaged("1.1.0", json!({})));
    registry.publish(packaged("1.2.0", json!({})));
    registry.publish(
        json!({ "name": "com.example/mail", "description": "Sends forecasts by mail", "version": "2.0.0" }),
    );
    let place = place(&registry, "");
    let before = config(&place);
    let found = place.run(&["servers", "search", "Forecasts", "weather", "--json"]).well().json();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(
        (&found[0]["name"], &found[0]["version"]),
        (&json!(WEATHER), &json!("1.2.0")),
        "the latest alone"
    );
    assert_eq!((&found[0]["publisher"], &found[0]["kinds"]), (&json!("io.github.ann"), &json!(["npm"])));
    let table = place.run(&["servers", "search", "forecasts"]).well();
    assert!(table.stdout.starts_with("SERVER"), "{table:?}");
    assert!(table.stdout.contains(WEATHER) && table.stdout.contains("com.example/mail"), "{table:?}");
    let nothing = place.run(&["servers", "search", "nothing-like-it", "--json"]).well().json();
    assert_eq!(nothing, json!([]));
    assert_eq!(config(&place), before);
    assert!(!place.path("toolgate-data").exists(), "a search stores nothing");
    place.run(&["servers", "search"]).badly(2, &["WORDS"]);
}

#[test]
fn pages_are_followed_up_to_the_number_that_is_wanted() {
    let registry = StandInRegistry::start();
    for number in 0..130 {
        let name = format!("io.github.ann/tool-{number}");
        registry.publish(json!({ "name": name, "description": "One of many", "version": "1.0.0" }));
    }
    let place = place(&registry, "");
    let found = place.run(&["servers", "search", "many", "--limit", "100"]).well();
    assert_eq!(found.stdout.lines().count(), 101, "a header and a hundred");
    assert!(found.stderr.contains("There may be more"), "{found:?}");
    assert!(registry.asked().iter().any(|path| path.contains("cursor=100")), "{:?}", registry.asked());
    let few = place.run(&["servers", "search", "tool-12", "--json"]).well().json();
    assert_eq!(few.as_array().map(Vec::len), Some(11), "tool-12 and tool-120 to tool-129: {few}");
}

#[test]
fn an_address_may_name_its_version_of_the_interface() {
    let registry = StandInRegistry::start();
    registry.publish(weather("1.0.0", json!({})));
    for (path, asked) in [
        ("", "/v0.1/servers?"),
        ("/", "/v0.1/servers?"),
        ("/v0", "/v0/servers?"),
        ("/v0.1/", "/v0.1/servers?"),
    ] {
        let toml = format!("[registry]\nurl = \"{}{path}\"\n", registry.address);
        let place = crate::cli::CliFolder::new(&toml);
        let found = place.run(&["servers", "search", "weather", "--json"]).well().json();
        assert_eq!(found[0]["name"], WEATHER, "{path}");
        assert!(
            registry.asked().last().is_some_and(|last| last.starts_with(asked)),
            "{:?}",
            registry.asked()
        );
    }
}
