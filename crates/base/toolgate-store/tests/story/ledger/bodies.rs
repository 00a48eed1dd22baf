//! Bodies: commitments that reveal nothing, changes that are noticed, and erasure.

use toolgate_core::Commitment;
use toolgate_core::governance::Ledger;
use toolgate_store::{ErasureCounts, ErasureReport, ErasureRequest, ErasureScope, StoreError, Tampering};

use super::*;
use crate::world::StoreWorld;

crate::on_both!(
    no_line_has_a_plain_digest,
    a_changed_body_is_noticed_when_it_is_read_and_verified,
    another_row_does_not_stand_for_a_deleted_body,
    what_is_written_during_a_verification_is_no_fault,
    a_missing_body_is_named_unless_its_time_is_over,
    what_came_in_meta_is_a_body_like_the_others,
    an_erasure_takes_one_persons_bodies_and_leaves_the_chain,
    what_was_erased_does_not_come_back,
    one_call_or_one_session_is_erased_alone,
    what_a_search_does_not_find_is_erased_as_well,
    erasing_a_call_leaves_those_whose_bodies_are_kept_for_longer,
    an_erasure_can_be_repeated_and_looked_at_before,
    an_erasure_that_fails_half_way_is_repeated,
    bodies_of_the_first_form_stay_while_others_need_them,
);

/// Longer than this test will be used.
const FAR_MS: i64 = START_MS + 20 * 365 * DAY_MS;
const PIN: &str = "{\"pin\":\"4711\"}";

/// A call with arguments and a result.
fn call(principal: &str, call: &str, session: &str, input: &str, output: &str) -> LedgerEntry {
    let about = Arc::new(EventSubject { session: Some(SessionId::new(session)), ..(*about(call)).clone() });
    let of = |kind| Event::new(kind, START_MS, PrincipalId::new(principal), Arc::clone(&about));
    let mut events = vec![of(EventKind::CallStarted), of(EventKind::CallCompleted)];
    events.iter_mut().for_each(|event| event.input = Some(Digest::of(input)));
    events[1].output = Some(Digest::of(output));
    events[1].outcome = Some(Outcome::Succeeded);
    LedgerEntry { bodies: vec![body(input, FAR_MS), body(output, FAR_MS)], ..entry(events) }
}

/// Two calls of Ann in two sessions, and one of Ben; all with the same arguments.
async fn ledger(world: &StoreWorld) -> (Store, LedgerWriter) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    for (principal, id, session) in
        [("ann", "tc_1", "ses_1"), ("ann", "tc_2", "ses_2"), ("ben", "tc_3", "ses_3")]
    {
        let output = format!("{{\"of\":\"{id}\"}}");
        writer.append(call(principal, id, session, PIN, &output)).await.expect("written");
    }
    (store, writer)
}

fn of(principal: &str) -> ErasureScope {
    ErasureScope { principal: PrincipalId::new(principal), session: None, call: None }
}

async fn erase(store: &Store, scope: ErasureScope) -> ErasureReport {
    let request = ErasureRequest { scope, by: PrincipalId::new("admin"), reason: Some("asked".into()) };
    store.erase("cli", &request).await.expect("erased")
}

/// The arguments and the result of a call, as far as they are kept.
async fn kept(store: &Store, call: &str) -> [Option<String>; 2] {
    let events = store.ledger_call(&CallId::new(call)).await.expect("read");
    let end = &events.last().expect("an end").event;
    let mut kept = [None, None];
    for (kept, digest) in kept.iter_mut().zip([end.input, end.output]) {
        let body = store.ledger_body(&digest.expect("a commitment")).await.expect("intact");
        *kept = body.map(|body| body.as_str().to_owned());
    }
    kept
}

fn both(call: &str) -> [Option<String>; 2] {
    [Some(PIN.to_owned()), Some(format!("{{\"of\":\"{call}\"}}"))]
}

const GONE: [Option<String>; 2] = [None, None];

