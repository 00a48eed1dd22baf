//! `toolgate runs` and `toolgate inputs`, against the gateway that runs on the data folder.

use serde_json::{Value, json};

use super::work::{NO_HOLD, Work};
use crate::files::archive::Archive;

fn read(said: &str) -> Value {
    serde_json::from_str(said).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[tokio::test]
async fn a_run_is_shown_its_question_is_answered_and_it_is_cancelled() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let question = json!({ "slot_type": "multi_choice", "slot_id": "colours", "prompt_key": "Which?", "options": ["red", "blue"] });
    let asked = work.ask(question).await;
    let run = &work.id;
    let say = |arguments: &[&str]| archive.site.say(arguments);
    assert!(say(&["runs", "list", "--state", "paused"]).contains(run));
    assert!(say(&["runs", "show", run]).contains(&asked));
    assert!(say(&["inputs", "list"]).contains(&asked));
    assert!(say(&["inputs", "show", &asked]).contains("blue"));
    let wrong = archive.site.refuse(&["inputs", "answer", &asked, "green"]);
    assert!(wrong.contains("green"), "{wrong}");
    let answered = read(&say(&["--json", "inputs", "answer", &asked, "blue,red"]));
    assert_eq!(answered["answer"], json!(["blue", "red"]));
    assert_eq!(work.state(&archive).await, "running");
    say(&["runs", "pause", run]);
    assert_eq!(work.state(&archive).await, "paused");
    say(&["runs", "resume", run]);
    say(&["runs", "cancel", run, "--reason", "enough"]);
    let ended = read(&say(&["--json", "runs", "show", run]));
    assert_eq!(ended["state"], "cancelled", "{ended}");
}
