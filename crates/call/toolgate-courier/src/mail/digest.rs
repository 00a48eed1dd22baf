//! The digest: once a day, what calls there were and what waits. Each address has it once, whichever gateway sends it: the
//! instants that were kept stand in the database, and one gateway at a time has the turn.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use mail_text::MailAddress;
use tokio_util::sync::CancellationToken;
use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::governance::Clock;
use toolgate_core::moment::rfc3339;
use toolgate_store::{FigureBy, FigureQuery, FigureSums, LedgerOrder, OTHER_NAMES, Store, StoreError};

use super::letter::MailLetter;
use super::notice::{page, plain};
use super::settings::MailSender;
use super::smtp::{self, MailProgress};
use crate::backoff::Backoff;
use crate::board::ReceiverBoard;
use crate::failure::FailureKind;

/// The polling interval of the clock.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// The first pause after a failure, and the longest. All addresses wait for it, so an address that fails every day makes the
/// digests of the others no later than this.
const RETRY_FIRST: Duration = Duration::from_secs(60);
const RETRY_LONGEST: Duration = Duration::from_secs(300);
/// Shorter than the turn of a gateway lasts.
const SEND_LIMIT: Duration = Duration::from_secs(30);
/// The time for a mail in progress at shutdown.
const FINISH_LIMIT: Duration = Duration::from_secs(3);
const TOOLS_SHOWN: usize = 5;
const CHANGES_SHOWN: usize = 20;
/// What people want to know of the morning after.
const CHANGES: [EventKind; 10] = [
    EventKind::ConfigLoaded,
    EventKind::SettingChanged,
    EventKind::ServerAdded,
    EventKind::ServerChanged,
    EventKind::ServerRemoved,
    EventKind::ToolQuarantined,
    EventKind::ToolAccepted,
    EventKind::TokenCreated,
    EventKind::TokenRevoked,
    EventKind::GrantCreated,
];

/// The rules of time zones are part of the program: gateways that work together must agree on every instant.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A time of day somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigestTime {
    hour: i8,
    minute: i8,
    zone: TimeZone,
}

/// The reason why there is no such time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadDigestTime {
    #[error("is no time of day")]
    Time,
    #[error("is no time zone")]
    Zone,
}

impl DigestTime {
    /// From `08:00` and `Europe/Berlin`.
    pub fn read(time: &str, zone: &str) -> Result<Self, BadDigestTime> {
        let zone = match zone {
            "UTC" => TimeZone::UTC,
            // `Etc/Unknown` is a name for none.
            name => ZONES.get(name).ok().filter(|zone| !zone.is_unknown()).ok_or(BadDigestTime::Zone)?,
        };
        let (hour, minute) = time.split_once(':').ok_or(BadDigestTime::Time)?;
        let hour = two_digits(hour).filter(|hour| *hour < 24).ok_or(BadDigestTime::Time)?;
        let minute = two_digits(minute).filter(|minute| *minute < 60).ok_or(BadDigestTime::Time)?;
        Ok(Self { hour, minute, zone })
    }

    /// Its last instant, not after a moment.
    fn last(&self, until_ms: i64) -> Option<i64> {
        let until = Timestamp::from_millisecond(until_ms).ok()?.to_zoned(self.zone.clone());
        let today = self.on(until.date())?;
        if today <= until_ms {
            return Some(today);
        }
        self.on(until.date().yesterday().ok()?)
    }

    fn on(&self, day: Date) -> Option<i64> {
        let instant = day.at(self.hour, self.minute, 0, 0).to_zoned(self.zone.clone()).ok()?;
        Some(instant.timestamp().as_millisecond())
    }
}

impl fmt::Display for DigestTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let zone = self.zone.iana_name().unwrap_or_default();
        write!(f, "{:02}:{:02} {zone}", self.hour, self.minute)
    }
}

fn two_digits(text: &str) -> Option<i8> {
    let fits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| fits)
}

/// The daily mails, and their addresses.
pub struct MailDigest {
    pub at: DigestTime,
    pub to: Vec<MailAddress>,
    pub sender: Arc<MailSender>,
    pub clock: Arc<dyn Clock>,
}

impl MailDigest {
    /// The key of an address' place in the database, and on the board.
    pub fn sink(to: &MailAddress) -> String {
        format!("mail-digest:{}", to.spec())
    }

    /// Until shutdown.
    pub(crate) async fn run(self, store: Store, board: ReceiverBoard, shutdown: CancellationToken) {
        let overdue = async {
            shutdown.cancelled().await;
            tokio::time::sleep(FINISH_LIMIT).await;
        };
        tokio::select! {
            () = self.follow_days(&store, &board, &shutdown) => {}
            () = overdue => {}
        }
    }

