//! Settings from the command line: listed, read, changed whole, and never half.

use serde_json::json;

use super::CliFolder;

const PUBLIC: &str = r#"[{"name": "job-app", "url": "https://93.184.216.34/mcp"}]"#;

#[test]
fn a_setting_counts_its_versions_and_says_who_changed_it() {
    let place = CliFolder::new("");
    let never = place.run(&["settings", "get", "mcp_servers", "--json"]).well().json();
    assert_eq!(
        (&never["version"], &never["value"], &never["updated_by"]),
        (&json!(0), &json!([]), &json!(null))
    );
    place.run(&["settings", "set", "mcp_servers", PUBLIC]).well();
    let changed =
        place.run(&["settings", "set", "mcp_servers", PUBLIC, "--if-version", "1", "--json"]).well().json();
    assert_eq!((&changed["version"], &changed["updated_by"]), (&json!(2), &json!("local")));
    let value = place.run(&["settings", "get", "mcp_servers"]).well().json();
    assert_eq!(value[0]["name"], "job-app", "without --json it is the value itself");
    let table = place.run(&["settings", "list"]).well().stdout;
    for word in ["SETTING", "mcp_servers", "job-app", "aliases", "registry"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    let kinds = place.run(&["ledger", "tail", "--json"]).well().stdout;
    assert_eq!(kinds.matches("setting.changed").count(), 2, "{kinds}");
}

#[test]
fn a_wrong_value_changes_nothing_and_names_the_place() {
    let place = CliFolder::new("[[servers]]\nname = \"here\"\nurl = \"http://127.0.0.1:9/mcp\"\n");
    let set = |value: &str| place.run(&["settings", "set", "mcp_servers", value]);
    set("[{").badly(1, &["not valid JSON", "hint: "]);
    set(r#"[{"name": "a", "url": "http://localhost:4000/mcp"}]"#)
        .badly(1, &["value[0].url", "allow_loopback", "hint: "]);
    set(r#"[{"name": "a", "command": "rm"}]"#).badly(1, &["value[0].command", "file"]);
    set(r#"[{"name": "here", "url": "https://93.184.216.34/mcp"}]"#).badly(1, &["value[0].name", "here"]);
    place.run(&["settings", "get", "nothing"]).badly(1, &["nothing", "hint: ", "mcp_servers"]);
    place
        .run(&["settings", "set", "mcp_servers", PUBLIC, "--if-version", "4"])
        .badly(1, &["version 0, not 4", "hint: "]);
    assert_eq!(place.run(&["settings", "get", "mcp_servers"]).well().json(), json!([]));
}

#[test]
fn a_server_of_the_settings_is_among_the_servers() {
    let place = CliFolder::new("[[servers]]\nname = \"here\"\nurl = \"http://127.0.0.1:9/mcp\"\n");
    place.run(&["settings", "set", "mcp_servers", PUBLIC]).well();
    let servers = place.run(&["servers", "list", "--json"]).well().json();
    let sources: Vec<_> =
        servers.as_array().expect("a list").iter().map(|one| (&one["name"], &one["source"])).collect();
    assert_eq!(sources, [(&json!("here"), &json!("file")), (&json!("job-app"), &json!("settings"))]);
    let shown = place.run(&["servers", "show", "job-app"]).well().stdout;
    assert!(shown.contains("https://93.184.216.34/mcp") && shown.contains("settings"), "{shown}");
    place.run(&["servers", "test", "job-app"]).badly(1, &["job-app", "hint: "]);
}
