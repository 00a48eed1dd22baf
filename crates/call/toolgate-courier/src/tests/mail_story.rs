//! Mail: notices of what waits, trials, and the digest of the day.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolgate_core::approval::WithdrawalReason;
use toolgate_core::event::{Event, EventKind, EventSubject, Outcome};
use toolgate_core::governance::{Approvals, Clock};
use toolgate_core::id::RunId;
use toolgate_core::moment::parse_rfc3339;
use toolgate_core::port::BoxFuture;
use toolgate_core::{CanonicalName, PrincipalId, RawJson, ServerName};

use super::ledger::TestLedger;
use super::mailbox::Mailbox;
use super::question::{answer, ask};
use super::webhook_story::new_approval;
use super::{PATIENCE, completed, quick, start, until};
use crate::{
    Courier, DigestTime, MailAddress, MailDigest, MailEncryption, MailLogin, MailNotice, MailReceiver,
    MailSender, Receiver, ReceiverBoard,
};

const SINK: &str = "mail:ann@example.com";
const PASSWORD: &str = "Zuckerhut-4711";

fn ann() -> MailAddress {
    MailAddress::read("Ann <ann@example.com>").expect("an address")
}

fn sender(mailbox: &Mailbox) -> MailSender {
    MailSender {
        host: mailbox.address.ip().to_string(),
        port: mailbox.address.port(),
        encryption: MailEncryption::Never,
        login: None,
        from: MailAddress::read("gate@example.com").expect("an address"),
        console: Some("https://gate.example".into()),
        approval: Some("https://gate.example/approvals/{id}".into()),
        egress: Arc::default(),
    }
}

fn receiver(mailbox: &Mailbox) -> Receiver {
    let notices = MailNotice::ALL.to_vec();
    Receiver::Mail(MailReceiver { to: ann(), notices, sender: Arc::new(sender(mailbox)) })
}

fn with_login(mailbox: &Mailbox) -> MailSender {
    let login = MailLogin { user: "gate".into(), password: PASSWORD.into() };
    MailSender { login: Some(login), ..sender(mailbox) }
}

#[tokio::test]
async fn an_approval_is_told_once_with_a_link_and_without_its_arguments() {
    let mailbox = Mailbox::start(|_, _| None).await;
    let ledger = TestLedger::open(SINK).await;
    let opened = ledger.books.open(new_approval()).await.expect("it is asked");
    let running = start(&ledger, receiver(&mailbox)).await;
    until("it is delivered", || mailbox.taken().len() == 1).await;
    running.stop().await;
    let heard = mailbox.heard();
    assert_eq!(heard[0].commands[1..3], ["MAIL FROM:<gate@example.com>", "RCPT TO:<ann@example.com>"]);
    let mail = &mailbox.taken()[0];
    let link = format!("https://gate.example/approvals/{}", opened.approval.id.as_str());
    for told in
        ["Subject: bank:transfer waits for approval", "agent-7", "finance", "Message-ID: <one.", &link]
    {
        assert!(mail.contains(told), "no {told:?} in {mail}");
    }
    assert!(!mail.contains("amount") && !mail.contains("redacted"), "{mail}");
    assert_eq!(ledger.store.outbox_waiting(SINK, &[EventKind::ApprovalRequested]).await.expect("a count"), 0);
    let again = start(&ledger, receiver(&mailbox)).await;
    again.stop().await;
    assert_eq!(mailbox.taken().len(), 1, "after a restart nothing is sent twice");
}

#[tokio::test]
async fn a_mail_that_is_put_off_is_sent_again_under_the_same_id() {
    let answering = |before: usize, line: &str| match (before, line) {
        (0, "") => Some("421 too busy\r\n"),
        (1, ".") => Some("451 come again\r\n"),
        _ => None,
    };
    let mailbox = Mailbox::start(answering).await;
    let ledger = TestLedger::open(SINK).await;
    ledger.books.open(new_approval()).await.expect("it is asked");
    let running = start(&ledger, receiver(&mailbox)).await;
    until("it is delivered", || mailbox.taken().len() == 1).await;
    let board = running.board.clone();
    running.stop().await;
    assert_eq!(mailbox.heard().len(), 3);
    let standing = board.standing(SINK);
    assert_eq!((standing.delivered, standing.failures, standing.passed_over), (1, 0, 0));
    assert_eq!(standing.last_error.as_deref(), Some("mail: the server says 451 come again"));
}

fn health(health: &str) -> Event {
    health_later(health, 0)
}

