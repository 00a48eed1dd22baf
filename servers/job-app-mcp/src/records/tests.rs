//! Any sequence of calls, lapses and ends, with an employer who counts what arrives: never two for one job.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use capability_kit::{Caller, Trouble};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::json;

use super::outcome::UpdateOutcome;
use super::*;
use crate::clock::JobClock;
use crate::db::open::DatabasePlace;
use crate::posting;
use crate::state::{ApplicationState, MoveCause};

const USER: &str = "ada";
const LEASE: Duration = Duration::from_secs(60);
const RUNS: usize = 3;
/// Every case is a database of its own.
const CASES: u32 = 24;

#[derive(Clone, Debug)]
enum Deed {
    Lease {
        run: usize,
        limit: usize,
    },
    /// Announces the click, and clicks if that was accepted, unless the run dies between the two.
    Submit {
        run: usize,
        which: usize,
        dies: bool,
    },
    /// Says what it knows: an application that it has clicked for was sent.
    Record {
        run: usize,
        which: usize,
        is_sure: bool,
    },
    GiveBack {
        run: usize,
        which: usize,
    },
    Withdraw {
        which: usize,
    },
    TimePasses {
        seconds: i64,
    },
    RunEnds {
        run: usize,
    },
    /// A person looks at the employer's list.
    PeopleLook,
    /// The same advertisements come from another board.
    OtherBoard,
}

fn deed() -> impl Strategy<Value = Deed> {
    let (run, which) = (0..RUNS, 0..4_usize);
    prop_oneof![
        4 => (run.clone(), 1..4_usize).prop_map(|(run, limit)| Deed::Lease { run, limit }),
        6 => (run.clone(), which.clone(), any::<bool>()).prop_map(|(run, which, dies)| Deed::Submit { run, which, dies }),
        4 => (run.clone(), which.clone(), any::<bool>()).prop_map(|(run, which, is_sure)| Deed::Record { run, which, is_sure }),
        1 => (run.clone(), which.clone()).prop_map(|(run, which)| Deed::GiveBack { run, which }),
        1 => which.prop_map(|which| Deed::Withdraw { which }),
        3 => (1..100_i64).prop_map(|seconds| Deed::TimePasses { seconds }),
        1 => run.prop_map(|run| Deed::RunEnds { run }),
        2 => Just(Deed::PeopleLook),
        1 => Just(Deed::OtherBoard),
    ]
}

/// A job as a run remembers it: perhaps no longer as it is.
#[derive(Clone)]
struct Memory {
    application: String,
    job: String,
    version: i64,
    has_clicked: bool,
}

struct JobMarket {
    records: JobRecords,
    clock: Arc<AtomicI64>,
    memories: Vec<Vec<Memory>>,
    /// Applications that arrived, by job.
    arrived: BTreeMap<String, usize>,
    _folder: tempfile::TempDir,
}

fn caller(run: usize) -> Caller {
    Caller { session: Some("ses_1".to_owned()), run: Some(format!("run_{run}")) }
}

fn listings(board: &str) -> Vec<posting::JobListing> {
    let job = |at: usize, title: &str| {
        let url = format!("https://{board}.example/jobs/10000{at}");
        posting::read(&json!({ "title": title, "company": "Acme", "location": "Oslo", "url": url })).unwrap()
    };
    ["Welder", "Nurse", "Cook"].iter().enumerate().map(|(at, title)| job(at, title)).collect()
}

