//! Clocks that jump, machines that sleep, and pauses.

use toolgate_core::automation::{Overlap, Trigger};

use crate::world::{HOUR, MINUTE, START_MS, TasksWorld, ada, hourly, refused, until};

crate::on_both!(
    a_night_asleep_starts_one_run,
    a_clock_that_is_set_back_starts_nothing_twice,
    a_clock_that_was_far_ahead_does_not_silence_an_automation,
    three_gateways_start_one_run_an_instant_while_the_clock_jumps,
    a_paused_automation_starts_nothing_and_says_so_afterwards,
    instants_are_made_up_for_within_limits,
);

/// From the start of the clock to 2026-10-25T00:00Z, in seconds.
const BEFORE_THE_CHANGE: i64 = 2_887_200;

fn every_minute() -> Trigger {
    Trigger::Cron { pattern: "* * * * *".to_owned(), timezone: "Europe/Berlin".to_owned() }
}

async fn a_night_asleep_starts_one_run(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("minutely", every_minute(), Overlap::AllowAll).await;
    world.clock.advance(12 * HOUR);
    until("all have their row", async || gateway.fires(&automation).await.len() == 102).await;
    until("one has started", async || gateway.states(&automation).await.contains(&"started")).await;
    let fires = gateway.fires(&automation).await;
    let missed = fires.iter().filter(|fire| fire.state.as_str() == "missed");
    assert!(missed.clone().all(|fire| fire.reason.is_some()));
    assert_eq!(missed.count(), 101, "100 of their own, and one for the rest");
    assert_eq!(gateway.automatic_runs().await.len(), 1);
    world.clock.advance(MINUTE);
    until("the next one starts", async || gateway.automatic_runs().await.len() == 2).await;
}

async fn a_clock_that_is_set_back_starts_nothing_twice(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("hourly", hourly(), Overlap::AllowAll).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["started"]).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["started", "started"]).await;
    // Half an hour before the first instant: both come again, and a third one comes for the first time.
    world.clock.advance(-90 * MINUTE);
    for _ in 0..5 {
        world.clock.advance(30 * MINUTE);
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
    until("the third one starts", async || gateway.fires(&automation).await.len() == 3).await;
    gateway.until_states(&automation, &["started", "started", "started"]).await;
    assert_eq!(gateway.automatic_runs().await.len(), 3);
}

async fn a_clock_that_was_far_ahead_does_not_silence_an_automation(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    world.clock.advance(10 * MINUTE);
    let automation = gateway.automation("hourly", hourly(), Overlap::AllowAll).await;
    world.clock.advance(48 * HOUR);
    until("the latest starts", async || gateway.automatic_runs().await.len() == 1).await;
    // The first hour was written down as missed, while the clock was wrong.
    world.clock.advance(-48 * HOUR);
    world.clock.advance(50 * MINUTE);
    until("the first hour starts", async || gateway.automatic_runs().await.len() == 2).await;
    let first = (START_MS + HOUR * 1_000).to_string();
    let has_run = async || {
        let fires = gateway.fires(&automation).await;
        fires.iter().any(|fire| fire.cause == first && fire.run.is_some())
    };
    until("it is noted", has_run).await;
}