/// The health of `bank`, so many minutes later.
fn health_later(health: &str, minutes: i64) -> Event {
    let server = Some(ServerName::new("bank").expect("a name"));
    let about = Arc::new(EventSubject { server, ..EventSubject::default() });
    let at_ms = 1_785_585_600_123 + minutes * 60_000;
    let mut event = Event::new(EventKind::ServerHealth, at_ms, PrincipalId::local(), about);
    let detail = serde_json::json!({ "health": health, "reason": "password=Zuckerhut" });
    event.detail = Some(RawJson::from(detail));
    event
}

#[tokio::test]
async fn what_waits_at_the_same_moment_is_one_mail() {
    let mailbox = Mailbox::start(|_, _| None).await;
    let ledger = TestLedger::open(SINK).await;
    ledger.books.open(new_approval()).await.expect("it is asked");
    ledger.append(vec![health("degraded"), health("healthy")]).await;
    let running = start(&ledger, receiver(&mailbox)).await;
    until("all of it is delivered", || running.board.standing(SINK).delivered == 3).await;
    running.stop().await;
    let taken = mailbox.taken();
    assert_eq!(taken.len(), 1, "{taken:?}");
    for told in [
        "Subject: 2 notices: bank:transfer waits for approval, and more",
        "\nbank:transfer waits for approval\n",
        "\nThe server bank is degraded\n",
        "https://gate.example/console/servers/bank",
    ] {
        assert!(taken[0].contains(told), "no {told:?} in {}", taken[0]);
    }
}

#[tokio::test]
async fn a_server_that_crashes_again_and_again_is_told_once_an_hour_also_after_a_restart() {
    // The first attempt fails, and what it was about is still told.
    let mailbox =
        Mailbox::start(|before, line| (before == 0 && line == ".").then_some("451 later\r\n")).await;
    let ledger = TestLedger::open(SINK).await;
    let crashes = (0..5).flat_map(|at| [health_later("degraded", at), health_later("healthy", at)]);
    ledger.append(crashes.collect()).await;
    let running = start(&ledger, receiver(&mailbox)).await;
    until("all of it is delivered", || running.board.standing(SINK).delivered == 10).await;
    running.stop().await;
    assert_eq!(mailbox.taken().len(), 1);
    let told = "Subject: The server bank is degraded";
    assert!(mailbox.taken()[0].contains(told), "{}", mailbox.taken()[0]);
    let running = start(&ledger, receiver(&mailbox)).await;
    ledger.append(vec![health_later("degraded", 59)]).await;
    until("it is passed by", || running.board.standing(SINK).delivered == 1).await;
    assert_eq!(mailbox.taken().len(), 1, "it was told within the hour");
    ledger.append(vec![health_later("degraded", 60)]).await;
    until("it is told again", || mailbox.taken().len() == 2).await;
    running.stop().await;
}

#[tokio::test]
async fn questions_and_reviews_are_told_with_their_pages() {
    let mailbox = Mailbox::start(|_, _| None).await;
    let ledger = TestLedger::open(SINK).await;
    let bank = ServerName::new("bank").expect("a name");
    let about = EventSubject {
        run: Some(RunId::new("run_1")),
        tool: Some(CanonicalName::of(&bank, "transfer\nX: y")),
        server: Some(bank),
        ..EventSubject::default()
    };
    let event =
        |kind: EventKind| Event::new(kind, 1_785_585_600_123, PrincipalId::local(), about.clone().into());
    ask(&ledger.books, "run_1", "inp_7").await;
    let running = start(&ledger, receiver(&mailbox)).await;
    until("the question is delivered", || mailbox.taken().len() == 1).await;
    ledger.append(vec![event(EventKind::ToolQuarantined)]).await;
    until("the review is delivered", || mailbox.taken().len() == 2).await;
    // A change of many tools at once is one event, which has their server alone.
    let mut many = event(EventKind::ToolQuarantined);
    many.about = Arc::new(EventSubject { tool: None, ..about.clone() });
    ledger.append(vec![many]).await;
    until("the reviews are delivered", || mailbox.taken().len() == 3).await;
    running.stop().await;
    let taken = mailbox.taken();
    for told in ["Subject: A run has a question", "run_1", "https://gate.example/console/inbox/inputs/inp_7"]
    {
        assert!(taken[0].contains(told), "no {told:?} in {}", taken[0]);
    }
    for told in [
        "Subject: bank:transfer X: y waits for a review\n",
        "Tool:      bank:transfer X: y\n",
        "https://gate.example/console/reviews\n",
    ] {
        assert!(taken[1].contains(told), "no {told:?} in {}", taken[1]);
    }
    assert!(taken[2].contains("Subject: Tools of bank wait for a review\n"), "{}", taken[2]);
}

