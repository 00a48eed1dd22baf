//! The waterfall of a run whose agent the gateway drives, the chat beside it, and two such runs compared.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelScript, ModelStep, ScriptedCall, ScriptedModel, WireFormat};

use super::axe;
use super::office::Office;
use super::person::{DESK, PHONE, Person, Screen};
use super::pictures;
use crate::doors::WAIT;
use crate::governed::bank::money;

const WIDE: Screen = Screen { name: "wide", width: 1920, height: 1080 };
/// The kinds of the bars, in their order; every row has one bar within the axis.
const BARS: &str = "const rows = [...document.querySelectorAll('#steps tbody tr')]; \
    return rows.map(row => { const axis = row.querySelector('svg.wf').getBoundingClientRect(); \
    const bar = row.querySelector('svg.wf rect'); const at = bar.getBoundingClientRect(); \
    const fits = at.left >= axis.left - 1 && at.right <= axis.right + 1 && at.width > 0; \
    return fits ? bar.getAttribute('class') : 'outside' })";
/// The chat stands right of the steps, or below them.
const CHAT: &str = "const at = (id) => document.getElementById(id).getBoundingClientRect(); \
    return at('beside').left >= at('steps').right ? 'beside' : at('beside').top >= at('steps').bottom ? 'below' : 'over'";
const PAGE_BYTES_MAX: u64 = 100 << 10;

fn balance(account: &str) -> ScriptedCall {
    ScriptedCall::new("bank__balance", &json!({ "account": account }))
}

/// The first run looks at DE1 and DE2 and moves 7; the second looks at DE3 instead of DE2, and once more.
fn two_ways() -> ModelScript {
    let runs = AtomicUsize::new(0);
    Arc::new(move |asked| {
        let is_first = match asked.turn() {
            1 => runs.fetch_add(1, Ordering::SeqCst) == 0,
            _ => runs.load(Ordering::SeqCst) == 1,
        };
        match (asked.turn(), is_first) {
            (1, true) => ModelStep::calls([balance("DE1"), balance("DE2")]),
            (1, false) => ModelStep::calls([balance("DE1"), balance("DE3")]),
            (2, true) => ModelStep::call("bank__transfer", &money(7)),
            (2, false) => ModelStep::calls([balance("DE1")]),
            _ => ModelStep::complete("looked around"),
        }
    })
}

struct Driven {
    office: Office,
    task: String,
}

impl Driven {
    async fn open(model: &ScriptedModel) -> Self {
        let models = format!(
            "[[models]]\nname = \"scripted\"\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"{}\"\n\
             prices = {{ input = 3, output = 15, currency = \"EUR\" }}\n",
            model.url(WireFormat::Chat)
        );
        let office = Office::open_with(&models).await;
        let task =
            json!({ "name": "Look at accounts", "goal": "Look at accounts <b>now</b>", "model": "scripted" });
        let task = Self::made(&office, &office.admin(), "/tasks", task).await;
        Self { office, task }
    }

    async fn made(office: &Office, token: &str, path: &str, body: Value) -> String {
        let made = office.site().rest(token, "POST", path, Some(body)).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.json()["id"].as_str().expect("it has an id").to_owned()
    }

    async fn run(&self) -> String {
        let path = format!("/tasks/{}/runs", self.task);
        Self::made(&self.office, &self.office.helper.token, &path, json!({})).await
    }

    async fn becomes(&self, run: &str, state: &str) {
        self.office.site().becomes(&format!("/runs/{run}"), |shown| shown["state"] == state).await;
    }

    /// Approves what a run waits for.
    async fn approve(&self, run: &str) {
        let waits = until_async(WAIT, || async {
            let shown = self.office.site().get(&format!("/runs/{run}")).await;
            shown["driven"]["action"]["id"].as_str().map(str::to_owned)
        });
        let approval = waits.await.expect("it waits for a person");
        let said =
            self.office.decide(&self.office.admin(), &approval, json!({ "decision": "approve" })).await;
        assert_eq!(said.status, 200, "{said:?}");
    }
}

