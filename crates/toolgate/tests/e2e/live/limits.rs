//! Limits of servers and tools, and results that are used again.

use std::time::Instant;

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::site::{Site, done, failure};
use super::worker::Worker;
use crate::kit::{call, text};

const BOTH: [&str; 2] = ["jobs__work", "jobs__write"];

/// A site with a worker that records its calls.
async fn with_worker(more: &str, extras: Value) -> (Site, Worker) {
    let site = Site::open_with(more);
    let token = site.server_token("jobs");
    site.write("extras.json", &extras.to_string());
    let (extras, journal) = (site.word("extras.json"), site.word("journal"));
    let worker = site.worker(&token, "jobs", "a", &["--extras", &extras, "--journal", &journal]);
    site.sees(&site.agent(), &BOTH).await;
    (site, worker)
}

fn ran(site: &Site) -> usize {
    std::fs::read_to_string(site.path("journal")).unwrap_or_default().lines().count()
}

#[tokio::test]
async fn a_tool_has_a_time_out_of_its_own() {
    let (site, _worker) = with_worker(
        "[[tools]]\nname = \"jobs:write\"\ntimeout_seconds = 0.4\n",
        json!({ "work": { "timeout_seconds": 0.3 } }),
    )
    .await;
    let agent = site.agent();
    for (name, seconds) in [("jobs__work", "0.3 s"), ("jobs__write", "0.4 s")] {
        let began = Instant::now();
        let result = call(&agent, name, json!({ "ms": 5000 })).await;
        assert!(failure(&result).contains(&format!("did not answer within {seconds}")), "{result}");
        assert!(began.elapsed().as_secs() < 4, "{:?}", began.elapsed());
        done(&call(&agent, name, json!({ "ms": 1 })).await);
    }
}

#[tokio::test]
async fn calls_beyond_the_rate_are_refused_and_reach_nobody() {
    let (site, _worker) = with_worker("[[tools]]\nname = \"jobs:write\"\nrate = \"3/h\"\n", json!({})).await;
    let agent = site.agent();
    for n in 0..3 {
        done(&call(&agent, "jobs__write", json!({ "n": n })).await);
    }
    let result = call(&agent, "jobs__write", json!({ "n": 4 })).await;
    assert!(failure(&result).contains("hint: repeat the call in"), "{result}");
    assert_eq!(ran(&site), 3);
    done(&call(&agent, "jobs__work", json!({ "n": 5 })).await);
    let ends = site.told("tool.call.completed").await;
    assert_eq!(ends.iter().filter(|end| end["outcome"] == "succeeded").count(), 4, "{ends:?}");
}

#[tokio::test]
async fn a_server_has_a_rate_for_all_its_tools() {
    let expected = "[[servers]]\nname = \"jobs\"\nregistered = true\nrate = \"4/h\"\n";
    let (site, _worker) = with_worker(expected, json!({})).await;
    let agent = site.agent();
    let mut succeeded = 0;
    for n in 0..6 {
        let name = BOTH[n % 2];
        succeeded += usize::from(call(&agent, name, json!({ "n": n })).await["isError"] != true);
    }
    assert_eq!((succeeded, ran(&site)), (4, 4));
}

#[tokio::test]
async fn a_tool_gets_no_more_at_once_than_it_may() {
    let (site, _worker) =
        with_worker("[[tools]]\nname = \"jobs:work\"\nconcurrency_max = 1\n", json!({})).await;
    let began = Instant::now();
    let calls: Vec<_> = (0..4)
        .map(|n| {
            let client = site.agent();
            tokio::spawn(async move { call(&client, "jobs__work", json!({ "n": n, "ms": 150 })).await })
        })
        .collect();
    // The other tool of the same server does not wait.
    done(&call(&site.agent(), "jobs__write", json!({ "n": 1 })).await);
    let other = began.elapsed();
    for one in calls {
        done(&one.await.expect("answered"));
    }
    assert!(began.elapsed().as_millis() >= 600, "{:?}", began.elapsed());
    assert!(other < began.elapsed(), "{other:?}");
}

/// The cached flag of each call in the ledger.
async fn cached(site: &Site) -> Vec<bool> {
    let ends = site.told("tool.call.completed").await;
    ends.iter().map(|end| end["detail"]["cached"] == true).collect()
}

#[tokio::test]
async fn a_result_is_used_again_for_whoever_got_it() {
    let (site, _worker) =
        with_worker("[[tools]]\nname = \"jobs:work\"\ncache_seconds = 600\n", json!({})).await;
    let (ann, ben) = (as_principal(&site, "ann"), as_principal(&site, "ben"));
    let first = call(&ann, "jobs__work", json!({ "n": 1 })).await;
    let second = call(&ann, "jobs__work", json!({ "n": 1 })).await;
    assert_eq!((done(&first), ran(&site)), (done(&second), 1));
    call(&ann, "jobs__work", json!({ "n": 2 })).await;
    assert_eq!(ran(&site), 2, "other arguments are another call");
    call(&ben, "jobs__work", json!({ "n": 1 })).await;
    assert_eq!(ran(&site), 3, "what ann got is hers");
    let again = as_principal(&site, "ann");
    call(&again, "jobs__work", json!({ "n": 1 })).await;
    assert_eq!(ran(&site), 3, "the same principal with another token");
    assert_eq!(cached(&site).await, [false, true, false, false, true]);
}