async fn no_line_has_a_plain_digest(world: StoreWorld) {
    let (store, _writer) = ledger(&world).await;
    let events = all(&store).await;
    let inputs: Vec<Digest> = events.iter().filter_map(|one| one.event.input).collect();
    assert!(inputs.iter().all(|input| *input != Digest::of(PIN)), "trying does not find a PIN");
    assert!(inputs[..4].iter().all(|input| *input == inputs[0]), "the same for one person");
    assert!(inputs[4] != inputs[0] && inputs[4] == inputs[5], "another for the next");
    assert_eq!(world.sql("DELETE FROM ledger_bodies WHERE salt IS NULL").await, 0);
    let rows = world.rows("SELECT body, keep_until_ms, digest FROM ledger_bodies").await;
    assert_eq!(rows.len(), 2 + 3, "what one person repeats is one row");
    let salts = world.rows("SELECT body, keep_until_ms, salt FROM ledger_bodies").await;
    for ((body, _, digest), (other, _, salt)) in rows.iter().zip(&salts) {
        let digest = Digest::from_bytes(digest.as_slice().try_into().expect("32 bytes"));
        let salt = toolgate_core::Salt::from_bytes(salt.as_slice().try_into().expect("16 bytes"));
        assert_eq!(body, other);
        assert!(Commitment::recorded(digest).opens(&salt, body.as_bytes()), "{body}");
    }
    let verified = store.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!((verified.fault, verified.bodies, verified.erased), (None, Some(5), 0));
}

async fn a_changed_body_is_noticed_when_it_is_read_and_verified(world: StoreWorld) {
    let (store, _writer) = ledger(&world).await;
    let end = store.ledger_call(&CallId::new("tc_2")).await.expect("read").pop().expect("an end");
    let result = end.event.output.expect("a result");
    let salt =
        if world.is_postgres() { "set_byte(salt, 0, 255 - get_byte(salt, 0))" } else { "zeroblob(16)" };
    for edit in ["body = '{\"of\":\"tc_9\"}'", &format!("salt = {salt}"), "salt = NULL"] {
        world.sql("CREATE TABLE saved AS SELECT * FROM ledger_bodies WHERE body LIKE '%tc_2%'").await;
        assert_eq!(world.sql(&format!("UPDATE ledger_bodies SET {edit} WHERE body LIKE '%tc_2%'")).await, 1);
        let read = store.ledger_body(&result).await;
        assert!(
            matches!(read, Err(StoreError::BodyChanged { digest }) if digest == result),
            "{edit}: {read:?}"
        );
        let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
        assert_eq!((&*fault.stream, fault.number, fault.what), ("one", end.number, Tampering::BodyEdited));
        let body = fault.body.clone().expect("a body");
        assert_eq!((body.digest, body.call.as_deref()), (result, Some("tc_2")));
        assert!(fault.to_string().contains("tc_2"), "{fault}");
        assert_eq!(store.verify_events(|_| ()).await.expect("verified").fault, None, "the lines are intact");
        world.sql("DELETE FROM ledger_bodies WHERE body LIKE '%tc_2%' OR body LIKE '%tc_9%'").await;
        world.sql("INSERT INTO ledger_bodies SELECT * FROM saved").await;
        world.sql("DROP TABLE saved").await;
    }
    assert_eq!(kept(&store, "tc_2").await, both("tc_2"));
    assert_sound(&store).await;
}

/// A row whose digest begins like that of the deleted one, and which is nobody's body.
async fn another_row_does_not_stand_for_a_deleted_body(world: StoreWorld) {
    let (store, _writer) = ledger(&world).await;
    let like_it = match world.is_postgres() {
        true => "set_byte(digest, 31, 255 - get_byte(digest, 31))",
        false => "CAST(substr(digest, 1, 30) || x'0000' AS BLOB)",
    };
    let copy = format!(
        "INSERT INTO ledger_bodies (digest, tenant, body, keep_until_ms, salt) \
         SELECT {like_it}, tenant, '{{}}', keep_until_ms, salt FROM ledger_bodies WHERE body LIKE '%tc_3%'"
    );
    assert_eq!(world.sql(&copy).await, 1);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!((&*fault.stream, fault.number, fault.what), ("", 0, Tampering::BodyForged));
    assert!(fault.to_string().starts_with("a stored body"), "{fault}");
    assert_eq!(world.sql("DELETE FROM ledger_bodies WHERE body LIKE '%tc_3%'").await, 1);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!((fault.number, fault.what), (6, Tampering::BodyMissing));
    assert_eq!(fault.body.and_then(|body| body.call).as_deref(), Some("tc_3"));
}

/// Another gateway writes to the second stream after the heads and the bodies were read, and before its lines are.
async fn what_is_written_during_a_verification_is_no_fault(world: StoreWorld) {
    let (store, _writer) = ledger(&world).await;
    let other = writer(&store, "two").await;
    other.append(call("ben", "tc_4", "ses_3", PIN, "{\"of\":\"tc_4\"}")).await.expect("written");
    let mut is_written = false;
    let write = |_| {
        if !std::mem::replace(&mut is_written, true) {
            let late = call("ben", "tc_5", "ses_3", "{\"late\":1}", "{\"late\":2}");
            let writing = async { other.append(late).await.expect("written") };
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(writing));
        }
    };
    let verified = store.verify_ledger(write).await.expect("verified");
    assert_eq!((verified.events, verified.fault), (6 + 4, None), "its lines were seen");
    // Its bodies are watched from the next verification on.
    assert_eq!(world.sql("DELETE FROM ledger_bodies WHERE body LIKE '%late%'").await, 2);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!((&*fault.stream, fault.what), ("two", Tampering::BodyMissing));
}