    async fn follow_days(&self, store: &Store, board: &ReceiverBoard, shutdown: &CancellationToken) {
        let mut backoff = Backoff::new(RETRY_FIRST, RETRY_LONGEST);
        // The last instant that each address is done with.
        let mut done = BTreeMap::new();
        loop {
            let all_went_well = self.round(store, board, &mut done).await;
            let pause = match all_went_well {
                true => LOOK_EVERY,
                false => backoff.next(None),
            };
            if all_went_well {
                backoff.reset();
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = self.clock.sleep(pause) => {}
            }
        }
    }

    async fn round(&self, store: &Store, board: &ReceiverBoard, done: &mut BTreeMap<String, i64>) -> bool {
        let Some(due) = self.at.last(self.clock.now_ms()) else { return true };
        let mut all_went_well = true;
        for to in &self.to {
            let sink = Self::sink(to);
            if done.get(&sink) == Some(&due) {
                continue;
            }
            let one = AddressDigest { digest: self, store, board, to, sink: &sink, due };
            match one.keep().await {
                Ok(true) => {
                    done.insert(sink, due);
                }
                Ok(false) => {}
                Err(why) => {
                    all_went_well = false;
                    board.failed(&sink, &why);
                    tracing::warn!(receiver = sink, why, "a digest could not be sent and is tried again");
                }
            }
        }
        all_went_well
    }
}

/// The digest of one address at one instant.
struct AddressDigest<'a> {
    digest: &'a MailDigest,
    store: &'a Store,
    board: &'a ReceiverBoard,
    to: &'a MailAddress,
    sink: &'a str,
    due: i64,
}

impl AddressDigest<'_> {
    /// True if nothing is left to do at this instant; false if another gateway is at it.
    async fn keep(&self) -> Result<bool, String> {
        if self.kept().await?.is_some_and(|kept| kept >= self.due) {
            return Ok(true);
        }
        if !self.store.take_turn(self.sink).await.map_err(told)? {
            return Ok(false);
        }
        let kept = self.keep_in_turn().await;
        self.store.end_turn(self.sink).await.map_err(told)?;
        kept.map(|()| true)
    }

    async fn keep_in_turn(&self) -> Result<(), String> {
        match self.kept().await? {
            // Another gateway was faster.
            Some(kept) if kept >= self.due => return Ok(()),
            Some(_) => self.send().await?,
            // A new address has its first digest at the next instant.
            None => {}
        }
        self.store.keep_instant(self.sink, self.due).await.map_err(told)
    }

    async fn kept(&self) -> Result<Option<i64>, String> {
        self.store.kept_instant(self.sink).await.map_err(told)
    }

    async fn send(&self) -> Result<(), String> {
        let &Self { digest: MailDigest { at, sender, .. }, store, board, to, sink, due } = self;
        let from = at.last(due - 1).unwrap_or(due);
        let Some(text) = text(sender, store, from, due).await.map_err(told)? else { return Ok(()) };
        let letter = MailLetter {
            from: &sender.from,
            to,
            subject: "Toolgate: the last day",
            text: &text,
            id: &format!("digest.{due}.{}", to.spec()),
            at_ms: due,
        };
        let mut progress = MailProgress::new();
        match smtp::send(sender, to, &letter.written(), SEND_LIMIT, &mut progress).await {
            Ok(()) => board.took(sink, 1),
            Err(failure) if failure.kind == FailureKind::Refused => {
                board.failed(sink, &failure.why);
                board.passed_over(sink, 1);
                tracing::error!(receiver = sink, why = failure.why, "the receiver will not have this digest");
            }
            Err(failure) => return Err(failure.why),
        }
        Ok(())
    }
}

fn told(error: StoreError) -> String {
    error.to_string()
}

/// What happened between two moments. `None` if nothing did, and nothing waits.
async fn text(
    sender: &MailSender,
    store: &Store,
    from_ms: i64,
    until_ms: i64,
) -> Result<Option<String>, StoreError> {
    let total = sums(store, FigureBy::All, from_ms, until_ms).await?.remove("").unwrap_or_default();
    let waiting = store.count_waiting().await?;
    let changes = changes(store, from_ms, until_ms).await?;
    let waits = waiting.approvals + waiting.inputs + waiting.reviews > 0;
    if total.is_empty() && changes.is_empty() && !waits {
        return Ok(None);
    }
    let mut text = format!("From {} to {}\n\n", rfc3339(from_ms), rfc3339(until_ms));
    put(&mut text, "Calls", total.calls());
    put(&mut text, "- failed", total.failed());
    put(&mut text, "- refused", total.refused());
    text.push_str("\nWaiting now\n");
    put(&mut text, "- approvals", waiting.approvals);
    put(&mut text, "- questions", waiting.inputs);
    put(&mut text, "- reviews", waiting.reviews);
    let tools = failing_tools(store, from_ms, until_ms).await?;
    for (title, lines) in [("Tools that failed", tools), ("What changed", changes)] {
        if !lines.is_empty() {
            write!(text, "\n{title}\n{}", lines.concat()).expect("text takes text");
        }
    }
    text.push('\n');
    text.push_str(&page(sender, &["inbox"]));
    Ok(Some(text))
}