#[tokio::test]
async fn what_was_decided_in_the_meantime_is_not_sent() {
    let mailbox = Mailbox::start(|_, _| None).await;
    let ledger = TestLedger::open(SINK).await;
    let opened = ledger.books.open(new_approval()).await.expect("it is asked");
    let cancelled =
        ledger.books.cancel(&opened.approval.id, &PrincipalId::new("agent-7"), WithdrawalReason::ByCaller);
    cancelled.await.expect("it is withdrawn");
    answer(&ledger.books, &ask(&ledger.books, "run_1", "inp_7").await).await;
    ledger.append(vec![health("degraded")]).await;
    let running = start(&ledger, receiver(&mailbox)).await;
    until("the other is delivered", || !mailbox.taken().is_empty()).await;
    running.stop().await;
    let taken = mailbox.taken();
    assert!(taken.len() == 1 && taken[0].contains("Subject: The server bank is degraded"), "{taken:?}");
}

#[tokio::test]
async fn a_mailbox_that_is_not_there_is_told_and_skipped_and_a_wrong_sender_is_not() {
    let answering = |before: usize, line: &str| match line.split(' ').next() {
        // Five times, which is as often as a refusal is believed to be a mistake.
        Some("RCPT") if before < 5 => Some("550 no such user\r\n"),
        Some("MAIL") if before == 5 => Some("553 not your address\r\n"),
        _ => None,
    };
    let mailbox = Mailbox::start(answering).await;
    let ledger = TestLedger::open(SINK).await;
    ledger.books.open(new_approval()).await.expect("it is asked");
    let running = start(&ledger, receiver(&mailbox)).await;
    until("it is given up", || running.board.standing(SINK).passed_over == 1).await;
    ledger.append(vec![health("healthy"), health("degraded")]).await;
    until("the second is delivered", || mailbox.taken().len() == 1).await;
    let board = running.board.clone();
    running.stop().await;
    let mail = &mailbox.taken()[0];
    assert!(mail.contains("Subject: The server bank is degraded"), "{mail}");
    assert!(
        mail.contains("https://gate.example/console/servers/bank") && !mail.contains("Zuckerhut"),
        "{mail}"
    );
    let standing = board.standing(SINK);
    assert_eq!(standing.passed_over, 1);
    assert_eq!(standing.last_error.as_deref(), Some("sender: the server says 553 not your address"));
}

#[tokio::test]
async fn a_trial_says_how_far_it_came_and_what_to_do() {
    let mailbox = Mailbox::start(|_, _| None).await;
    let trial = with_login(&mailbox).trial(&ann(), "test_1", 0).await;
    assert_eq!((trial.to.as_str(), trial.failure), ("ann@example.com", None));
    assert_eq!(trial.passed, ["connection", "sign-in", "sender", "recipient", "mail"]);
    assert_eq!(mailbox.heard()[0].commands[1], "AUTH PLAIN AGdhdGUAWnVja2VyaHV0LTQ3MTE=");
    assert!(mailbox.taken()[0].contains("Message-ID: <test_1@example.com>"));
    let answering = |_: usize, line: &str| line.starts_with("AUTH").then_some("535 no, Zuckerhut-4711\r\n");
    let mailbox = Mailbox::start(answering).await;
    let trial = with_login(&mailbox).trial(&ann(), "test_2", 0).await;
    assert_eq!(trial.passed, ["connection"]);
    let failure = trial.failure.expect("it fails");
    assert_eq!(failure.why, "sign-in: the server says 535 no, [the password]");
    assert!(failure.hint.contains("`password` in `[mail]`"), "{}", failure.hint);
    assert_eq!(mailbox.taken(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_knows_login_alone_is_signed_in_at() {
    let answering = |_: usize, line: &str| match line {
        line if line.starts_with("EHLO") => Some("250-mailbox\r\n250 AUTH=LOGIN\r\n"),
        "AUTH LOGIN" => Some("334 VXNlcm5hbWU6\r\n"),
        "Z2F0ZQ==" => Some("334 UGFzc3dvcmQ6\r\n"),
        "WnVja2VyaHV0LTQ3MTE=" => Some("235 welcome\r\n"),
        _ => None,
    };
    let mailbox = Mailbox::start(answering).await;
    let trial = with_login(&mailbox).trial(&ann(), "test_1", 0).await;
    assert_eq!(trial.failure, None);
}

#[tokio::test]
async fn a_server_that_does_not_keep_to_the_protocol_gets_no_password() {
    let endless: &str = "220-hello\r\n".repeat(200).leak();
    let long: &str = "2".repeat(5_000).leak();
    for (greeting, hello, starttls, why) in [
        ("220 hi\r\n", "250 AUTH PLAIN\r\n", "", "does not offer STARTTLS"),
        ("220 hi\r\n", "250 STARTTLS\r\n", "454 not now\r\n", "454 not now"),
        ("220 hi\r\n", "250 STARTTLS\r\n", "220 go\r\n250 AUTH PLAIN\r\n", "someone spoke before"),
        ("SSH-2.0-x\r\n", "", "", "no answer of an SMTP server"),
        (endless, "", "", "too many lines"),
        (long, "", "", "too long"),
    ] {
        let answering = move |_: usize, line: &str| match line {
            "" => Some(greeting),
            "STARTTLS" => Some(starttls),
            line => line.starts_with("EHLO").then_some(hello),
        };
        let mailbox = Mailbox::start(answering).await;
        let sender = MailSender { encryption: MailEncryption::Upgraded, ..with_login(&mailbox) };
        let failure = sender.trial(&ann(), "test_1", 0).await.failure.expect("it fails");
        assert!(failure.why.contains(why), "{why}: {failure:?}");
        let commands = mailbox.heard().into_iter().flat_map(|one| one.commands).collect::<Vec<_>>();
        assert!(!commands.iter().any(|line| line.starts_with("AUTH")), "{commands:?}");
    }
}

/// A clock that stands where a test puts it.
struct StandingClock(AtomicI64);

impl StandingClock {
    fn at(moment: &str) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(parse_rfc3339(moment).expect("a moment"))))
    }

    fn put(&self, moment: &str) {
        self.0.store(parse_rfc3339(moment).expect("a moment"), Ordering::SeqCst);
    }
}

