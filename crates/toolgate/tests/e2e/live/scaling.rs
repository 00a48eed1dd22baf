//! Several instances of one server: they share the load, and one that dies or fails affects no other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::site::{Site, done, registration};
use super::worker::Worker;
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, listed};

on_both!(
    killing_one_of_three_under_load_loses_no_call_that_only_reads,
    killing_one_of_three_under_load_runs_no_write_twice_and_loses_none_that_had_not_reached_it,
    the_ledger_says_which_instance_answered,
);

async fn the_ledger_says_which_instance_answered(backing: Backing) {
    let three = Three::start(backing).await;
    let client = three.site.agent();
    for number in 0..6 {
        call(&client, "jobs__write", json!({ "n": number })).await;
    }
    let ends = three.site.get("/ledger?kind=tool.call.completed&tool=jobs:write&order=oldest&limit=10").await;
    let ends = ends["events"].as_array().expect("a list");
    assert_eq!(ends.len(), 6);
    let ran: Vec<String> = three.ran().into_values().flatten().collect();
    let told: Vec<&str> =
        ends.iter().map(|end| end["detail"]["instance"].as_str().expect("an instance")).collect();
    assert_eq!(told, ran);
}

const INSTANCES: [&str; 3] = ["a", "b", "c"];
const CLIENTS: u64 = 16;

/// Three workers that record their calls.
struct Three {
    site: Site,
    token: String,
    workers: Vec<Worker>,
    journal: String,
}

impl Three {
    async fn start(backing: Backing) -> Self {
        let site = Site::open_on(backing, "");
        let token = site.server_token("jobs");
        let journal = site.word("journal");
        let worker = |instance: &&str| site.worker(&token, "jobs", instance, &["--journal", &journal]);
        let workers = INSTANCES.iter().map(worker).collect();
        site.healthy("jobs", INSTANCES.len()).await;
        listed(&site.gateway, "jobs__write").await;
        Self { site, token, workers, journal }
    }

    /// Kills one for good, and starts it again elsewhere under the same name.
    fn replace(&mut self, at: usize) {
        self.workers[at].kill();
        self.workers[at] =
            self.site.worker(&self.token, "jobs", INSTANCES[at], &["--journal", &self.journal]);
    }

    /// The executed calls, by number.
    fn ran(&self) -> BTreeMap<u64, Vec<String>> {
        let journal = std::fs::read_to_string(&self.journal).unwrap_or_default();
        let mut ran: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for line in journal.lines() {
            let line: Value = serde_json::from_str(line).expect("lines are written whole");
            let number = line["arguments"]["n"].as_u64().expect("calls have numbers");
            ran.entry(number).or_default().push(line["instance"].as_str().expect("an instance").to_owned());
        }
        ran
    }
}

/// Calls one after the other until told to stop; returns the numbers of the calls with their results.
fn keep_calling(
    client: HttpClient,
    tool: &'static str,
    number: u64,
    stop: tokio_util::sync::CancellationToken,
) -> JoinHandle<Vec<(u64, Value)>> {
    tokio::spawn(async move {
        let mut results = Vec::new();
        while !stop.is_cancelled() {
            let n = number * 1_000_000 + u64::try_from(results.len()).expect("few");
            results.push((n, call(&client, tool, json!({ "n": n, "ms": 3 })).await));
        }
        results
    })
}

/// Kills two of three, one after the other, while all clients call.
async fn under_load(three: &mut Three, tool: &'static str) -> Vec<Vec<(u64, Value)>> {
    const EACH: usize = 150;
    let stop = tokio_util::sync::CancellationToken::new();
    let busy: Vec<_> =
        (0..CLIENTS).map(|number| keep_calling(three.site.agent(), tool, number, stop.clone())).collect();
    for (round, victim) in [0, 1].into_iter().enumerate() {
        wait_for_calls(three, (2 * round + 1) * EACH).await;
        three.workers[victim].kill();
        wait_for_calls(three, (2 * round + 2) * EACH).await;
        three.replace(victim);
    }
    stop.cancel();
    let mut results = Vec::new();
    for one in busy {
        results.push(one.await.expect("every call is answered"));
    }
    three.site.say(&["ledger", "verify"]);
    results
}