async fn a_missing_body_is_named_unless_its_time_is_over(world: StoreWorld) {
    let (store, writer) = ledger(&world).await;
    let mut over = call("ann", "tc_4", "ses_1", "{\"over\":1}", "{\"over\":2}");
    over.bodies.iter_mut().for_each(|body| body.keep_until_ms = START_MS + DAY_MS);
    writer.append(over).await.expect("written");
    assert_eq!(world.sql("DELETE FROM ledger_bodies WHERE body LIKE '%over%'").await, 2);
    assert_sound(&store).await;
    assert_eq!(world.sql("DELETE FROM ledger_bodies WHERE body LIKE '%tc_3%'").await, 1);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!((fault.number, fault.what), (6, Tampering::BodyMissing));
    assert_eq!(fault.body.and_then(|body| body.call).as_deref(), Some("tc_3"));
}

async fn what_came_in_meta_is_a_body_like_the_others(world: StoreWorld) {
    const DESK: &str = "{\"desk\":\"of ann\"}";
    let (store, writer) = ledger(&world).await;
    let mut beside = call("ann", "tc_4", "ses_1", "{}", "[]");
    beside.events[0].meta = Some(Digest::of(DESK));
    beside.bodies.push(body(DESK, FAR_MS));
    writer.append(beside).await.expect("written");
    let meta = store.ledger_call(&CallId::new("tc_4")).await.expect("read")[0].event.meta;
    let meta = meta.expect("a commitment");
    assert_ne!(meta, Digest::of(DESK));
    let read = async || store.ledger_body(&meta).await.map(|body| body.map(|json| json.as_str().to_owned()));
    assert_eq!(read().await.expect("intact").as_deref(), Some(DESK));
    let fault = async || store.verify_ledger(|_| ()).await.expect("verified").fault;
    let change = |from: &str, to: &str| {
        format!(
            "UPDATE ledger_bodies SET body = replace(body, 'of {from}', 'of {to}') WHERE body LIKE '%desk%'"
        )
    };
    assert_eq!(world.sql(&change("ann", "ben")).await, 1);
    assert!(matches!(read().await, Err(StoreError::BodyChanged { digest }) if digest == meta));
    assert_eq!(fault().await.map(|fault| (fault.number, fault.what)), Some((7, Tampering::BodyEdited)));
    assert_eq!(world.sql(&change("ben", "ann")).await, 1);
    world.sql("CREATE TABLE saved AS SELECT * FROM ledger_bodies WHERE body LIKE '%desk%'").await;
    assert_eq!(world.sql("DELETE FROM ledger_bodies WHERE body LIKE '%desk%'").await, 1);
    assert_eq!(fault().await.map(|fault| (fault.number, fault.what)), Some((7, Tampering::BodyMissing)));
    world.sql("INSERT INTO ledger_bodies SELECT * FROM saved").await;
    world.sql("DROP TABLE saved").await;
    let of_call = ErasureScope { call: Some(CallId::new("tc_4")), ..of("ann") };
    assert_eq!(erase(&store, of_call).await.erased.bodies, 3, "arguments, result and `_meta`");
    assert_eq!(read().await.expect("intact"), None);
    assert_sound(&store).await;
}

async fn an_erasure_takes_one_persons_bodies_and_leaves_the_chain(world: StoreWorld) {
    let (store, _writer) = ledger(&world).await;
    let report = erase(&store, of("ann")).await;
    let erased = ErasureCounts { bodies: 3, ..ErasureCounts::default() };
    assert_eq!(report, ErasureReport { calls: 2, erased, shared: 0, open_approvals: 0 });
    assert_eq!([kept(&store, "tc_1").await, kept(&store, "tc_2").await], [GONE, GONE]);
    assert_eq!(kept(&store, "tc_3").await, both("tc_3"), "Ben's are his own");
    let verified = store.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!((verified.fault, verified.bodies, verified.erased), (None, Some(2), 3));
    let told = all(&store).await.pop().expect("an event");
    assert_eq!((told.event.kind, told.event.principal.as_str()), (EventKind::LedgerErased, "admin"));
    let detail: serde_json::Value = told.event.detail.expect("a detail").decode().expect("JSON");
    let expected = serde_json::json!({ "principal": "ann", "bodies": 3, "refs": 0, "results": 0, "approvals": 0,
        "grants": 0, "reason": "asked", "ends": { "one": 6, "cli": 0 } });
    assert_eq!(detail, expected);
    // Ben's are still watched.
    assert_eq!(world.sql("DELETE FROM ledger_bodies WHERE body LIKE '%tc_3%'").await, 1);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!(fault.what, Tampering::BodyMissing);
}

