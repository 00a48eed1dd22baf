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
fn fault(site: &Site, model: &ScriptedModel, format: WireFormat, step: ModelStep) -> Value {
    model.follow(steps([step]));
    let (succeeded, said) = tested(site, format.provider());
    assert!(!succeeded && said["ok"] == false, "{format:?}: {said}");
    assert!(
        said["fault"]["message"].as_str().is_some_and(|message| !message.is_empty()),
        "{format:?}: {said}"
    );
    assert!(said["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{format:?}: {said}");
    said["fault"].clone()
}

#[tokio::test]
async fn a_refusal_a_pause_and_nonsense_are_told_apart_in_every_format() {
    let model = ScriptedModel::start(steps([ModelStep::Nonsense]));
    let site = site(&model);
    for format in WireFormat::ALL {
        for (step, kind, status) in [
            (ModelStep::status(400), "refused", json!(400)),
            (ModelStep::status(401), "refused", json!(401)),
            (ModelStep::status(404), "refused", json!(404)),
            (ModelStep::busy("7"), "busy", json!(429)),
            (ModelStep::status(503), "busy", json!(503)),
            (ModelStep::Overflow, "overflow", json!(400)),
        ] {
            let fault = fault(&site, &model, format, step);
            assert_eq!((&fault["kind"], &fault["status"]), (&json!(kind), &status), "{format:?}: {fault}");
        }
        let wait = fault(&site, &model, format, ModelStep::busy("7"));
        assert_eq!(wait["retry_after_seconds"], 7, "{format:?}: {wait}");
        let nonsense = fault(&site, &model, format, ModelStep::Nonsense);
        assert_eq!(nonsense["kind"], "nonsense", "{format:?}: {nonsense}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_or_stalls_is_no_answer() {
    let model = ScriptedModel::start(steps([ModelStep::Nonsense]));
    let site = site(&model);
    let longer = ModelStep::say("A longer answer that never comes to its end");
    for format in WireFormat::ALL {
        let cut = fault(&site, &model, format, longer.clone().ending(StreamEnd::CutAfter(200)));
        assert_eq!(cut["kind"], "away", "{format:?}: {cut}");
        let stalled = fault(&site, &model, format, longer.clone().ending(StreamEnd::StallsAfter(200)));
        assert_eq!(stalled["kind"], "away", "{format:?}: {stalled}");
    }
    let silent = fault(&site, &model, WireFormat::Chat, ModelStep::silence());
    assert_eq!(silent["kind"], "away", "{silent}");
}

#[tokio::test]
async fn a_model_that_is_away_is_said_with_its_address() {
    let model = ScriptedModel::start(steps([ModelStep::say("ready")]));
    let site = Site::open_with(
        "[[models]]\nname = \"gone\"\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"http://127.0.0.1:9/v1\"\n",
    );
    let fault = fault(&site, &model, WireFormat::Chat, ModelStep::say("never asked"));
    assert_eq!(fault["kind"], "away", "{fault}");
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