async fn wait_for_calls(three: &Three, count: usize) {
    let enough = || async { (three.ran().len() >= count).then_some(()) };
    until_async(WAIT, enough).await.expect("calls go on");
}

#[tokio::test]
async fn three_instances_share_the_load() {
    const CALLS: u64 = 120;
    let three = Three::start(Backing::Sqlite).await;
    let calls: Vec<_> = (0..CALLS)
        .map(|n| {
            let client = three.site.agent();
            tokio::spawn(async move { call(&client, "jobs__work", json!({ "n": n, "ms": 20 })).await })
        })
        .collect();
    let mut shares: BTreeMap<String, u64> = BTreeMap::new();
    for one in calls {
        let result = one.await.expect("answered");
        *shares.entry(done(&result)["instance"].as_str().expect("an instance").to_owned()).or_default() += 1;
    }
    assert!(shares.len() == 3 && shares.values().all(|share| *share >= CALLS / 6), "{shares:?}");
    let vitals = &three.site.server("jobs").await["vitals"];
    let counts: u64 = vitals["instances"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["latency"]["count"].as_u64())
        .sum();
    assert_eq!((counts, &vitals["latency"]["count"]), (CALLS, &json!(CALLS)), "{vitals}");
    assert!(vitals["latency"]["p50_ms"].as_f64().is_some_and(|ms| ms >= 15.0), "{vitals}");
}

async fn killing_one_of_three_under_load_loses_no_call_that_only_reads(backing: Backing) {
    let mut three = Three::start(backing).await;
    let results = under_load(&mut three, "jobs__work").await;
    for (n, result) in results.iter().flatten() {
        assert_eq!(done(result)["arguments"]["n"], *n, "{result}");
    }
}

async fn killing_one_of_three_under_load_runs_no_write_twice_and_loses_none_that_had_not_reached_it(
    backing: Backing,
) {
    const KILLS: usize = 2;
    let mut three = Three::start(backing).await;
    let results = under_load(&mut three, "jobs__write").await;
    let ran = three.ran();
    for (n, instances) in &ran {
        assert_eq!(instances.len(), 1, "call {n} ran more than once: {instances:?}");
    }
    let asked: BTreeSet<u64> = results.iter().flatten().map(|(n, _)| *n).collect();
    assert!(ran.keys().all(|n| asked.contains(n)), "something ran that nobody asked for");
    for client in &results {
        let failed: Vec<_> = client.iter().filter(|(_, result)| result["isError"] == true).collect();
        // A client has one call in progress at a time, so only one of its calls can be at an instance that is
        // killed.
        assert!(failed.len() <= KILLS, "calls were lost that came later: {failed:?}");
        for (n, result) in client {
            if result["isError"] == true {
                let text = crate::kit::text(result);
                assert!(text.contains("was lost during the call"), "{result}");
                let place = ran.get(n).map(|instances| instances[0].as_str());
                assert_ne!(place, Some("c"), "an instance that lived lost a call: {result}");
            } else {
                let instance = done(result)["instance"].as_str().expect("an instance");
                assert_eq!(ran.get(n).map(Vec::as_slice), Some([instance.to_owned()].as_slice()), "{result}");
            }
        }
    }
}

