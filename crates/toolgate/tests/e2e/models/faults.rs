//! The faults of models, as their test tells them.

use serde_json::{Value, json};
use toolgate_testkit::model::{
    ModelStep, ScriptedAnswer, ScriptedCall, ScriptedModel, StreamEnd, WireFormat, steps,
};

use super::{entry, tested};
use crate::live::site::Site;

const IMPATIENT: &str = "limits = { silence_seconds = 0.5, answer_seconds = 20 }\n";

/// All formats at one model.
fn site(model: &ScriptedModel) -> Site {
    let entries: String =
        WireFormat::ALL.iter().map(|format| entry(format.provider(), *format, model, IMPATIENT)).collect();
    Site::open_with(&entries)
}

/// Tests a model that does this; returns its fault.
async fn fault(site: &Site, model: &ScriptedModel, name: &str, step: ModelStep) -> Value {
    model.follow(steps([step]));
    let path = format!("/models/{name}/test");
    let answer = site.rest(&site.gateway.admin, "POST", &path, Some(json!({}))).await;
    assert_eq!(answer.status, 200, "a model that fails is a finding: {answer:?}");
    let said = answer.json();
    assert_eq!(said["ok"], false, "{name}: {said}");
    assert!(said["fault"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{name}: {said}");
    assert!(said["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{name}: {said}");
    said["fault"].clone()
}

#[tokio::test]
async fn a_refusal_a_pause_and_nonsense_are_told_apart_in_every_format() {
    let model = ScriptedModel::start(steps([ModelStep::Nonsense]));
    let site = site(&model);
    for name in WireFormat::ALL.map(WireFormat::provider) {
        for (step, kind, status) in [
            (ModelStep::status(400), "refused", json!(400)),
            (ModelStep::status(401), "refused", json!(401)),
            (ModelStep::status(404), "refused", json!(404)),
            (ModelStep::busy("7"), "busy", json!(429)),
            (ModelStep::status(503), "busy", json!(503)),
            (ModelStep::Overflow, "overflow", json!(400)),
        ] {
            let fault = fault(&site, &model, name, step).await;
            assert_eq!((&fault["kind"], &fault["status"]), (&json!(kind), &status), "{name}: {fault}");
        }
        let wait = fault(&site, &model, name, ModelStep::busy("7")).await;
        assert_eq!(wait["retry_after_seconds"], 7, "{name}: {wait}");
        let nonsense = fault(&site, &model, name, ModelStep::Nonsense).await;
        assert_eq!(nonsense["kind"], "nonsense", "{name}: {nonsense}");
    }
    let (succeeded, said) = tested(&site, "openai");
    assert!(!succeeded && said["fault"]["kind"] == "nonsense", "the command says the same: {said}");
}

#[tokio::test]
async fn a_stream_that_breaks_or_stalls_is_no_answer() {
    let model = ScriptedModel::start(steps([ModelStep::Nonsense]));
    let site = site(&model);
    let longer = ModelStep::say("A longer answer that never comes to its end");
    for name in WireFormat::ALL.map(WireFormat::provider) {
        let cut = fault(&site, &model, name, longer.clone().ending(StreamEnd::CutAfter(200))).await;
        assert_eq!(cut["kind"], "away", "{name}: {cut}");
    }
    let stalled = fault(&site, &model, "openai", longer.ending(StreamEnd::StallsAfter(200))).await;
    assert_eq!(stalled["kind"], "away", "{stalled}");
    let silent = fault(&site, &model, "ollama", ModelStep::silence()).await;
    assert_eq!(silent["kind"], "away", "{silent}");
}

#[tokio::test]
async fn a_model_that_is_away_is_a_fault_with_advice() {
    let model = ScriptedModel::start(steps([ModelStep::say("never asked")]));
    let site = Site::open_with(
        "[[models]]\nname = \"gone\"\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"http://127.0.0.1:9/v1\"\n",
    );
    let fault = fault(&site, &model, "gone", ModelStep::say("never asked")).await;
    assert_eq!(fault["kind"], "away", "{fault}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_call_whose_arguments_are_no_object_is_no_call_of_a_tool() {
    let model = ScriptedModel::start(steps([ModelStep::Nonsense]));
    let site = site(&model);
    for format in WireFormat::ALL {
        let broken = ScriptedAnswer::default().say("I call");
        let broken = broken.call(ScriptedCall::raw("toolgate_probe", "{\"word\": \"rea")).cut_off();
        model.follow(steps([broken.into()]));
        let (succeeded, said) = tested(&site, format.provider());
        assert!(!succeeded && said["calls_tools"] == false, "{format:?}: {said}");
    }
}
