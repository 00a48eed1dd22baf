//! Kill -9 at random moments of gateway, servers and browser: the site has one application for each job, none is lost, none is there
//! twice, and whatever was uncertain came before a person.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::person::InboxPerson;
use super::processes::{KillTarget, SeededChance, kill};
use super::stage::{ApplicationStage, name_of};

/// By hand: `JOB_KILLS=200 JOB_APPLICATIONS=50`.
const KILLS: usize = 6;
const APPLICATIONS: usize = 4;
/// Applications of one run.
const OF_A_RUN: usize = 5;
/// The time that a story may take for each kill and each application, far more than it needs.
const PATIENCE_EACH: Duration = Duration::from_secs(12);
const LOOK_EVERY: Duration = Duration::from_millis(40);

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Vacancies of all kinds at a site that does not notice a second application.
fn vacancies(count: usize) -> Vec<String> {
    let kinds = ["form", "wizard", "form", "portal"];
    let path = |at: usize| format!("/jobs/{}/{}?fault=duplicates", kinds[at % kinds.len()], 2_001 + at);
    (0..count).map(path).collect()
}

/// What was done to the programs.
#[derive(Default)]
struct KillPlan {
    left: usize,
    done: Vec<(KillTarget, usize)>,
}

impl KillPlan {
    fn strike(&mut self, stage: ApplicationStage, target: KillTarget) -> ApplicationStage {
        self.left -= 1;
        let (stage, hit) = match target {
            KillTarget::Gateway => (stage.killed(), 1),
            other => {
                let hit = kill(stage.site.gateway.pid(), other);
                (stage, hit)
            }
        };
        self.done.push((target, hit));
        stage
    }
}

#[tokio::test]
async fn each_job_has_one_application_whatever_is_killed() {
    let (kills, count) = (number("JOB_KILLS", KILLS), number("JOB_APPLICATIONS", APPLICATIONS));
    let mut chance = SeededChance::open();
    let mut plan = KillPlan { left: kills, ..KillPlan::default() };
    let mut stage = ApplicationStage::open(&vacancies(count)).await;
    let mut person = InboxPerson::default();
    let task = stage.task(OF_A_RUN).await;
    let mut run = stage.start(&task).await;
    let begun = Instant::now();
    let patience = PATIENCE_EACH * u32::try_from(kills + count).expect("a small number");
    let mut next = begun + chance.between(300, 1_200);
    loop {
        assert!(begun.elapsed() < patience, "{:?}: {:?}", plan.done, stage.applications().await);
        if plan.left > 0 && Instant::now() >= next {
            stage = plan.strike(stage, chance.target());
            next = Instant::now() + chance.between(300, 1_200);
        }
        person.attend(&stage).await;
        if stage.has_ended(&run).await {
            person.resolve(&stage).await;
            match stage.is_done().await {
                Some(true) => break,
                Some(false) | None => {
                    stage.ready().await;
                    run = stage.start(&task).await;
                }
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    eprintln!(
        "{} kills {:?}; {} approvals, {} unknown calls, {} applications looked up, {} s",
        plan.done.len(),
        plan.done,
        person.approved.len(),
        person.unknown,
        person.resolved,
        begun.elapsed().as_secs()
    );
    judge(&stage, count).await;
}

/// The site's file judges.
async fn judge(stage: &ApplicationStage, count: usize) {
    let received = stage.received().await;
    assert_eq!(received.len(), count, "none is lost: {received:?}");
    assert!(received.values().all(|times| *times == 1), "none is there twice: {received:?}");
    let all = stage.applications().await.expect("the product is back");
    assert_eq!(all.len(), count);
    for one in &all {
        assert_eq!(one["status"], "confirmed", "{one}");
        assert_eq!(received.get(&name_of(one["url"].as_str().expect("an address"))), Some(&1), "{one}");
        for event in
            one["history"].as_array().expect("a list").iter().filter(|event| event["to"] == "needs_person")
        {
            assert!(says_unknown(event), "an uncertain outcome is said to be unknown: {event}");
        }
    }
    stage.verify();
}

fn says_unknown(event: &Value) -> bool {
    event.to_string().to_lowercase().contains("unknown")
}