async fn what_was_erased_does_not_come_back(world: StoreWorld) {
    let (store, writer) = ledger(&world).await;
    // As another process does it while the gateway runs.
    let other = world.open().await;
    erase(&other, of("ann")).await;
    writer.append(call("ann", "tc_4", "ses_1", PIN, "{\"of\":\"tc_4\"}")).await.expect("written");
    assert_eq!(kept(&store, "tc_4").await, both("tc_4"), "what she does afterwards is kept");
    assert_eq!(kept(&store, "tc_1").await, GONE, "under another commitment");
    assert_sound(&store).await;
}

async fn one_call_or_one_session_is_erased_alone(world: StoreWorld) {
    let (store, writer) = ledger(&world).await;
    writer.append(call("ann", "tc_4", "ses_1", "{\"own\":1}", "{\"of\":\"tc_4\"}")).await.expect("written");
    let one = ErasureScope { call: Some(CallId::new("tc_4")), ..of("ann") };
    assert_eq!(erase(&store, one).await.erased.bodies, 2);
    assert_eq!([kept(&store, "tc_1").await, kept(&store, "tc_2").await], [both("tc_1"), both("tc_2")]);
    assert_sound(&store).await;
    let session = ErasureScope { session: Some(SessionId::new("ses_2")), ..of("ann") };
    assert_eq!(erase(&store, session).await.erased.bodies, 2);
    // The same person's same arguments are one row, and erased is erased.
    assert_eq!(kept(&store, "tc_1").await, [None, both("tc_1")[1].clone()]);
    let verified = store.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!((verified.fault, verified.erased), (None, 4));
    let not_hers = ErasureScope { call: Some(CallId::new("tc_3")), ..of("ann") };
    assert_eq!(erase(&store, not_hers).await, ErasureReport::default());
    assert_eq!(kept(&store, "tc_3").await, both("tc_3"));
}

/// The terms by which events are found are under no hash.
async fn what_a_search_does_not_find_is_erased_as_well(world: StoreWorld) {
    let (store, writer) = ledger(&world).await;
    // The block is complete, so that its terms are written.
    let filling = (0..300).map(|number| started(&format!("tc_fill_{number}"))).collect();
    writer.append(entry(filling)).await.expect("written");
    assert!(world.sql("DELETE FROM ledger_terms").await > 0);
    let hers = EventFilter { principal: Some(PrincipalId::new("ann")), ..EventFilter::default() };
    assert_eq!(page(&store, &hers, LedgerOrder::OldestFirst).await.len(), 0, "a search does not find them");
    assert_eq!(erase(&store, of("ann")).await.erased.bodies, 3);
    assert_eq!(world.sql("DELETE FROM ledger_bodies").await, 2, "Ben's were left");
}

/// The later call shares its arguments with the erased one, and is kept for longer.
async fn erasing_a_call_leaves_those_whose_bodies_are_kept_for_longer(world: StoreWorld) {
    let store = world.open().await;
    let writer = writer(&store, "one").await;
    let mut short = call("ann", "tc_1", "ses_1", PIN, "{\"of\":\"tc_1\"}");
    short.bodies.iter_mut().for_each(|body| body.keep_until_ms = START_MS + DAY_MS);
    writer.append(short).await.expect("written");
    writer.append(call("ann", "tc_2", "ses_1", PIN, "{\"of\":\"tc_2\"}")).await.expect("written");
    let one = ErasureScope { call: Some(CallId::new("tc_1")), ..of("ann") };
    assert_eq!(erase(&store, one).await.erased.bodies, 2);
    assert_eq!(
        kept(&store, "tc_2").await,
        both("tc_2"),
        "its arguments are the same, and lie in a row of their own"
    );
    assert_sound(&store).await;
    assert_eq!(world.sql("DELETE FROM ledger_bodies WHERE body LIKE '%pin%'").await, 1);
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!(fault.what, Tampering::BodyMissing, "the erasure of another call does not explain it");
}