fn as_principal(site: &Site, principal: &str) -> HttpClient {
    site.agent_with(&site.token(&format!("--role agent --principal {principal}")))
}

#[tokio::test]
async fn what_a_result_says_of_itself_counts_more() {
    let (site, _worker) =
        with_worker("[[tools]]\nname = \"jobs:work\"\ncache_seconds = 600\n", json!({})).await;
    let (ann, ben) = (as_principal(&site, "ann"), as_principal(&site, "ben"));
    let never = json!({ "n": 1, "ttlMs": 0 });
    for expected in 1..=3 {
        call(&ann, "jobs__work", never.clone()).await;
        assert_eq!(ran(&site), expected, "it is not to be used again");
    }
    let public = json!({ "n": 2, "ttlMs": 600_000, "cacheScope": "public" });
    call(&ann, "jobs__work", public.clone()).await;
    call(&ben, "jobs__work", public).await;
    assert_eq!(ran(&site), 4, "it is for everybody");
    let private = json!({ "n": 3, "ttlMs": 600_000, "cacheScope": "private" });
    call(&ann, "jobs__work", private.clone()).await;
    call(&ben, "jobs__work", private).await;
    assert_eq!(ran(&site), 6);
}

#[tokio::test]
async fn a_tool_that_writes_is_never_answered_from_memory() {
    let (site, _worker) =
        with_worker("", json!({ "write": { "cache_seconds": 600 }, "work": { "cache_seconds": 600 } })).await;
    let agent = site.agent();
    for _ in 0..3 {
        done(&call(&agent, "jobs__write", json!({ "n": 1 })).await);
    }
    assert_eq!(ran(&site), 3);
    for _ in 0..3 {
        done(&call(&agent, "jobs__work", json!({ "n": 1 })).await);
    }
    assert_eq!(ran(&site), 4, "what only reads may say so itself");
}

#[tokio::test]
async fn one_tool_that_hangs_is_left_alone_and_the_others_go_on() {
    let (site, _worker) =
        with_worker("[[tools]]\nname = \"jobs:work\"\ntimeout_seconds = 0.1\n", json!({})).await;
    let agent = site.agent();
    let mut texts = Vec::new();
    for _ in 0..7 {
        texts.push(failure(&call(&agent, "jobs__work", json!({ "ms": 3000 })).await).to_owned());
    }
    assert!(texts[..4].iter().all(|text| text.contains("did not answer")), "{texts:?}");
    assert!(texts[6].contains("paused for a while"), "{texts:?}");
    let other = call(&agent, "jobs__write", json!({ "n": 1 })).await;
    assert!(other["isError"] != true || text(&other).contains("paused for a while"), "{other}");
}

#[tokio::test]
async fn how_long_calls_took_is_told_by_server_and_by_tool() {
    const CALLS: usize = 5;
    let (site, _worker) = with_worker("", json!({})).await;
    let agent = site.agent();
    for n in 0..CALLS {
        done(&call(&agent, "jobs__work", json!({ "n": n, "ms": 20 })).await);
    }
    let vitals = &site.get("/servers/jobs").await["vitals"];
    let tool = &vitals["tools"][0];
    assert_eq!((&tool["name"], &tool["latency"]["count"]), (&json!("work"), &json!(CALLS)), "{vitals}");
    for percentile in ["p50_ms", "p95_ms", "p99_ms", "max_ms"] {
        assert!(tool["latency"][percentile].as_f64().is_some_and(|ms| ms >= 15.0), "{percentile}: {vitals}");
    }
    let metrics = HttpClient::finish(agent.http.get(site.gateway.url("/metrics"))).await.text;
    let of_tool = "{server=\"jobs\",tool=\"work\"";
    let value = |line: &str| {
        let found = metrics.lines().find_map(|one| one.strip_prefix(line));
        found.and_then(|rest| rest.trim().parse::<f64>().ok()).unwrap_or_else(|| panic!("{line}: {metrics}"))
    };
    assert_eq!(value(&format!("toolgate_tool_seconds_count{of_tool}}}")), CALLS as f64);
    assert_eq!(value(&format!("toolgate_tool_seconds_bucket{of_tool},le=\"+Inf\"}}")), CALLS as f64);
    assert!(value(&format!("toolgate_tool_seconds_sum{of_tool}}}")) >= 0.02 * CALLS as f64);
    assert!(value("toolgate_server_seconds_count{server=\"jobs\"}") >= CALLS as f64);
    assert_eq!(value("toolgate_instance_resting{server=\"jobs\",instance=\"a\"}"), 0.0);
    assert!(metrics.ends_with("# EOF\n") && metrics.matches("# EOF").count() == 1);
}
