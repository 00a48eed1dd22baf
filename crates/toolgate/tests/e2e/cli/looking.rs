//! Read-only commands create nothing, and report where they looked.

use serde_json::Value;

use super::CliFolder;

/// A folder without anything of a gateway.
fn nowhere() -> CliFolder {
    let place = CliFolder::new("");
    std::fs::remove_file(place.path("toolgate.toml")).expect("it was there");
    place
}

#[test]
fn where_there_is_no_gateway_looking_says_so_and_makes_nothing() {
    let place = nowhere();
    let looks: [&[&str]; 11] = [
        &["tools", "list"],
        &["servers", "list"],
        &["ledger", "tail"],
        &["token", "list"],
        &["approvals", "list"],
        &["runs", "list"],
        &["sessions", "list"],
        &["files", "list"],
        &["secrets", "list"],
        &["settings", "list"],
        &["agents", "list"],
    ];
    for args in looks {
        place.run(args).badly(1, &["there is no data folder", "toolgate-data", "hint: "]);
    }
    assert!(!place.path("toolgate-data").exists(), "nothing was made");
}

#[test]
fn a_configuration_alone_can_be_looked_at_without_making_a_data_folder() {
    let place = CliFolder::new("[[servers]]\nname = \"far\"\nurl = \"http://127.0.0.1:9/mcp\"\n");
    assert_eq!(place.run(&["servers", "list", "--json"]).well().json()[0]["name"], "far");
    place.run(&["token", "list"]).well();
    let doctor = place.run(&["doctor", "--json"]).json();
    let folder = doctor["findings"].as_array().into_iter().flatten();
    let folder = folder.filter(|one| one["about"] == "data folder").collect::<Vec<&Value>>();
    assert!(
        folder[0]["says"].as_str().is_some_and(|says| says.contains("toolgate-data is not there")),
        "{doctor}"
    );
    assert!(!place.path("toolgate-data").exists(), "nothing was made");
}

#[test]
fn connecting_without_writing_makes_no_token_and_no_folder() {
    let place = nowhere();
    let said = place.run(&["connect", "cursor"]).well();
    assert!(
        said.stdout.contains("<your token>") && said.stderr.contains("toolgate token create"),
        "{said:?}"
    );
    assert!(!place.path("toolgate-data").exists(), "nothing was made");
}

#[test]
fn the_doctor_says_what_a_server_printed_and_which_error_came_first() {
    let script = "echo Welcome; echo 'Error: no key' >&2; echo 'Node.js v22' >&2; exit 1";
    let place = CliFolder::new(&format!(
        "[[servers]]\nname = \"chatty\"\ncommand = \"sh\"\nargs = [\"-c\", {script:?}]\nsandbox = \"off\"\n"
    ));
    let doctor = place.run(&["doctor", "--json"]).json();
    let findings = doctor["findings"].as_array().expect("findings");
    let of = |about: &str| {
        let found = findings.iter().find(|one| one["about"] == about);
        found.unwrap_or_else(|| panic!("nothing about {about}: {doctor:#}"))["says"].to_string()
    };
    let says = of("server chatty");
    assert!(says.contains("Welcome") && says.contains("first error on stderr: Error: no key"), "{says}");
    assert!(of("version").contains(env!("CARGO_PKG_VERSION")) && of("disk").contains("free"), "{doctor:#}");
    assert!(of("policy").contains("in force") && of("clock").contains('T'), "{doctor:#}");
}
