//! Streams whose readers do not read, up to the maximum time, and faster than they can.

use std::sync::Arc;

use http_body_util::BodyExt;
use toolgate_core::event::{Event, EventSubject, LedgerEntry};
use toolgate_core::governance::Ledger;
use toolgate_core::{PrincipalId, Role};
use toolgate_store::{Books, BooksSettings};

use super::*;

const WAIT: Duration = Duration::from_secs(20);
const SOON: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(3600);

struct FeedFixture {
    store: Store,
    books: Books,
    _folder: tempfile::TempDir,
}

impl FeedFixture {
    async fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("a store");
        let settings = BooksSettings { stream: "one".into(), approved_valid: LONG, escalate_to: Vec::new() };
        let books = store.books(settings).await.expect("books");
        Self { store, books, _folder: folder }
    }

    async fn append(&self, count: usize) {
        let about = Arc::new(EventSubject::default());
        let event = || Event::new(EventKind::SettingChanged, 1, PrincipalId::new("ann"), about.clone());
        let events = (0..count).map(|_| event()).collect();
        self.books.append(LedgerEntry { events, ..LedgerEntry::default() }).await.expect("recorded");
    }

    async fn listen(&self, patience: StreamTimeouts) -> EventBody {
        let feed = EventFeed::with_patience(self.store.clone(), CancellationToken::new(), patience);
        let kinds = EventKinds::read(None, Role::Admin).expect("all");
        let listening = feed.listen(Some(Position::start()), StreamFilter::all(kinds), Box::new(())).await;
        listening.unwrap_or_else(|_| panic!("there is a seat"))
    }
}

async fn next(body: &mut EventBody) -> Option<String> {
    let frame = tokio::time::timeout(WAIT, body.frame()).await.expect("in time")?;
    let bytes = frame.expect("it never fails").into_data().expect("data");
    Some(String::from_utf8(bytes.to_vec()).expect("text"))
}

fn id_of(frame: &str) -> Option<&str> {
    frame.strip_prefix("id: ")?.split('\n').next()
}

fn number_of(frame: &str) -> Option<i64> {
    id_of(frame)?.parse::<Position>().ok()?.number_in("one")
}

#[tokio::test]
async fn who_does_not_read_is_let_go_with_the_place_to_go_on_from() {
    let house = FeedFixture::open().await;
    house.append(200).await;
    let mut body = house.listen(StreamTimeouts { reading: SOON, keep_alive: LONG, open: LONG }).await;
    // The reader gives up when it has closed its side; the queued events are still there.
    let given_up = async {
        while !body.is_given_up() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(WAIT, given_up).await.expect("it is let go");
    let mut frames = Vec::new();
    while let Some(frame) = next(&mut body).await {
        frames.push(frame);
    }
    let farewell = frames.pop().expect("last words");
    let last = frames.iter().rev().find_map(|frame| id_of(frame)).expect("some events");
    let number = frames.iter().rev().find_map(|frame| number_of(frame)).expect("some events");
    assert!(number < 200, "a bounded number waited: {number}");
    assert_eq!(
        farewell,
        format!(": this stream was not read for too long; go on with Last-Event-ID: {last}\n\n")
    );
}

#[tokio::test]
async fn silence_is_broken_and_a_stream_ends_after_a_while() {
    let house = FeedFixture::open().await;
    let open = Duration::from_millis(500);
    let mut body = house.listen(StreamTimeouts { reading: LONG, keep_alive: SOON, open }).await;
    let mut frames = Vec::new();
    while let Some(frame) = next(&mut body).await {
        frames.push(frame);
    }
    assert_eq!(frames.first().map(String::as_str), Some("retry: 1000\n\n"));
    assert!(frames.iter().any(|frame| frame == ": keep-alive\n\n"), "{frames:?}");
    let start = Position::start();
    let farewell = format!(": this stream was open for long enough; go on with Last-Event-ID: {start}\n\n");
    assert_eq!(frames.last(), Some(&farewell));
}

#[tokio::test]
async fn who_falls_behind_the_follower_misses_nothing() {
    const EVENTS: usize = 5 * AHEAD_MAX;
    let house = FeedFixture::open().await;
    let mut body = house.listen(PATIENCE).await;
    for _ in 0..10 {
        house.append(EVENTS / 10).await;
    }
    let mut ids = Vec::new();
    while ids.len() < EVENTS {
        ids.extend(next(&mut body).await.as_deref().and_then(number_of));
    }
    let expected: Vec<i64> = (1..=i64::try_from(EVENTS).expect("a few")).collect();
    assert_eq!(ids, expected);
}