impl JobMarket {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(AtomicI64::new(1_000_000));
        let hands = Arc::clone(&clock);
        let records = JobRecords::new(
            Some(DatabasePlace::Folder(folder.path().to_owned())),
            JobClock::new(move || hands.load(Ordering::Relaxed)),
            LEASE,
        );
        records
            .seed(&SeedData::read(json!({ "users": [{ "id": USER, "name": "Ada" }] })).unwrap())
            .await
            .unwrap();
        let market = Self {
            records,
            clock,
            memories: vec![Vec::new(); RUNS],
            arrived: BTreeMap::new(),
            _folder: folder,
        };
        market.import("one").await;
        market
    }

    async fn import(&self, board: &str) {
        let mut tx = self.records.begin(&Caller::default()).await.unwrap();
        let mut counts = ImportCounts::default();
        let done = tx.import(&[USER.to_owned()], &listings(board), &mut counts).await;
        tx.finish(done).await.unwrap();
    }

    async fn update(
        &self,
        by: &Caller,
        update: StatusUpdate,
        cause: MoveCause,
    ) -> Result<UpdateOutcome, Trouble> {
        let mut tx = self.records.begin(by).await.unwrap();
        let done = match cause {
            MoveCause::Resolve => tx.resolve(update).await,
            cause => tx.update(update, cause).await,
        };
        tx.finish(done).await
    }

    async fn all(&self) -> Vec<ListedApplication> {
        let mut tx = self.records.begin(&Caller::default()).await.unwrap();
        let listed = tx.list(&ApplicationFilter::default(), 100).await;
        tx.finish(listed).await.unwrap()
    }

    async fn does(&mut self, deed: Deed) {
        match deed {
            Deed::Lease { run, limit } => self.lease(run, limit).await,
            Deed::Submit { run, which, dies } => self.submit(run, which, dies).await,
            Deed::Record { run, which, is_sure } => self.record(run, which, is_sure).await,
            Deed::GiveBack { run, which } => {
                if let Some(memory) = self.memories[run].get(which).cloned() {
                    let update = to(&memory, ApplicationState::Pending, memory.version);
                    drop(self.update(&caller(run), update, MoveCause::Update).await);
                }
            }
            Deed::Withdraw { which } => {
                let id = self.all().await.get(which).map(|one| one.application.clone());
                if let Some(id) = id {
                    let mut tx = self.records.begin(&Caller::default()).await.unwrap();
                    let done = tx.withdraw(&id, None, None).await;
                    drop(tx.finish(done).await);
                }
            }
            Deed::TimePasses { seconds } => drop(self.clock.fetch_add(seconds * 1_000, Ordering::Relaxed)),
            Deed::RunEnds { run } => self.records.release(&caller(run)).await.unwrap(),
            Deed::PeopleLook => self.people_look().await,
            Deed::OtherBoard => self.import("two").await,
        }
    }

    async fn lease(&mut self, run: usize, limit: usize) {
        let mut tx = self.records.begin(&caller(run)).await.unwrap();
        let leased = tx.lease(USER, limit).await;
        let leased = tx.finish(leased).await.unwrap();
        for job in leased.into_iter().filter(|job| job.state == "leased") {
            self.memories[run].retain(|memory| memory.application != job.application);
            let LeasedJob { application, job, version, .. } = job;
            self.memories[run].push(Memory { application, job, version, has_clicked: false });
        }
    }

    async fn submit(&mut self, run: usize, which: usize, dies: bool) {
        let Some(memory) = self.memories[run].get(which).cloned() else { return };
        let update = to(&memory, ApplicationState::Submitting, memory.version);
        let Ok(done) = self.update(&caller(run), update, MoveCause::Update).await else { return };
        if done.changed && !dies {
            *self.arrived.entry(memory.job).or_default() += 1;
            self.memories[run][which].has_clicked = true;
        }
    }

    async fn record(&mut self, run: usize, which: usize, is_sure: bool) {
        let Some(memory) = self.memories[run].get(which).cloned() else { return };
        let status = match (memory.has_clicked, is_sure) {
            (true, true) => ApplicationState::Confirmed,
            (true, false) => ApplicationState::SubmittedUnconfirmed,
            (false, true) => ApplicationState::Failed,
            (false, false) => ApplicationState::NeedsPerson,
        };
        let evidence = EvidenceFields { text: Some("seen".to_owned()), ..EvidenceFields::default() };
        let facts = RecordedFacts { user: USER.to_owned(), job: memory.job, status, evidence, key: None };
        let mut tx = self.records.begin(&caller(run)).await.unwrap();
        let done = tx.record(facts).await;
        drop(tx.finish(done).await);
    }

    async fn people_look(&mut self) {
        for one in self.all().await {
            let memory =
                Memory { application: one.application, job: one.job, version: 0, has_clicked: false };
            let has_arrived = self.arrived.get(&memory.job).is_some_and(|count| *count > 0);
            let state = if has_arrived { ApplicationState::Confirmed } else { ApplicationState::Pending };
            let mut update = to(&memory, state, one.version);
            update.evidence.text = Some("the employer's list".to_owned());
            drop(self.update(&Caller::default(), update, MoveCause::Resolve).await);
        }
    }

    async fn check(&self) -> Result<(), TestCaseError> {
        for (job, count) in &self.arrived {
            prop_assert!(*count <= 1, "{job} was sent {count} times");
        }
        let all = self.all().await;
        prop_assert_eq!(all.len(), 3, "one application for each job");
        for one in all {
            let mut tx = self.records.begin(&Caller::default()).await.unwrap();
            let events = tx.events(&one.application).await;
            let events = tx.finish(events).await.unwrap();
            let last = events.last().expect("a first event");
            prop_assert_eq!((last.version, &last.to_state), (one.version, &one.state));
            let numbers: Vec<i64> = events.iter().map(|event| event.version).collect();
            let expected: Vec<i64> = (numbers[0]..=one.version).collect();
            prop_assert_eq!(numbers, expected, "no change without its event");
            let has_arrived = self.arrived.contains_key(&one.job);
            prop_assert!(!(has_arrived && one.state == "pending"), "{} was sent and is pending", one.job);
        }
        Ok(())
    }
}