fn put(text: &mut String, name: &str, count: u64) {
    let name = format!("{name}:");
    writeln!(text, "{name:<14}{count}").expect("text takes text");
}

/// The sums of the whole time, by name.
async fn sums(
    store: &Store,
    by: FigureBy,
    from_ms: i64,
    until_ms: i64,
) -> Result<BTreeMap<String, FigureSums>, StoreError> {
    let query = FigureQuery { by, name: None, from_ms, until_ms, step_ms: (until_ms - from_ms).max(1) };
    let series = store.figures(&query).await?;
    let all = series.into_iter().map(|(name, steps)| {
        let mut all = FigureSums::default();
        steps.values().for_each(|sums| all.add_all(sums));
        (name, all)
    });
    Ok(all.collect())
}

async fn failing_tools(store: &Store, from_ms: i64, until_ms: i64) -> Result<Vec<String>, StoreError> {
    let tools = sums(store, FigureBy::Tool, from_ms, until_ms).await?;
    let mut failing: Vec<(u64, u64, String)> = tools
        .into_iter()
        .filter(|(name, sums)| sums.failed() > 0 && name != OTHER_NAMES)
        .map(|(name, sums)| (sums.failed(), sums.calls(), name))
        .collect();
    failing.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.2.cmp(&other.2)));
    let line =
        |(failed, calls, name): (u64, u64, String)| format!("- {}: {failed} of {calls}\n", plain(&name));
    Ok(failing.into_iter().take(TOOLS_SHOWN).map(line).collect())
}

async fn changes(store: &Store, from_ms: i64, until_ms: i64) -> Result<Vec<String>, StoreError> {
    let mut lines = Vec::new();
    for kind in CHANGES {
        let left = CHANGES_SHOWN - lines.len();
        if left == 0 {
            break;
        }
        let filter = EventFilter {
            kind: Some(kind),
            from_ms: Some(from_ms),
            until_ms: Some(until_ms),
            ..EventFilter::default()
        };
        for found in store.ledger_page(&filter, None, left, LedgerOrder::OldestFirst).await? {
            let event = &found.event;
            let tool = event.about.tool.as_ref().map(|tool| tool.as_str());
            let server = event.about.server.as_ref().map(|server| server.as_str());
            let what = tool.or(server).map(|name| format!(" {}", plain(name))).unwrap_or_default();
            let who = plain(event.principal.as_str());
            lines.push(format!("- {}{what} (by {who})\n", kind.as_str()));
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use toolgate_core::moment::parse_rfc3339;

    use super::*;

    fn last(time: &str, zone: &str, until: &str) -> String {
        let at = DigestTime::read(time, zone).expect("a time");
        let until = parse_rfc3339(until).expect("a moment");
        rfc3339(at.last(until).expect("an instant"))
    }

    #[test]
    fn the_last_instant_is_that_of_the_clock_on_the_wall() {
        for (time, zone, until, expected) in [
            ("08:00", "UTC", "2026-08-01T08:00:00Z", "2026-08-01T08:00:00.000Z"),
            ("08:00", "UTC", "2026-08-01T07:59:59Z", "2026-07-31T08:00:00.000Z"),
            ("08:00", "Europe/Berlin", "2026-08-01T12:00:00Z", "2026-08-01T06:00:00.000Z"),
            ("08:00", "Europe/Berlin", "2026-12-01T12:00:00Z", "2026-12-01T07:00:00.000Z"),
            // The hour that spring leaves out: the digest is not lost.
            ("02:30", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-29T01:30:00.000Z"),
        ] {
            assert_eq!(last(time, zone, until), expected, "{time} {zone} {until}");
        }
    }

    #[test]
    fn what_is_no_time_or_no_zone_is_refused() {
        for time in ["8:00", "24:00", "08:60", "08", "08:00:00", "+8:00", ""] {
            assert_eq!(DigestTime::read(time, "UTC"), Err(BadDigestTime::Time), "{time:?}");
        }
        for zone in ["Europe/Berlyn", "", "Etc/Unknown"] {
            assert_eq!(DigestTime::read("08:00", zone), Err(BadDigestTime::Zone), "{zone:?}");
        }
    }
}
