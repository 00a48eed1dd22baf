//! Automations: one row for each cause, whoever writes it, and each step in the ledger.

use toolgate_core::PrincipalId;
use toolgate_core::automation::{Automation, FireState, Overlap, Trigger};
use toolgate_core::id::{AutomationId, RunId, TaskId};
use toolgate_store::{
    ActionStamp, AutomationError, Books, BusyFires, FireClaim, FireHolder, FireOutcome, FireRetake,
    FireVerdict, InstantPass, MissedInstant, NewFire, Store, TaskVersion,
};

use crate::desk;
use crate::world::StoreWorld;

crate::on_both!(
    of_many_gateways_one_claims_a_cause,
    of_many_gateways_one_passes_the_instants,
    a_claim_whose_time_is_over_is_taken_up_once,
    a_missed_instant_may_still_start_and_a_started_one_not_again,
    the_data_of_a_cause_are_kept_until_its_run_has_them,
    a_failure_pauses_in_the_same_step,
    a_step_that_fails_leaves_nothing,
    old_fires_are_forgotten_except_those_that_wait,
    a_row_that_cannot_be_read_is_there_and_stops_no_other,
    of_renames_and_creations_to_one_name_one_wins,
);

const NOW_MS: i64 = 1_790_000_000_000;
const WRITERS: u64 = 8;
/// More operations than a step has.
const OPERATIONS_MAX: u64 = 60;

fn ada() -> PrincipalId {
    PrincipalId::new("ada")
}

fn at(by: &PrincipalId, ms: i64) -> ActionStamp<'_> {
    ActionStamp { by, at_ms: NOW_MS + ms }
}

const HOLDER: FireHolder<'static> = FireHolder { stream: "one", until_ms: NOW_MS + 1_000 };

fn an_automation(name: &str) -> Automation {
    Automation {
        id: AutomationId::new(format!("aut_{name}")),
        name: name.to_owned(),
        task: TaskId::new("task_1"),
        trigger: Trigger::Interval { seconds: 60, from_ms: NOW_MS },
        overlap: Overlap::AllowAll,
        catch_up_seconds: 3_600,
        jitter_seconds: 5,
        pause_on_failure: true,
        paused: None,
        principal: PrincipalId::new("erna\0"),
        created_by: ada(),
        created_at_ms: NOW_MS,
        updated_at_ms: NOW_MS,
        row_version: 1,
    }
}

async fn place(world: &StoreWorld) -> (Store, Books, AutomationId) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    let automation = an_automation("1");
    books.create_automation(&automation, at(&ada(), 0)).await.expect("created");
    (store, books, automation.id)
}

fn a_cause(cause: &str) -> NewFire {
    let data = Some("data".to_owned());
    NewFire { cause: cause.to_owned(), data, depth: 1, retake: FireRetake::Missed }
}

fn start(_: &BusyFires) -> FireVerdict {
    FireVerdict::Start { cancel: Vec::new() }
}

async fn claim(books: &Books, id: &AutomationId, cause: &str) -> FireOutcome {
    books.claim_fire(id, a_cause(cause), HOLDER, start, at(&ada(), 1)).await.expect("answered")
}

fn claimed(outcome: FireOutcome) -> FireClaim {
    match outcome {
        FireOutcome::Claimed(claim) => claim,
        other => panic!("{other:?}"),
    }
}

async fn told(store: &Store) -> Vec<&'static str> {
    desk::ledger(store).await.iter().map(|one| one.event.kind.as_str()).collect()
}

async fn of_many_gateways_one_claims_a_cause(world: StoreWorld) {
    let (store, one, id) = place(&world).await;
    let two = world.open().await.books(desk::settings("two")).await.expect("the books open");
    let writers = (0..WRITERS).map(|number| {
        let (books, id) = (if number % 2 == 0 { one.clone() } else { two.clone() }, id.clone());
        tokio::spawn(async move { claim(&books, &id, "webhook:1").await })
    });
    let mut won = 0;
    for writer in writers.collect::<Vec<_>>() {
        match writer.await.expect("no panic") {
            FireOutcome::Claimed(_) => won += 1,
            FireOutcome::Before(fire) => assert_eq!(fire.state, FireState::Claimed),
            FireOutcome::Settled(fire) => panic!("{fire:?}"),
        }
    }
    assert_eq!(won, 1);
    let fire = store.fire(&id, "webhook:1").await.expect("read").expect("it is there");
    assert!(one.fire_started(&fire, 1, &RunId::new("run_1"), at(&ada(), 2)).await.expect("noted"));
    assert!(!two.fire_started(&fire, 1, &RunId::new("run_2"), at(&ada(), 3)).await.expect("answered"));
    let found = store.fire_of_run(&RunId::new("run_1")).await.expect("read").expect("it is there");
    assert_eq!((found.state, found.cause.as_str()), (FireState::Started, "webhook:1"));
    assert_eq!(told(&store).await, ["automation.changed", "automation.fired"]);
}