#[tokio::test]
async fn a_run_is_seen_as_a_waterfall_with_its_model_its_approval_and_its_chat() {
    let model = ScriptedModel::start(two_ways());
    let driven = Driven::open(&model).await;
    let run = driven.run().await;
    driven.becomes(&run, "paused").await;
    let person = Person::logged_in(driven.office.gateway(), &driven.office.token("admin", "ada")).await;
    person.open(&format!("/console/runs/{run}")).await;
    person.sees("Approval of bank:transfer").await;
    person.sees("so far").await;
    person.sees("Waits for an approval").await;
    person.is_live().await;
    driven.approve(&run).await;
    driven.becomes(&run, "completed").await;
    person.sees("turn 3").await;
    person.sees_no("so far").await;
    for told in ["bank:balance", "bank:transfer", "tokens", "EUR", "looked around"] {
        person.sees(told).await;
    }
    let bars = person.run(BARS, vec![]).await;
    let count = |kind: &str| bars.as_array().into_iter().flatten().filter(|bar| **bar == kind).count();
    assert_eq!((count("turn"), count("wait"), count("outside")), (3, 1, 0), "{bars}");
    assert!(count("call") >= 3, "{bars}");
    for (screen, place) in [(WIDE, "beside"), (DESK, "below"), (PHONE, "below")] {
        person.sits_at(screen).await;
        assert_eq!(person.run(CHAT, vec![]).await, place, "{}", screen.name);
        assert_eq!(person.sticks_out().await, None, "{}", screen.name);
        assert_eq!(axe::findings(&person).await, Vec::<String>::new(), "{}", screen.name);
        pictures::keep(&person, &format!("waterfall-{}", screen.name)).await;
    }
    let size = person.run("return document.documentElement.outerHTML.length", vec![]).await;
    assert!(size.as_u64() < Some(PAGE_BYTES_MAX), "{size}");
    person.leaves().await;
    model.assert_no_problems();
}

#[tokio::test]
async fn two_runs_are_compared_and_their_first_difference_is_marked() {
    let model = ScriptedModel::start(two_ways());
    let driven = Driven::open(&model).await;
    let first = driven.run().await;
    driven.becomes(&first, "paused").await;
    driven.approve(&first).await;
    driven.becomes(&first, "completed").await;
    let second = driven.run().await;
    driven.becomes(&second, "completed").await;
    let person = Person::logged_in(driven.office.gateway(), &driven.office.token("admin", "ada")).await;
    person.open("/console/runs").await;
    for run in [&first, &second] {
        person.tick(&format!("Compare {run}")).await;
    }
    person.click("Compare two").await;
    person.gets_to("/console/runs/compare").await;
    for told in [
        "Cost",
        "EUR",
        "differs",
        "only in A",
        "only in B",
        "first different call",
        "First difference in arguments",
    ] {
        person.sees(told).await;
    }
    for account in ["DE2", "DE3"] {
        person.sees(account).await;
    }
    for screen in [DESK, PHONE] {
        person.sits_at(screen).await;
        assert_eq!(person.sticks_out().await, None, "{}", screen.name);
        assert_eq!(axe::findings(&person).await, Vec::<String>::new(), "{}", screen.name);
        pictures::keep(&person, &format!("compare-{}", screen.name)).await;
    }
    person.sits_at(DESK).await;
    person.open(&format!("/console/runs/{first}")).await;
    person.click("Compare").await;
    person.sees("Other runs of its task").await;
    person.open(&format!("/console/runs/compare?a={first}&b={first}")).await;
    person.sees("Each row pairs calls of the same tool in order").await;
    person.sees_no("first different call").await;
    person.open("/console/runs/compare").await;
    person.fill("Run A", &first).await;
    person.fill("Run B", "run_none").await;
    person.click("Compare").await;
    person.sees("Nothing found here").await;
    person.leaves_forgiving(&["status of 404"]).await;
}