fn to(memory: &Memory, to: ApplicationState, expected_version: i64) -> StatusUpdate {
    let application = memory.application.clone();
    StatusUpdate { application, to, expected_version, reason: None, evidence: EvidenceFields::default() }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_calls_sends_two_applications_for_one_job(deeds in prop::collection::vec(deed(), 20..60)) {
        runtime().block_on(async {
            let mut market = JobMarket::open().await;
            for deed in deeds {
                market.does(deed).await;
            }
            market.check().await
        })?;
    }
}

/// The story that the property is about, so that it is known to be told at all.
#[test]
fn a_run_that_dies_at_the_click_leaves_an_application_that_only_a_person_moves() {
    runtime().block_on(async {
        let mut market = JobMarket::open().await;
        market.does(Deed::Lease { run: 0, limit: 1 }).await;
        market.does(Deed::Submit { run: 0, which: 0, dies: false }).await;
        assert_eq!(market.arrived.values().sum::<usize>(), 1);
        market.does(Deed::TimePasses { seconds: 61 }).await;
        let states = async |market: &JobMarket| -> Vec<String> {
            market.all().await.into_iter().map(|one| one.state).collect()
        };
        assert_eq!(states(&market).await, ["needs_person", "pending", "pending"]);
        market.does(Deed::Lease { run: 1, limit: 3 }).await;
        assert_eq!(states(&market).await, ["needs_person", "leased", "leased"]);
        market.does(Deed::PeopleLook).await;
        assert_eq!(states(&market).await, ["confirmed", "leased", "leased"]);
        market.check().await.unwrap();
    });
}

#[test]
fn a_run_that_comes_back_late_may_still_say_what_happened() {
    runtime().block_on(async {
        let mut market = JobMarket::open().await;
        market.does(Deed::Lease { run: 0, limit: 1 }).await;
        market.does(Deed::Submit { run: 0, which: 0, dies: false }).await;
        market.does(Deed::RunEnds { run: 0 }).await;
        market.does(Deed::Record { run: 0, which: 0, is_sure: true }).await;
        assert_eq!(market.all().await[0].state, "confirmed");
    });
}
