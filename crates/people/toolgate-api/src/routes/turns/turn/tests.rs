use super::*;

#[test]
fn the_tools_that_have_a_place_of_their_own_are_called_so() {
    let own = toolgate_platform::control().tools();
    for tool in &own {
        let place = match &*tool.wire {
            "request_user_input" => CallTiming::Asking,
            "complete_workflow" => CallTiming::Last,
            _ => CallTiming::Together,
        };
        for name in [&*tool.wire, tool.tool.name.as_str()] {
            assert_eq!(timing(name, json!({})), place, "{name}");
            assert_eq!(timing("call_tool", json!({ "name": name, "arguments": {} })), place, "{name}");
        }
    }
    for place in [CallTiming::Asking, CallTiming::Last] {
        assert!(own.iter().any(|tool| timing(&tool.wire, json!({})) == place), "{place:?}");
    }
}

#[test]
fn a_run_that_is_completed_by_its_id_is_so_after_all_other_calls() {
    let own = toolgate_runs::domain().tools();
    let complete = own.iter().find(|tool| tool.tool.name.as_str() == "run.complete").expect("it is there");
    for name in [&*complete.wire, complete.tool.name.as_str(), "complete_run"] {
        assert_eq!(timing(name, json!({})), CallTiming::Last, "{name}");
    }
}

fn timing(name: &str, arguments: Value) -> CallTiming {
    TurnCall::new("a".to_owned(), name.to_owned(), Some(arguments.into())).timing()
}

#[test]
fn what_asks_the_same_has_the_same_digest() {
    let digest = |name: &str, arguments: &str| {
        let raw = RawJson::parse(arguments.to_owned().into()).expect("JSON");
        let call = TurnCall::new("a".to_owned(), name.to_owned(), Some(raw));
        let arguments = call.arguments.as_ref().expect("JSON").clone();
        call.digest(&arguments)
    };
    let one = digest("a", r#"{"x":1,"y":2}"#);
    assert_eq!(one, digest("a", r#"{ "y": 2.0, "x": 1 }"#));
    assert_eq!(one, digest("a", r#""{\"x\":1,\"y\":2}""#));
    assert_eq!(digest("a", "{}"), digest("a", "null"));
    for other in
        [digest("b", r#"{"x":1,"y":2}"#), digest("a", r#"{"x":1}"#), digest("a", r#"{"x":1,"y":"2"}"#)]
    {
        assert_ne!(one, other);
    }
}

#[test]
fn an_entry_is_what_came_of_it_under_its_id() {
    let result = RawJson::parse(r#"{"status":"succeeded","data":{"n":1.00}}"#.into()).expect("JSON");
    assert_eq!(fresh("a\"b", &result).as_str(), r#"{"id":"a\"b","status":"succeeded","data":{"n":1.00}}"#);
    let again = replayed("a", &result);
    assert_eq!(again.as_str(), r#"{"id":"a","replayed":true,"status":"succeeded","data":{"n":1.00}}"#);
}
