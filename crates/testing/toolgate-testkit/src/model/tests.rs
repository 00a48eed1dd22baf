//! The judge judged: requests by the book pass in every format, and each broken rule is noticed.

use reqwest::Client;
use serde_json::{Value, json};

use super::*;

const KEY: &str = "sk-test";

fn model(script: ModelScript) -> ScriptedModel {
    let settings = ModelSettings { key: Some(KEY.to_owned()), ..ModelSettings::default() };
    ScriptedModel::start_with(settings, script)
}

/// A look, and then words.
fn look_then_say() -> ModelScript {
    let look = ScriptedAnswer::default().think("I look").call(ScriptedCall::new("look", &json!({ "at": 1 })));
    steps([look.into(), ModelStep::say("seen")])
}

async fn ask(model: &ScriptedModel, format: WireFormat, body: &Value) -> reqwest::Result<(u16, String)> {
    let path = match format {
        WireFormat::Chat => "/chat/completions",
        WireFormat::Responses => "/responses",
        WireFormat::Anthropic => "/messages",
        WireFormat::Gemini => "/models/m:streamGenerateContent?alt=sse",
        WireFormat::Ollama => "/api/chat",
    };
    let key = if format.key_header() == "authorization" { format!("Bearer {KEY}") } else { KEY.to_owned() };
    let request = Client::builder().no_proxy().build()?.post(format!("{}{path}", model.url(format)));
    let request = request.header(format.key_header(), key).header("anthropic-version", "2023-06-01");
    let answer = request.body(body.to_string()).send().await?;
    Ok((answer.status().as_u16(), answer.text().await?))
}

/// The first request, and the second one with the call and its result.
fn bodies(format: WireFormat) -> (Value, Value) {
    let schema = json!({ "type": "object", "properties": { "at": { "type": "integer" } } });
    let function = json!({ "type": "function", "function": { "name": "look", "parameters": schema } });
    let signed = super::exchange::signature("I look");
    let (mut first, messages, more) = match format {
        WireFormat::Chat => (
            json!({ "model": "m", "stream": true, "stream_options": { "include_usage": true }, "tools": [function],
                "messages": [{ "role": "system", "content": "s" }, { "role": "user", "content": "go" }] }),
            "messages",
            json!([
                { "role": "assistant", "content": null, "tool_calls": [
                    { "id": "1-1", "type": "function", "function": { "name": "look", "arguments": "{\"at\":1}" } }] },
                { "role": "tool", "tool_call_id": "1-1", "content": "a tree" },
            ]),
        ),
        WireFormat::Responses => (
            json!({ "model": "m", "stream": true, "store": false, "instructions": "s",
                "tools": [{ "type": "function", "name": "look", "parameters": schema }],
                "input": [{ "role": "user", "content": [{ "type": "input_text", "text": "go" }] }] }),
            "input",
            json!([
                { "type": "reasoning", "id": "rs", "summary": [], "encrypted_content": signed },
                { "type": "function_call", "call_id": "1-1", "name": "look", "arguments": "{\"at\":1}" },
                { "type": "function_call_output", "call_id": "1-1", "output": "a tree" },
            ]),
        ),
        WireFormat::Anthropic => (
            json!({ "model": "m", "stream": true, "max_tokens": 10, "system": "s",
                "tools": [{ "name": "look", "input_schema": schema }],
                "messages": [{ "role": "user", "content": "go" }] }),
            "messages",
            json!([
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "I look", "signature": signed },
                    { "type": "tool_use", "id": "1-1", "name": "look", "input": { "at": 1 } }] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "1-1", "content": "a tree" }] },
            ]),
        ),
        WireFormat::Gemini => (
            json!({ "systemInstruction": { "parts": [{ "text": "s" }] },
                "tools": [{ "functionDeclarations": [{ "name": "look", "parameters": schema }] }],
                "contents": [{ "role": "user", "parts": [{ "text": "go" }] }] }),
            "contents",
            json!([
                { "role": "model", "parts": [
                    { "functionCall": { "name": "look", "args": { "at": 1 } }, "thoughtSignature": signed }] },
                { "role": "user", "parts": [
                    { "functionResponse": { "name": "look", "response": { "output": "a tree" } } }] },
            ]),
        ),
        WireFormat::Ollama => (
            json!({ "model": "m", "tools": [function],
                "messages": [{ "role": "system", "content": "s" }, { "role": "user", "content": "go" }] }),
            "messages",
            json!([
                { "role": "assistant", "content": "", "tool_calls": [
                    { "function": { "name": "look", "arguments": { "at": 1 } } }] },
                { "role": "tool", "tool_name": "look", "content": "a tree" },
            ]),
        ),
    };
    let start = first.clone();
    let list = first[messages].as_array_mut().expect("a list");
    list.extend(more.as_array().expect("a list").iter().cloned());
    (start, first)
}