async fn of_many_gateways_one_passes_the_instants(world: StoreWorld) {
    let (store, one, id) = place(&world).await;
    let two = world.open().await.books(desk::settings("two")).await.expect("the books open");
    let writers = (0..WRITERS).map(|number| {
        let (books, id) = (if number % 2 == 0 { one.clone() } else { two.clone() }, id.clone());
        let missed = ["1", "2"].map(|cause| MissedInstant { cause: cause.into(), reason: "late".into() });
        let start_at = Some(NewFire { data: None, ..a_cause("3") });
        let pass =
            InstantPass { after_ms: NOW_MS, until_ms: NOW_MS + 3, missed: missed.to_vec(), start: start_at };
        tokio::spawn(async move { books.pass_instants(&id, pass, HOLDER, start, at(&ada(), 4)).await })
    });
    let mut won = 0;
    for writer in writers.collect::<Vec<_>>() {
        won += usize::from(writer.await.expect("no panic").expect("answered").is_some());
    }
    assert_eq!(won, 1);
    let watched = store.timed_automations().await.expect("read");
    assert_eq!((watched.len(), watched[0].passed_ms), (1, NOW_MS + 3));
    assert_eq!(watched[0].automation.principal.as_str(), "erna\u{fffd}", "Postgres takes no NUL");
    let (fires, next) = store.fires(&id, None, 2).await.expect("read");
    let (rest, end) = store.fires(&id, next.as_ref(), 2).await.expect("read");
    let causes: Vec<&str> = fires.iter().chain(&rest).map(|fire| fire.cause.as_str()).collect();
    assert_eq!((causes, end), (vec!["3", "2", "1"], None));
    assert_eq!(told(&store).await, ["automation.changed", "automation.fired", "automation.fired"]);
}

async fn a_claim_whose_time_is_over_is_taken_up_once(world: StoreWorld) {
    let (store, books, id) = place(&world).await;
    claimed(claim(&books, &id, "1").await);
    let by = ada();
    let later = FireHolder { stream: "two", until_ms: NOW_MS + 5_000 };
    assert!(store.lapsed_fires(NOW_MS + 999, 10).await.expect("read").is_empty());
    assert_eq!(books.take_up_fire(&id, "1", later, at(&by, 999)).await.expect("answered"), None);
    assert_eq!(store.lapsed_fires(NOW_MS + 1_000, 10).await.expect("read"), [(id.clone(), "1".to_owned())]);
    let taken = books.take_up_fire(&id, "1", later, at(&by, 1_000)).await.expect("answered");
    let taken = taken.expect("its time is over");
    assert_eq!((taken.attempts, taken.data.as_deref()), (2, Some("data")));
    assert_eq!(books.take_up_fire(&id, "1", later, at(&by, 1_001)).await.expect("answered"), None);
    // The gateway that had it before wakes up.
    let (first, second) = (RunId::new("run_1"), RunId::new("run_2"));
    assert!(!books.fire_started(&taken.fire, 1, &first, at(&by, 1_002)).await.expect("answered"));
    assert!(!books.fire_failed(&taken.fire, 1, "late", None, at(&by, 1_003)).await.expect("answered"));
    assert!(books.fire_started(&taken.fire, 2, &second, at(&by, 1_004)).await.expect("noted"));
    let fire = store.fire(&id, "1").await.expect("read").expect("it is there");
    assert_eq!((fire.state, fire.run), (FireState::Started, Some(second)));
}