/// The end of summer time in Berlin: 2026-10-25T02:30 comes twice. The clock is set back while it does, and then a night is slept through.
async fn three_gateways_start_one_run_an_instant_while_the_clock_jumps(world: TasksWorld) {
    let gateways = [world.gateway("one").await, world.gateway("two").await, world.gateway("three").await];
    let [one, ..] = &gateways;
    world.clock.advance(BEFORE_THE_CHANGE);
    let daily = Trigger::Cron { pattern: "30 2 * * *".to_owned(), timezone: "Europe/Berlin".to_owned() };
    let automation = one.automation("daily", daily, Overlap::AllowAll).await;
    let at = |hours: i64| START_MS + (BEFORE_THE_CHANGE + hours * HOUR + 30 * MINUTE) * 1_000;
    let expected = [at(0), at(25), at(49)].map(|instant| format!("{} {instant}", automation.id));

    world.clock.advance(31 * MINUTE);
    until("the first one starts", async || one.automatic_runs().await.len() == 1).await;
    // Through the second pass of the hour, and back by one and a half of it.
    for minutes in [30, 30, -90, 30, 30, 30, 60] {
        world.clock.advance(minutes * MINUTE);
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
    world.clock.advance(-HOUR);
    world.clock.advance(24 * HOUR);
    until("the second one starts", async || one.automatic_runs().await.len() == 2).await;
    // Asleep until long after the third.
    world.clock.advance(24 * HOUR + 20 * MINUTE);
    until("the third one starts", async || one.automatic_runs().await.len() == 3).await;

    let mut names: Vec<String> =
        one.automatic_runs().await.iter().filter_map(|run| run.label.name.clone()).collect();
    names.sort();
    assert_eq!(names, expected);
    let asked: usize = gateways.iter().map(|gateway| gateway.starter.starts().len()).sum();
    assert_eq!(asked, 3, "no gateway tried an instant that another one had");
}

async fn a_paused_automation_starts_nothing_and_says_so_afterwards(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("hourly", hourly(), Overlap::AllowAll).await;
    let other = gateway.automation("other", hourly(), Overlap::AllowAll).await;
    let paused = gateway.tasks.pause_automation("hourly", "holidays", &ada()).await.expect("paused");
    assert_eq!((paused.paused.as_deref(), paused.row_version), (Some("holidays"), 2));
    world.clock.advance(HOUR);
    gateway.until_states(&other, &["started"]).await;
    world.clock.advance(30 * MINUTE);
    let resumed = gateway.tasks.resume_automation(automation.id.as_str(), &ada()).await.expect("resumed");
    assert_eq!(resumed.paused, None);
    world.clock.advance(30 * MINUTE);
    gateway.until_states(&automation, &["started", "missed"]).await;
    let fires = gateway.fires(&automation).await;
    let causes = [2, 1].map(|hour| (START_MS + hour * HOUR * 1_000).to_string());
    assert_eq!([&fires[0].cause, &fires[1].cause], [&causes[0], &causes[1]]);
    assert_eq!(fires[1].reason.as_deref(), Some("it was paused: holidays"));
    gateway.tasks.resume_automation("hourly", &ada()).await.expect("it goes on already");
    assert_eq!(gateway.fires(&automation).await.len(), 2);
    refused(gateway.tasks.pause_automation("hourly", " ", &ada()).await, "bad_automation");
}

async fn instants_are_made_up_for_within_limits(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    world.clock.advance(200 * HOUR);
    gateway.automation("hourly", hourly(), Overlap::Skip).await;
    let at = |hour: i64| START_MS + hour * HOUR * 1_000;
    let fires = gateway.tasks.backfill("hourly", at(3), at(6), &ada()).await.expect("made up for");
    let states: Vec<&str> = fires.iter().map(|fire| fire.state.as_str()).collect();
    assert_eq!(states, ["started"; 3], "the rule for overlapping runs does not count");
    let again = gateway.tasks.backfill("hourly", at(4), at(7), &ada()).await.expect("made up for");
    assert_eq!(again[..2], fires[1..], "those that have had a run have no second one");
    assert_eq!(gateway.automatic_runs().await.len(), 4);
    for (from, until) in [(at(5), at(4)), (at(5), at(5)), (at(0), at(201)), (at(0), at(150))] {
        refused(gateway.tasks.backfill("hourly", from, until, &ada()).await, "bad_backfill");
    }
    let webhook = Trigger::Webhook { secret: "orders".to_owned() };
    gateway.automation("orders", webhook, Overlap::Skip).await;
    refused(gateway.tasks.backfill("orders", at(0), at(1), &ada()).await, "bad_backfill");
    refused(gateway.tasks.backfill("nobody", at(0), at(1), &ada()).await, "unknown_automation");
}