impl Clock for StandingClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    fn monotonic_us(&self) -> i64 {
        0
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(5)))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}1")
    }
}

/// Until the digest of a moment is done with.
async fn kept(ledger: &TestLedger, moment: &str) {
    let (sink, due) = (MailDigest::sink(&ann()), parse_rfc3339(moment));
    let wait = async {
        while ledger.store.kept_instant(&sink).await.expect("read") != due {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("never kept: {moment}"));
}

#[tokio::test]
async fn a_digest_comes_once_at_its_time_and_not_on_a_day_without_anything() {
    let mailbox =
        Mailbox::start(|before, line| (before == 0 && line == ".").then_some("451 later\r\n")).await;
    let ledger = TestLedger::open(SINK).await;
    let clock = StandingClock::at("2026-08-01T09:00:00Z");
    let (board, shutdown) = (ReceiverBoard::default(), CancellationToken::new());
    let started = Courier::start_at(quick(), &ledger.store, Vec::new(), &board, &shutdown).await;
    let courier = started.expect("it starts");
    let digest = || MailDigest {
        at: DigestTime::read("08:00", "UTC").expect("a time"),
        to: vec![ann()],
        sender: Arc::new(sender(&mailbox)),
        clock: clock.clone(),
    };
    courier.keep_digest(digest(), &ledger.store, &board, &shutdown);
    kept(&ledger, "2026-08-01T08:00:00Z").await;
    assert_eq!(mailbox.heard().len(), 0, "the first one comes the next day");
    ledger.append_calls(0..3).await;
    ledger.append(vec![completed("tc_9", Outcome::Failed)]).await;
    clock.put("2026-08-02T08:00:00Z");
    kept(&ledger, "2026-08-02T08:00:00Z").await;
    // Another gateway on the same database.
    courier.keep_digest(digest(), &ledger.store, &board, &shutdown);
    clock.put("2026-08-03T12:00:00Z");
    kept(&ledger, "2026-08-03T08:00:00Z").await;
    shutdown.cancel();
    tokio::time::timeout(PATIENCE, courier.finish()).await.expect("it ends");
    let taken = mailbox.taken();
    assert_eq!((taken.len(), mailbox.heard().len()), (1, 2), "put off once, sent once: {taken:?}");
    let told =
        ["Calls:        4", "- failed:     1", "- bank:transfer: 1 of 4", "Subject: Toolgate: the last day"];
    assert!(told.iter().all(|line| taken[0].contains(line)), "{}", taken[0]);
    assert_eq!(board.standing(&MailDigest::sink(&ann())).delivered, 1);
}