async fn an_erasure_can_be_repeated_and_looked_at_before(world: StoreWorld) {
    let (store, _writer) = ledger(&world).await;
    let before = all(&store).await.len();
    let found = store.find_erasable(&of("ann")).await.expect("found");
    assert_eq!((found.calls, found.erased.bodies), (2, 3));
    assert_eq!(store.find_erasable(&of("nobody")).await.expect("found"), ErasureReport::default());
    assert_eq!(erase(&store, of("nobody")).await, ErasureReport::default());
    assert_eq!(all(&store).await.len(), before, "nothing was erased, and nothing is recorded");
    assert_eq!(erase(&store, of("ann")).await, found);
    let again = erase(&store, of("ann")).await;
    assert_eq!((again.calls, again.erased), (2, ErasureCounts::default()));
    assert_eq!(all(&store).await.len(), before + 1);
    assert_sound(&store).await;
}

async fn an_erasure_that_fails_half_way_is_repeated(world: StoreWorld) {
    let (store, writer) = ledger(&world).await;
    // More than one transaction erases.
    for number in 0..700 {
        let id = format!("tc_{number}0");
        let entry = call("ann", &id, "ses_1", &format!("{{\"n\":{number}}}"), PIN);
        writer.append(entry).await.expect("written");
    }
    let request = || ErasureRequest { scope: of("ann"), by: PrincipalId::new("admin"), reason: None };
    let mut failed = 0;
    for n in 1.. {
        store.fail_nth(n);
        let erased = store.erase("cli", &request()).await;
        let is_clean = store.is_fault_to_come();
        store.fail_never();
        assert_sound(&store).await;
        if is_clean {
            erased.expect("nothing failed");
            break;
        }
        failed += u32::from(erased.is_err());
    }
    assert!(failed > 5, "the failures were real: {failed}");
    assert_eq!(store.find_erasable(&of("ann")).await.expect("found").erased, ErasureCounts::default());
    assert_eq!(kept(&store, "tc_3").await, both("tc_3"));
    let verified = store.verify_ledger(|_| ()).await.expect("verified");
    assert_eq!((verified.fault, verified.erased), (None, 703));
}

async fn bodies_of_the_first_form_stay_while_others_need_them(world: StoreWorld) {
    world.load("ledger1").await;
    let store = world.open().await;
    let plain = Digest::of("{\"a\":1}");
    let text = async || store.ledger_body(&plain).await.expect("intact").map(|body| body.as_str().to_owned());
    assert_eq!(text().await.as_deref(), Some("{\"a\":1}"), "events of the first form have plain digests");
    let named = all(&store).await.into_iter().filter(|one| one.event.input == Some(plain));
    let principals: std::collections::BTreeSet<PrincipalId> = named.map(|one| one.event.principal).collect();
    assert!(principals.len() > 1, "several principals share it: {principals:?}");
    for principal in &principals {
        let report = erase(&store, of(principal.as_str())).await;
        assert!(report.shared > 0, "{principal}: {report:?}");
    }
    assert_eq!(text().await.as_deref(), Some("{\"a\":1}"));
    assert_eq!(world.sql("UPDATE ledger_bodies SET body = '{\"a\":2}' WHERE body = '{\"a\":1}'").await, 1);
    assert!(matches!(store.ledger_body(&plain).await, Err(StoreError::BodyChanged { .. })));
    let fault = store.verify_ledger(|_| ()).await.expect("verified").fault.expect("a fault");
    assert_eq!(fault.what, Tampering::BodyEdited);
}

/// True if some file of the database has these bytes.
fn is_in_files(world: &StoreWorld, bytes: &[u8]) -> bool {
    ["toolgate.db", "toolgate.db-wal"].iter().any(|name| {
        let file = std::fs::read(world.folder().join(name)).unwrap_or_default();
        file.windows(bytes.len()).any(|some| some == bytes)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_erased_is_not_in_the_files_of_sqlite() {
    let world = StoreWorld::sqlite();
    let (store, writer) = ledger(&world).await;
    let large = format!("{{\"large\":\"{}\"}}", "a person's words ".repeat(2_000));
    writer.append(call("ann", "tc_4", "ses_1", "{\"own\":1}", &large)).await.expect("written");
    let rows =
        world.rows("SELECT body, keep_until_ms, salt FROM ledger_bodies WHERE body LIKE '%tc_1%'").await;
    let erased = [&rows[0].2[..], b"{\"of\":\"tc_1\"}", b"a person's words"];
    assert!(erased.iter().all(|bytes| is_in_files(&world, bytes)));
    erase(&store, of("ann")).await;
    for bytes in erased {
        assert!(!is_in_files(&world, bytes), "{}", String::from_utf8_lossy(bytes));
    }
    assert!(is_in_files(&world, b"{\"of\":\"tc_3\"}"), "Ben's are there");
    assert_sound(&store).await;
}