async fn a_missed_instant_may_still_start_and_a_started_one_not_again(world: StoreWorld) {
    let (_store, books, id) = place(&world).await;
    let by = ada();
    let missed = vec![MissedInstant { cause: "1".to_owned(), reason: "late".to_owned() }];
    let pass = InstantPass { after_ms: NOW_MS, until_ms: NOW_MS + 1, missed, start: None };
    assert_eq!(books.pass_instants(&id, pass, HOLDER, start, at(&by, 1)).await.expect("answered"), None);
    let fire = claimed(claim(&books, &id, "1").await).fire;
    assert!(books.fire_started(&fire, 1, &RunId::new("run_1"), at(&by, 2)).await.expect("noted"));
    let again = NewFire { retake: FireRetake::Unstarted, ..a_cause("1") };
    let again = books.claim_fire(&id, again, HOLDER, start, at(&by, 3)).await.expect("answered");
    assert!(matches!(again, FireOutcome::Before(fire) if fire.state == FireState::Started));
    let skip = |_: &BusyFires| FireVerdict::Skip { reason: "busy".to_owned() };
    let skipped = books.claim_fire(&id, a_cause("2"), HOLDER, skip, at(&by, 4)).await.expect("answered");
    assert!(matches!(skipped, FireOutcome::Settled(fire) if fire.state == FireState::Skipped));
    assert!(matches!(claim(&books, &id, "2").await, FireOutcome::Before(_)));
    let again = NewFire { retake: FireRetake::Unstarted, ..a_cause("2") };
    claimed(books.claim_fire(&id, again, HOLDER, start, at(&by, 5)).await.expect("answered"));
}

async fn the_data_of_a_cause_are_kept_until_its_run_has_them(world: StoreWorld) {
    let (store, books, id) = place(&world).await;
    let by = ada();
    let buffer = |_: &BusyFires| FireVerdict::Buffer;
    books.claim_fire(&id, a_cause("1"), HOLDER, buffer, at(&by, 1)).await.expect("answered");
    assert_eq!(store.buffered_fires(10).await.expect("read"), [(id.clone(), "1".to_owned())]);
    let claim = books.claim_buffered(&id, "1", HOLDER).await.expect("answered").expect("nothing is open");
    assert_eq!((claim.data.as_deref(), claim.attempts), (Some("data"), 1));
    assert!(books.fire_started(&claim.fire, 1, &RunId::new("run_1"), at(&by, 2)).await.expect("noted"));
    assert_eq!(world.sql("DELETE FROM automation_fires WHERE data IS NOT NULL").await, 0);
}

async fn a_failure_pauses_in_the_same_step(world: StoreWorld) {
    let (store, books, id) = place(&world).await;
    let by = ada();
    let fire = claimed(claim(&books, &id, "1").await).fire;
    let failed = books.fire_failed(&fire, 1, "there is no task", Some("it failed"), at(&by, 2)).await;
    assert!(failed.expect("noted"));
    let paused = store.automation(&id).await.expect("read").expect("it is there");
    assert_eq!((paused.paused.as_deref(), paused.row_version), (Some("it failed"), 2));
    assert!(store.timed_automations().await.expect("read").is_empty());
    let refused = books.claim_fire(&id, a_cause("2"), HOLDER, start, at(&by, 3)).await;
    assert!(matches!(refused, Err(AutomationError::Paused { .. })), "{refused:?}");
    books.resume_automation(&id, |_, _| Vec::new(), at(&by, 9)).await.expect("resumed");
    assert_eq!(store.timed_automations().await.expect("read")[0].passed_ms, NOW_MS + 9);
    books.delete_automation(&id, at(&by, 10)).await.expect("deleted");
    assert!(store.fires(&id, None, 10).await.expect("read").0.is_empty());
    assert_eq!(
        told(&store).await,
        [
            "automation.changed",
            "automation.fired",
            "automation.changed",
            "automation.changed",
            "automation.changed"
        ]
    );
}

async fn a_step_that_fails_leaves_nothing(world: StoreWorld) {
    let (store, books, id) = place(&world).await;
    let by = ada();
    let skip = |_: &BusyFires| FireVerdict::Skip { reason: "busy".to_owned() };
    for operation in 1..OPERATIONS_MAX {
        store.fail_nth(operation);
        let answer = books.claim_fire(&id, a_cause("1"), HOLDER, skip, at(&by, 1)).await;
        store.fail_never();
        let fires = store.fires(&id, None, 10).await.expect("read").0.len();
        let events = told(&store).await.iter().filter(|kind| **kind == "automation.fired").count();
        assert_eq!(fires, events, "{answer:?}");
        if fires == 1 {
            assert_eq!(store.verify_ledger(|_| ()).await.expect("read").fault, None);
            return;
        }
        assert!(answer.is_err(), "{answer:?}");
    }
    panic!("it never came to an end");
}

