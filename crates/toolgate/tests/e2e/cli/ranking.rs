//! `toolgate tools search --catalogue`: over files, without a gateway and without a configuration.

use super::CliFolder;
use crate::kit::file;

const TOOLS: &str = r#"{"server": "github (ref)", "name": "create_issue", "description": "Open a new issue in a repository", "input_schema": {"type": "object", "properties": {"title": {"type": "string", "description": "Headline"}}}}
{"server": "github (ref)", "name": "merge_pull_request", "description": "Merge a pull request", "inputSchema": {"type": "object"}}
{"server": "weather", "name": "get_forecast", "description": "Forecast for a place"}
{"server": "weather", "name": "get_forecast", "description": "Weather of the coming days for a place"}
"#;
const QUERIES: &str = r#"{"id": "q1", "query": "open a bug report issue", "relevant": ["github (ref):create_issue"]}
{"id": 2, "query": "wether of the coming day"}
{"id": "q3", "query": "weather:get_forecast"}
"#;

fn place() -> CliFolder {
    // An unreadable configuration: none is needed.
    let place = CliFolder::new("this is no configuration");
    file(&place.path("."), "tools.jsonl", TOOLS);
    file(&place.path("."), "queries.jsonl", QUERIES);
    place
}

#[test]
fn queries_of_a_file_are_ranked_one_json_line_each() {
    let place = place();
    let search = ["tools", "search", "--catalogue", "tools.jsonl", "--queries", "queries.jsonl"];
    let said = place.run(&[&search[..], &["--json"]].concat()).well();
    let lines: Vec<serde_json::Value> =
        said.stdout.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
    assert_eq!(lines.len(), 3, "{said:?}");
    assert_eq!(
        (&lines[0]["id"], &lines[0]["ranked"][0]),
        (&"q1".into(), &"github (ref):create_issue".into())
    );
    assert_eq!((&lines[1]["id"], &lines[1]["ranked"][0]), (&2.into(), &"weather:get_forecast".into()));
    assert_eq!(lines[2]["ranked"][0], "weather:get_forecast");
    assert!(said.stderr.contains("tools.jsonl:4: weather:get_forecast stands in "), "{said:?}");
    assert_eq!(said.stderr.matches("warning: ").count(), 1, "{said:?}");
    assert!(!place.path("toolgate-data").exists(), "nothing is kept");

    let table = place.run(&search).well().stdout;
    assert!(table.starts_with("ID") && table.contains("github (ref):create_issue"), "{table}");
    let one = place.run(&["tools", "search", "merge", "--catalogue", "tools.jsonl", "--json"]).well().json();
    assert_eq!(one["ranked"][0], "github (ref):merge_pull_request");
}

#[test]
fn lines_and_files_that_are_wrong_are_named() {
    let place = place();
    file(&place.path("."), "bad.jsonl", "{\"server\": \"s\", \"name\": \"t\"}\n{\"server\": 7}\n");
    let search = |args: &[&str]| place.run(&[&["tools", "search", "--json"], args].concat());
    search(&["x", "--catalogue", "bad.jsonl"])
        .badly(1, &["bad.jsonl:2: this is not a tool", "\"hint\":\"on each line {"]);
    search(&["--catalogue", "tools.jsonl", "--queries", "bad.jsonl"])
        .badly(1, &["bad.jsonl:1: this is not a query", "\"hint\":\"on each line {"]);
    search(&["x", "--catalogue", "gone.jsonl"]).badly(1, &["gone.jsonl"]);
    search(&["x", "--catalogue", "tools.jsonl", "--servers", "wether"])
        .badly(1, &["wether", "\"hint\":\"there are"]);
    search(&["x", "--catalogue", "tools.jsonl", "--model", "none"]).badly(1, &["none", "\"hint\":"]);
    search(&["--queries", "queries.jsonl"]).badly(2, &["--catalogue"]);
}