#[tokio::test]
async fn an_instance_that_keeps_failing_is_left_alone_and_comes_back() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let broken = site.word("broken");
    let _good: Vec<Worker> = ["a", "b"].iter().map(|one| site.worker(&token, "jobs", one, &[])).collect();
    let _bad = site.worker(&token, "jobs", "bad", &["--broken", &broken]);
    site.healthy("jobs", 3).await;
    listed(&site.gateway, "jobs__work").await;
    let agent = site.agent();
    site.write("broken", "");
    let resting = |server: &Value| -> Option<f64> {
        let instances = server["vitals"]["instances"].as_array()?;
        instances.iter().find(|one| one["name"] == "bad")?["resting_seconds"].as_f64()
    };
    let rests = until_async(WAIT, || async {
        call(&agent, "jobs__work", json!({ "n": 1 })).await;
        resting(&site.server("jobs").await)
    });
    rests.await.expect("it is left alone after a few failures");
    let mut failures = 0;
    for n in 0..40 {
        let result = call(&agent, "jobs__work", json!({ "n": n })).await;
        failures += u64::from(result["isError"] == true);
    }
    assert!(failures <= 1, "{failures} calls went to an instance that rests");
    std::fs::remove_file(&broken).expect("it was there");
    let back = until_async(WAIT, || async {
        let result = call(&agent, "jobs__work", json!({ "n": 1 })).await;
        (done(&result)["instance"] == "bad").then_some(())
    });
    back.await.expect("it is tried again and comes back");
    assert_eq!(resting(&site.server("jobs").await), None);
}

#[tokio::test]
async fn a_server_whose_only_instance_keeps_failing_says_so() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let broken = site.word("broken");
    let _worker = site.worker(&token, "jobs", "a", &["--broken", &broken]);
    listed(&site.gateway, "jobs__work").await;
    site.write("broken", "");
    let agent = site.agent();
    let mut texts = Vec::new();
    for _ in 0..8 {
        texts.push(super::site::failure(&call(&agent, "jobs__work", json!({})).await).to_owned());
    }
    assert!(texts[..5].iter().all(|text| text.contains("500")), "{texts:?}");
    assert!(
        texts[5..].iter().all(|text| text.contains("paused for a while") && text.contains("hint")),
        "{texts:?}"
    );
    std::fs::remove_file(&broken).expect("it was there");
    let back = until_async(WAIT, || async {
        let result = call(&agent, "jobs__work", json!({})).await;
        (result["isError"] != true).then_some(())
    });
    back.await.expect("it comes back");
}

/// Three workers of the older era, which assign session ids.
async fn older(site: &Site) -> BTreeMap<String, Worker> {
    let token = site.server_token("jobs");
    let mut workers: BTreeMap<String, Worker> = BTreeMap::new();
    for instance in INSTANCES {
        let worker = site.worker(&token, "jobs", instance, &["--era", "legacy"]);
        workers.insert(instance.to_owned(), worker);
    }
    site.healthy("jobs", 3).await;
    listed(&site.gateway, "jobs__work").await;
    workers
}

#[tokio::test]
async fn one_principal_is_served_by_all_instances_also_where_they_give_session_ids() {
    let site = Site::open();
    let _workers = older(&site).await;
    let mut shares: BTreeMap<String, usize> = BTreeMap::new();
    for n in 0..120 {
        let result = call(&site.agent(), "jobs__work", json!({ "n": n })).await;
        let instance = done(&result)["instance"].as_str().expect("an instance").to_owned();
        *shares.entry(instance).or_default() += 1;
    }
    assert!(shares.len() == 3 && shares.values().all(|share| *share > 5), "{shares:?}");
}

#[tokio::test]
async fn the_session_of_a_client_stays_with_one_instance_and_sessions_spread() {
    let site = Site::open();
    let _workers = older(&site).await;
    let mut homes = BTreeSet::new();
    for _ in 0..12 {
        let mut client = site.agent();
        client.initialize("2025-11-25").await;
        let mut seen = BTreeSet::new();
        for n in 1..6 {
            let params = json!({ "name": "jobs__work", "arguments": { "n": n } });
            let result = client.legacy(n, "tools/call", params).await.result();
            seen.insert(done(&result)["instance"].as_str().expect("an instance").to_owned());
        }
        assert_eq!(seen.len(), 1, "a session stays where it is: {seen:?}");
        homes.extend(seen);
    }
    assert!(homes.len() > 1, "sessions are spread: {homes:?}");
}

