//! `toolgate tools`: the same with a gateway running on the data folder and without.

use serde_json::{Value, json};

use super::{CliFolder, Said};
use crate::{boot, conforming};

/// Runs a check through the running gateway, then through one that lives as long as the command.
pub(super) fn both_ways(toml: &str, check: impl Fn(&dyn Fn(&[&str]) -> Said)) {
    let gateway = boot(toml);
    check(&|args| Said::from(gateway.cli(args)));
    let place = CliFolder::new(toml);
    check(&|args| place.run(args));
}

#[test]
fn tools_are_listed() {
    both_ways(&(conforming("one", &[]) + &conforming("two", &[])), |run| {
        let list = run(&["tools", "list", "--json"]).well().json();
        let names: Vec<&str> =
            list.as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
        assert!(names.contains(&"one__echo") && names.contains(&"two__echo"), "{names:?}");
        assert!(names.is_sorted(), "{names:?}");
        let table = run(&["tools", "list", "--server", "two"]).well().stdout;
        assert!(table.contains("two__echo") && !table.contains("one__echo"), "{table}");
    });
}

#[test]
fn tools_of_a_server_without_prefix_are_listed_under_its_name() {
    both_ways(&(conforming("only", &[]) + "prefix = false\n"), |run| {
        let table = run(&["tools", "list", "--server", "only"]).well().stdout;
        assert!(table.lines().any(|line| line.starts_with("echo ")), "{table}");
    });
}

#[test]
fn a_tool_is_described() {
    both_ways(&conforming("conf", &[]), |run| {
        let text = run(&["tools", "describe", "conf__echo"]).well().stdout;
        assert!(text.contains("Returns the text it is given") && text.contains("What to say"), "{text}");
        let json = run(&["tools", "describe", "conf:echo", "--json"]).well().json();
        assert_eq!(json["name"], "conf__echo");
        assert_eq!(json["inputSchema"]["required"], json!(["text"]));
    });
}

#[test]
fn a_tool_is_called_with_json_or_pairs() {
    both_ways(&conforming("conf", &[]), |run| {
        assert_eq!(
            run(&["tools", "call", "conf__echo", r#"{"text": "as JSON"}"#]).well().stdout,
            "as JSON\n"
        );
        assert_eq!(run(&["tools", "call", "conf__echo", "text=as a pair"]).well().stdout, "as a pair\n");
        assert_eq!(run(&["tools", "call", "conf:echo", "text=canonical"]).well().stdout, "canonical\n");
        let doubled =
            run(&["tools", "call", "conf__test_structured_content", "number:=21", "--json"]).well().json();
        assert_eq!(doubled["structuredContent"]["doubled"].as_f64(), Some(42.0), "{doubled}");
    });
}

#[test]
fn a_tool_that_fails_ends_the_command_badly() {
    both_ways(&conforming("conf", &[]), |run| {
        let said = run(&["tools", "call", "conf__test_error_handling"]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.stdout.contains("intentionally returns an error"), "{said:?}");
    });
}

#[test]
fn progress_is_talk_and_the_result_is_data() {
    both_ways(&conforming("conf", &[]), |run| {
        let said = run(&["tools", "call", "conf__test_tool_with_progress"]).well();
        assert!(said.stderr.contains("50"), "{said:?}");
        assert_eq!(said.stdout.lines().count(), 1, "{said:?}");
    });
}

#[test]
fn unknown_tools_are_answered_with_the_nearest_name() {
    both_ways(&conforming("conf", &[]), |run| {
        run(&["tools", "call", "conf__ecoh", "text=x"])
            .badly(1, &["no tool \"conf__ecoh\"", "hint: did you mean conf__echo?\n"]);
        run(&["tools", "describe", "conf__ecoh"])
            .badly(1, &["no tool \"conf__ecoh\"", "hint: did you mean conf__echo?\n"]);
    });
}

#[test]
fn arguments_that_are_neither_json_nor_pairs_are_refused() {
    let place = CliFolder::new(&conforming("conf", &[]));
    place.run(&["tools", "call", "conf__echo", "loose"]).badly(1, &["loose", "hint: "]);
    place.run(&["tools", "call", "conf__echo", "{\"text\": "]).badly(1, &["not valid JSON"]);
}

#[test]
fn without_servers_there_are_no_tools() {
    let place = CliFolder::new("");
    assert_eq!(place.run(&["tools", "list", "--json"]).well().json(), Value::Array(Vec::new()));
}

#[test]
fn text_where_a_number_belongs_is_answered_with_the_way_to_write_a_number() {
    both_ways(&conforming("conf", &[]), |run| {
        for more in [&[][..], &["--json"][..]] {
            let call = ["tools", "call", "conf__test_structured_content", "number=21"];
            run(&[&call[..], more].concat()).badly(1, &["hint: ", "`number:=21` is JSON"]);
        }
    });
}

#[test]
fn programs_read_errors_as_json_with_the_hint() {
    both_ways(&conforming("conf", &[]), |run| {
        let said = run(&["tools", "describe", "conf__ecoh", "--json"]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{said:?}");
        let line = said.stderr.lines().last().unwrap_or_default();
        let error: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {said:?}"));
        let expected =
            json!({ "error": "there is no tool \"conf__ecoh\"", "hint": "did you mean conf__echo?" });
        assert_eq!(error, expected);
    });
}
