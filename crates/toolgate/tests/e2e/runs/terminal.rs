//! `toolgate run` and `toolgate runs chat`: an agent that works here, as a person at the terminal sees it.

use std::process::Stdio;

use toolgate_testkit::gateway::{signal, until_async};
use toolgate_testkit::model::{ModelStep, ScriptedModel, StreamEnd, WireFormat, steps};

use crate::doors::WAIT;
use crate::live::site::Site;

/// A `[[models]]` entry.
fn entry(model: &ScriptedModel) -> String {
    let (provider, url) = (WireFormat::Chat.provider(), model.url(WireFormat::Chat));
    format!(
        "[[models]]\nname = \"large\"\nprovider = \"{provider}\"\nmodel = \"scripted\"\nurl = \"{url}\"\n"
    )
}

async fn only_run(site: &Site) -> (String, String) {
    let runs = site.get("/runs").await;
    let said =
        |key: &str| runs["runs"][0][key].as_str().unwrap_or_else(|| panic!("no run: {runs}")).to_owned();
    (said("id"), said("state"))
}

#[tokio::test]
async fn a_goal_is_worked_on_in_the_terminal_and_shown_again() {
    let model = ScriptedModel::start(steps([ModelStep::say("All is well.")]));
    let site = Site::open_with(&entry(&model));
    let output = site.gateway.cli(&["run", "Say how it is", "--model", "large"]);
    let (said, talked) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(said.matches("All is well.").count(), 1, "once, whether it came in pieces or whole: {said}");
    let (id, state) = only_run(&site).await;
    assert_eq!(state, "completed");
    assert!(talked.contains(&format!("{id} is completed")), "{talked}");
    let chat = site.say(&["runs", "chat", &id]);
    assert!(chat.contains("> Say how it is\n") && chat.contains("All is well.\n"), "{chat}");
    let shown = site.say(&["runs", "show", &id]);
    assert!(shown.contains("large, ") && shown.contains(" tokens in"), "{shown}");
    model.assert_no_problems();
}

#[tokio::test]
async fn ctrl_c_pauses_the_run_and_says_how_it_goes_on() {
    let begun = ModelStep::say("I begin, and go on for a long time").ending(StreamEnd::StallsAfter(200));
    let model = ScriptedModel::start(steps([begun]));
    let site = Site::open_with(&entry(&model));
    let mut command = site.gateway.cli_command(&["run", "Talk", "--model", "large"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let asked = until_async(WAIT, || async { (!model.requests().is_empty()).then_some(()) });
    asked.await.expect("the model is asked");
    signal("-INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    let talked = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let (id, state) = only_run(&site).await;
    assert_eq!(state, "paused");
    for way in ["resume", "cancel", "chat"] {
        assert!(talked.contains(&format!("toolgate runs {way} {id}")), "{way}: {talked}");
    }
}

#[tokio::test]
async fn work_that_cannot_begin_says_why() {
    let site = Site::open_with("");
    let said = site.refuse(&["run", "Do it", "--model", "nobody"]);
    assert!(said.contains("nobody") && said.contains("hint: "), "{said}");
    let said = site.refuse(&["run", "Do it", "--model", "nobody", "--file", "not-there.pdf"]);
    assert!(said.contains("not-there.pdf"), "{said}");
}