#[tokio::test]
async fn a_conversation_by_the_book_breaks_no_rule_in_any_format() {
    for format in WireFormat::ALL {
        let model = model(look_then_say());
        let (first, second) = bodies(format);
        let called = ask(&model, format, &first).await.expect("an answer");
        assert!(called.0 == 200 && called.1.contains("look"), "{format:?}: {called:?}");
        let said = ask(&model, format, &second).await.expect("an answer");
        assert!(said.0 == 200 && said.1.contains("seen"), "{format:?}: {said:?}");
        model.assert_no_problems();
        let asked = model.requests();
        assert_eq!((asked[0].turn(), asked[1].turn()), (1, 2), "{format:?}");
        assert_eq!((asked[1].goal(), asked[1].last_result()), ("go", Some("a tree")), "{format:?}");
    }
}

/// Asks both requests, the second one changed; returns the broken rules.
async fn broken(format: WireFormat, change: impl Fn(String) -> String) -> String {
    let model = model(look_then_say());
    let (first, second) = bodies(format);
    ask(&model, format, &first).await.expect("an answer");
    let changed = change(second.to_string());
    assert_ne!(changed, second.to_string(), "{format:?}: the test changes something");
    let changed = serde_json::from_str(&changed).expect("JSON");
    ask(&model, format, &changed).await.expect("an answer");
    model.problems().join("\n")
}

#[tokio::test]
async fn a_history_that_was_changed_is_noticed_in_every_format() {
    for format in WireFormat::ALL {
        let goal = broken(format, |body| body.replace("\"go\"", "\"went\"")).await;
        assert!(goal.contains("never asked in this form"), "{format:?}: {goal}");
        let answer = broken(format, |body| {
            let body = body.replace("{\"at\":1}", "{\"at\":2}");
            body.replace("{\\\"at\\\":1}", "{\\\"at\\\":2}")
        });
        let answer = answer.await;
        assert!(answer.contains("none that was given"), "{format:?}: {answer}");
        let tools = broken(format, |body| body.replace("\"integer\"", "\"number\"")).await;
        assert!(tools.contains("byte for byte"), "{format:?}: {tools}");
    }
}

#[tokio::test]
async fn calls_without_their_results_are_noticed_in_every_format() {
    for format in WireFormat::ALL {
        let (_, mut second) = bodies(format);
        let messages = ["messages", "input", "contents"].into_iter().find(|name| second.get(*name).is_some());
        let list = second[messages.expect("there is one")].as_array_mut().expect("a list");
        list.pop();
        let model = model(look_then_say());
        ask(&model, format, &second).await.expect("an answer");
        let problems = model.problems().join("\n");
        assert!(problems.contains("have no result"), "{format:?}: {problems}");
    }
}

#[tokio::test]
async fn thoughts_whose_signature_is_lost_are_noticed_where_they_are_signed() {
    for format in [WireFormat::Responses, WireFormat::Anthropic, WireFormat::Gemini] {
        let problems =
            broken(format, |body| body.replace(&super::exchange::signature("I look"), "forged")).await;
        assert!(problems.contains("none that was given"), "{format:?}: {problems}");
    }
}

#[tokio::test]
async fn a_request_with_another_key_is_refused_and_one_without_breaks_a_rule() {
    let model = model(obliging());
    let (body, _) = bodies(WireFormat::Chat);
    let url = format!("{}/chat/completions", model.url(WireFormat::Chat));
    let client = Client::builder().no_proxy().build().expect("a client");
    let other =
        client.post(&url).bearer_auth("other").body(body.to_string()).send().await.expect("an answer");
    assert_eq!(other.status().as_u16(), 401);
    model.assert_no_problems();
    client.post(&url).body(body.to_string()).send().await.expect("an answer");
    assert!(model.problems()[0].contains("no key in authorization"), "{:?}", model.problems());
}

#[tokio::test]
async fn faults_look_like_faults_in_every_format() {
    for format in WireFormat::ALL {
        let (body, _) = bodies(format);
        let busy = ask(&model(steps([ModelStep::busy("2")])), format, &body).await.expect("an answer");
        assert_eq!(busy.0, 429, "{format:?}: {busy:?}");
        let overflow = ask(&model(steps([ModelStep::Overflow])), format, &body).await.expect("an answer");
        assert!(overflow.0 == 400 && !overflow.1.is_empty(), "{format:?}: {overflow:?}");
        let cut = ModelStep::say("a longer text than that").ending(StreamEnd::CutAfter(30));
        assert!(ask(&model(steps([cut])), format, &body).await.is_err(), "{format:?}");
    }
}

#[tokio::test]
async fn a_script_of_lines_follows_the_first_rule_that_fits() {
    let script = script_of_lines(
        "{\"times\": 1, \"then\": {\"status\": 503}}\n\
         {\"when\": {\"turn\": 1}, \"then\": {\"call\": [{\"name\": \"look\", \"arguments\": {\"at\": 1}}]}}\n\
         {\"when\": {\"last_result\": \"tree\"}, \"then\": {\"say\": \"a tree\"}}\n",
    );
    let model = model(script.expect("the script is valid"));
    let (first, second) = bodies(WireFormat::Chat);
    for (body, status, word) in [(&first, 503, "says so"), (&first, 200, "look"), (&second, 200, "a tree")] {
        let answer = ask(&model, WireFormat::Chat, body).await.expect("an answer");
        assert!(answer.0 == status && answer.1.contains(word), "{word}: {answer:?}");
    }
    model.assert_no_problems();
    assert!(script_of_lines("{\"then\": {\"shout\": true}}").is_err());
}
