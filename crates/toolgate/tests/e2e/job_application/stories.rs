//! One application of each kind, with the faults of sites, and people in between.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolgate_testkit::applicant::SUBMIT;
use toolgate_testkit::gateway::until_async;

use super::person::InboxPerson;
use super::stage::{ApplicationStage, LONG, PASSWORD, name_of, vacancies_of_the_example};

/// Lets a person attend until a run has ended.
async fn ended(stage: &ApplicationStage, run: &str, person: &mut InboxPerson) -> Value {
    let began = std::time::Instant::now();
    while !stage.has_ended(run).await {
        assert!(began.elapsed() < LONG, "it never ended: {:?}", stage.chat(run).await.last());
        person.attend(stage).await;
        tokio::time::sleep(std::time::Duration::from_millis(40)).await;
    }
    stage.show(run).await
}

#[tokio::test]
async fn each_kind_of_form_is_sent_once_and_people_are_asked_in_between() {
    let vacancies = vacancies_of_the_example();
    let stage = ApplicationStage::open(&vacancies).await;
    assert!(stage.site.say(&["policy", "check"]).contains("0 errors"), "the gates fit the tools");
    let task = stage.task(20).await;
    let run = stage.start_by_automation(&task).await;
    let mut person = InboxPerson::default();
    let shown = ended(&stage, &run, &mut person).await;
    assert_eq!(shown["state"], "completed", "{shown}");

    let received = stage.received().await;
    let expected: BTreeMap<String, usize> = vacancies.iter().map(|path| (name_of(path), 1)).collect();
    assert_eq!(received, expected, "the site has each once");
    let all = stage.applications().await.expect("the product is there");
    for one in &all {
        let fails = one["url"].as_str().is_some_and(|url| url.contains("fault=error"));
        let status = if fails { "needs_person" } else { "confirmed" };
        assert_eq!(one["status"], status, "{one}");
        if fails {
            assert!(
                one["evidence"]["text"].as_str().is_some_and(|text| text.contains("Unknown outcome")),
                "{one}"
            );
        }
    }
    // Two sites refuse the first attempt.
    assert_eq!(person.approved.len(), vacancies.len() + 2, "{:?}", person.approved);
    assert!(person.approved.iter().all(|arguments| arguments["expect"] == SUBMIT), "{:?}", person.approved);
    assert_eq!((person.captchas, person.codes, person.unknown), (1, 1, 0));
    pictures_are_refs(&stage, &run, &all).await;
    nothing_has_the_password(&stage, &run).await;
    stage.verify();
}

/// Screenshots are refs of the run, with their media type, and evidence names them.
async fn pictures_are_refs(stage: &ApplicationStage, run: &str, all: &[Value]) {
    let ends = stage.site.get(&format!("/ledger?run={run}&kind=tool.call.completed&limit=1000")).await;
    let refs =
        ends["events"].as_array().expect("a list").iter().flat_map(|end| end["detail"]["refs"].as_array());
    let pictures: BTreeSet<&str> = refs
        .flatten()
        .filter(|one| one["media_type"] == "image/jpeg")
        .filter_map(|one| one["ref_id"].as_str())
        .collect();
    let evidence: Vec<&str> =
        all.iter().filter_map(|one| one["evidence"]["screenshotRef"].as_str()).collect();
    assert_eq!(evidence.len(), all.len() - 1, "each confirmed one has a picture: {all:?}");
    for id in evidence {
        assert!(pictures.contains(id), "{id} is none of {pictures:?}");
        let content = stage.rest("GET", &format!("/refs/{id}/content"), None).await;
        assert!(
            content.status == 200 && content.headers["content-type"] == "image/jpeg",
            "{}",
            content.status
        );
    }
}

/// The password went from the vault to the page, and nowhere else.
async fn nothing_has_the_password(stage: &ApplicationStage, run: &str) {
    let chat = json!(stage.chat(run).await).to_string();
    assert!(chat.contains("cred_") && !chat.contains(PASSWORD), "the model saw the handle alone");
    assert!(!stage.site.say(&["ledger", "export"]).contains(PASSWORD));
    assert!(!stage.site.gateway.log().join("\n").contains(PASSWORD));
}

#[tokio::test]
async fn an_application_that_a_person_refuses_is_not_sent() {
    let stage = ApplicationStage::open(&["/jobs/form/3001".to_owned()]).await;
    let task = stage.task(1).await;
    let run = stage.start(&task).await;
    let mut person = InboxPerson { refuses: true, ..InboxPerson::default() };
    let shown = ended(&stage, &run, &mut person).await;
    assert_eq!(shown["state"], "completed", "{shown}");
    assert_eq!(stage.received().await, BTreeMap::new());
    let there = until_async(LONG, || async { stage.applications().await });
    let all = there.await.expect("the product is there");
    assert_eq!(all[0]["status"], "failed", "{all:?}");
}