async fn old_fires_are_forgotten_except_those_that_wait(world: StoreWorld) {
    let (store, books, id) = place(&world).await;
    let by = ada();
    for cause in ["1", "2"] {
        claimed(claim(&books, &id, cause).await);
    }
    let fire = store.fire(&id, "1").await.expect("read").expect("it is there");
    books.fire_started(&fire, 1, &RunId::new("run_1"), at(&by, 2)).await.expect("noted");
    assert_eq!(store.forget_fires(NOW_MS + 1).await.expect("done"), 0);
    assert_eq!(store.forget_fires(NOW_MS + 2).await.expect("done"), 1);
    let left = store.fires(&id, None, 10).await.expect("read").0;
    assert_eq!(left.iter().map(|fire| fire.cause.as_str()).collect::<Vec<_>>(), ["2"]);
}

async fn a_row_that_cannot_be_read_is_there_and_stops_no_other(world: StoreWorld) {
    let (store, books, good) = place(&world).await;
    let by = ada();
    for name in ["newer", "damaged", "ruled"] {
        books.create_automation(&an_automation(name), at(&by, 0)).await.expect("created");
    }
    world
        .sql("UPDATE automations SET fires_on = '{\"on\":\"moon\",\"phase\":\"full\"}' WHERE name = 'newer'")
        .await;
    world.sql("UPDATE automations SET fires_on = '{\"on\":' WHERE name = 'damaged'").await;
    world.sql("UPDATE automations SET overlap = 'twice' WHERE name = 'ruled'").await;
    let why = |automation: &Automation| match &automation.trigger {
        Trigger::Unreadable { why } => why.clone(),
        _ => String::new(),
    };
    let timed = store.timed_automations().await.expect("read");
    let readable: Vec<&AutomationId> = timed
        .iter()
        .map(|one| &one.automation)
        .filter(|one| why(one).is_empty())
        .map(|one| &one.id)
        .collect();
    assert_eq!((timed.len(), readable), (4, vec![&good]));
    let (listed, _) = store.automations(None, 10).await.expect("read");
    assert_eq!(listed.len(), 4);
    let newer = AutomationId::new("aut_newer");
    let shown = store.automation(&newer).await.expect("read").expect("it is there");
    assert!(why(&shown).contains("moon"), "{shown:?}");
    let ruled = store.automation(&AutomationId::new("aut_ruled")).await.expect("read").expect("it is there");
    assert!(why(&ruled).contains("twice"), "{ruled:?}");
    // A pause leaves what is stored, and the release that can read it finds it again.
    books.pause_automation(&newer, "odd", at(&by, 1)).await.expect("paused");
    let kept = "DELETE FROM automations WHERE name = 'newer' AND fires_on LIKE '%moon%'";
    assert_eq!(world.sql(kept).await, 1);
    let repaired = |current: Automation| Automation { trigger: Trigger::Once { at_ms: NOW_MS }, ..current };
    let damaged = AutomationId::new("aut_damaged");
    let changed = books.change_automation(&damaged, TaskVersion::Any, repaired, at(&by, 2)).await;
    assert_eq!(changed.expect("changed").trigger, Trigger::Once { at_ms: NOW_MS });
    books.delete_automation(&AutomationId::new("aut_ruled"), at(&by, 3)).await.expect("deleted");
}

async fn of_renames_and_creations_to_one_name_one_wins(world: StoreWorld) {
    let (store, one, _) = place(&world).await;
    let two = world.open().await.books(desk::settings("two")).await.expect("the books open");
    for number in 0..WRITERS {
        one.create_automation(&an_automation(&format!("r{number}")), at(&ada(), 0)).await.expect("created");
    }
    let writers = (0..WRITERS).map(|number| {
        let books = if number % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move {
            let by = ada();
            if number % 4 == 3 {
                let id = AutomationId::new(format!("aut_new{number}"));
                let new = Automation { id, ..an_automation("wanted") };
                return books.create_automation(&new, at(&by, 1)).await;
            }
            let renamed = |current: Automation| Automation { name: "wanted".to_owned(), ..current };
            let id = AutomationId::new(format!("aut_r{number}"));
            books.change_automation(&id, TaskVersion::Any, renamed, at(&by, 1)).await.map(drop)
        })
    });
    let mut won = 0;
    for writer in writers.collect::<Vec<_>>() {
        match writer.await.expect("no panic") {
            Ok(()) => won += 1,
            Err(AutomationError::NameTaken(name)) => assert_eq!(name, "wanted"),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(won, 1);
    assert!(store.automation_id("wanted").await.expect("read").is_some());
}
