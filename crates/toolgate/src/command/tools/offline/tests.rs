//! Ranking over files.

use std::path::Path;

use super::*;

fn args(words: &[&str]) -> SearchArgs {
    use clap::Parser;
    let words = ["toolgate", "tools", "search"].iter().chain(words);
    match crate::cli::Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(crate::cli::Command::Tools(crate::cli::ToolsCommand::Search(args))) => args,
        _ => panic!("it is a search"),
    }
}

fn file(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file");
}

const TOOLS: &str = r#"{"server": "git hub", "name": "create_issue", "description": "Open an issue", "input_schema": {"type": "object", "properties": {"title": {"type": "string"}}}}

{"server": "git/hub", "name": "merge", "description": "Merge a pull request", "inputSchema": {"type": "object", "properties": {"branch": {"type": "string"}}}}
{"server": "mail", "name": "send", "description": "Send a letter"}
"#;

#[test]
fn tools_are_ranked_under_the_names_that_the_file_gives_them() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "t", TOOLS);
    file(
        folder.path(),
        "q",
        "{\"id\": \"a\", \"query\": \"open issue\", \"more\": 1}\n{\"id\": 2, \"query\": \"branch\"}\n",
    );
    let rankings = rank(folder.path(), &args(&["--catalogue", "t", "--queries", "q"])).unwrap();
    assert_eq!(
        lines_of(&rankings),
        "{\"id\":\"a\",\"ranked\":[\"git hub:create_issue\"]}\n{\"id\":2,\"ranked\":[\"git/hub:merge\"]}\n",
        "both spellings of the schema are read, and both servers are there"
    );
    let only = rank(folder.path(), &args(&["open merge send", "--catalogue", "t", "--servers", "mail"]));
    assert_eq!(only.unwrap()[0].ranked, ["mail:send"]);
    let one = rank(folder.path(), &args(&["open merge send", "--catalogue", "t", "--limit", "1"]));
    assert_eq!(one.unwrap()[0].ranked.len(), 1);
}

#[test]
fn of_a_tool_that_stands_twice_the_later_one_counts() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "a", "{\"server\": \"s\", \"name\": \"t\", \"description\": \"fly\"}\n");
    file(folder.path(), "b", "\n{\"server\": \"s\", \"name\": \"t\", \"description\": \"swim\"}\n");
    let catalogue = OfflineCatalogue::read(&[folder.path().join("a"), folder.path().join("b")]).unwrap();
    let warnings = catalogue.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("b:2: s:t stands in "), "{warnings:?}");
    let ranker = Ranker::new(&catalogue, None, |_, _| ()).unwrap();
    assert_eq!(ranker.search("swim", None, 9).unwrap().len(), 1);
    assert_eq!(ranker.search("fly", None, 9).unwrap().len(), 0);
}

#[test]
fn lines_that_are_wrong_are_named_with_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "t", "{\"server\": \"s\", \"name\": \"t\"}\n{\"server\": \"s\"}\n\nnope\n");
    file(folder.path(), "good", TOOLS);
    file(folder.path(), "q", "{\"id\": [], \"query\": \"x\"}\n");
    file(folder.path(), "empty", "\n");
    let refused = |words: &[&str]| format!("{:#}", rank(folder.path(), &args(words)).err().expect("refused"));
    let told = refused(&["x", "--catalogue", "t"]);
    assert!(told.contains("t:2: this is not a tool: missing field `name`"), "{told}");
    assert!(told.contains("t:4: this is not a tool") && told.contains("hint: on each line {"), "{told}");
    let told = refused(&["--catalogue", "good", "--queries", "q"]);
    assert!(told.contains("q:1: this is not a query: `id` is neither"), "{told}");
    assert!(refused(&["x", "--catalogue", "empty"]).contains("no tools"));
    assert!(refused(&["--catalogue", "good", "--queries", "empty"]).contains("no queries"));
    assert!(refused(&["x", "--catalogue", "missing"]).contains("could not read"));
    assert!(refused(&["x", "--catalogue", "good", "--servers", "gone"]).contains("there are git hub, "));
    assert!(refused(&["x", "--catalogue", "good", "--model", "none"]).contains("script/model"));
}