#[tokio::test]
async fn with_the_affinity_of_principals_each_stays_with_one_instance() {
    let site = Site::open_with("[[servers]]\nname = \"jobs\"\nregistered = true\naffinity = \"principal\"\n");
    let mut workers = older(&site).await;
    let mut homes = BTreeSet::new();
    for principal in ["ann", "ben", "cid", "dot", "eve", "fay"] {
        let client = site.agent_with(&site.token(&format!("--role agent --principal {principal}")));
        homes.insert(home(&client).await);
        // The same principal with another token has the same session.
        let again = site.agent_with(&site.token(&format!("--role agent --principal {principal}")));
        assert_eq!(home(&again).await, home(&client).await, "{principal}");
    }
    assert!(homes.len() > 1, "principals are spread: {homes:?}");
    let ann = site.agent_with(&site.token("--role agent --principal ann"));
    let first = home(&ann).await;
    workers.remove(&first);
    let moved = home(&ann).await;
    assert_ne!(moved, first, "a session moves when its instance is gone");
}

/// The instance of all calls of a principal.
async fn home(client: &HttpClient) -> String {
    let mut seen = BTreeSet::new();
    for n in 0..12 {
        let result = call(client, "jobs__work", json!({ "n": n })).await;
        seen.insert(done(&result)["instance"].as_str().expect("an instance").to_owned());
    }
    assert_eq!(seen.len(), 1, "a session stays where it is: {seen:?}");
    seen.pop_first().expect("one")
}

#[tokio::test]
async fn an_instance_gets_no_more_at_once_than_it_said() {
    let site = Site::open();
    let workers: Vec<Worker> =
        ["a", "b"].iter().map(|one| Worker::start(&["--name", "jobs", "--instance", one])).collect();
    for (worker, id) in workers.iter().zip(["a", "b"]) {
        let mut one = registration("jobs", id);
        (one["url"], one["concurrency_max"]) = (json!(worker.url), json!(1));
        assert_eq!(site.register(&site.gateway.admin, one).await.status, 200);
    }
    site.healthy("jobs", 2).await;
    listed(&site.gateway, "jobs__work").await;
    let began = Instant::now();
    let calls: Vec<_> = (0..6)
        .map(|n| {
            let client = site.agent();
            tokio::spawn(async move { call(&client, "jobs__work", json!({ "n": n, "ms": 200 })).await })
        })
        .collect();
    for one in calls {
        done(&one.await.expect("answered"));
    }
    assert!(began.elapsed().as_millis() >= 600, "six of 200 ms, two at a time: {:?}", began.elapsed());
}

#[tokio::test]
async fn an_instance_that_hangs_holds_up_only_what_is_there_and_is_soon_asked_no_more() {
    let site = Site::open_with("[[tools]]\nname = \"jobs:*\"\ntimeout_seconds = 1\n");
    let token = site.server_token("jobs");
    let workers: Vec<Worker> = INSTANCES.iter().map(|one| site.worker(&token, "jobs", one, &[])).collect();
    site.healthy("jobs", 3).await;
    listed(&site.gateway, "jobs__work").await;
    let stop = tokio_util::sync::CancellationToken::new();
    workers[1].pause();
    let busy: Vec<_> =
        (0..CLIENTS).map(|number| keep_calling(site.agent(), "jobs__work", number, stop.clone())).collect();
    site.server_is("jobs", |server| server["instances"].as_array().map(Vec::len) == Some(2)).await;
    stop.cancel();
    let (mut done_well, mut held_up) = (0, 0);
    for one in busy {
        for (_, result) in one.await.expect("every call is answered") {
            match result["isError"] == true {
                true => held_up += 1,
                false => done_well += 1,
            }
        }
    }
    // As many as are possible before it is paused, and a probe now and then.
    assert!(held_up <= 2 * CLIENTS && done_well > 20 * held_up, "{held_up} held up, {done_well} done");
    for n in 0..20 {
        assert_ne!(done(&call(&site.agent(), "jobs__work", json!({ "n": n })).await)["instance"], "b");
    }
    workers[1].go_on();
    site.healthy("jobs", 3).await;
    let back = until_async(WAIT, || async {
        let result = call(&site.agent(), "jobs__work", json!({ "n": 1 })).await;
        (done(&result)["instance"] == "b").then_some(())
    });
    back.await.expect("it registers again and is asked again");
}
