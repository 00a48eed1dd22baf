//! Mail, as configured: its receivers, its digest, and the API's view of both.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use tokio::time::Instant;
use toolgate_api::{MailPort, MailRecipient, MailState, MailTest};
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_courier::{
    MailAddress, MailDigest, MailEncryption, MailReceiver, MailSender, Receiver, ReceiverBoard,
};
use toolgate_store::{Store, StoreError};

use crate::config::{Config, MailSettings};
use crate::governance::SystemClock;

/// Addresses that are tested at once: a server takes only so many connections of one peer.
const TESTS_AT_ONCE: usize = 4;
/// The time for all tests together.
const TESTS_LIMIT: Duration = Duration::from_secs(60);
const LATE_HINT: &str =
    "the mail server is slow, or does not answer for some of the addresses: test again later";

/// Where the links of mails lead.
#[derive(Clone, Debug, Default)]
pub(crate) struct MailLinks {
    /// The address of the gateway, if it has a console; without a slash at its end.
    pub(crate) console: Option<String>,
    /// The address of an approval, with `{id}`.
    pub(crate) approval: Option<String>,
}

/// One receiver for each address.
pub(crate) fn receivers(config: &Config, links: &MailLinks) -> Vec<Receiver> {
    let Some(settings) = &config.mail else { return Vec::new() };
    let sender = sender(config, settings, links);
    receivers_of(settings, &sender).map(Receiver::Mail).collect()
}

/// The daily mail, if there is one.
pub(crate) fn digest(config: &Config, links: &MailLinks) -> Option<MailDigest> {
    let settings = config.mail.as_ref()?;
    Some(MailDigest {
        at: settings.digest_at.clone()?,
        to: settings.to.clone(),
        sender: sender(config, settings, links),
        clock: Arc::new(SystemClock::default()),
    })
}

fn sender(config: &Config, settings: &MailSettings, links: &MailLinks) -> Arc<MailSender> {
    Arc::new(MailSender {
        host: settings.host.clone(),
        port: settings.port,
        encryption: settings.encryption,
        login: settings.login.clone(),
        from: settings.from.clone(),
        console: links.console.clone(),
        approval: links.approval.clone(),
        egress: config.egress.clone(),
    })
}

fn receivers_of(settings: &MailSettings, sender: &Arc<MailSender>) -> impl Iterator<Item = MailReceiver> {
    settings.to.iter().map(|to| MailReceiver {
        to: to.clone(),
        notices: settings.notices.clone(),
        sender: sender.clone(),
    })
}

/// Mail as the API tells of it.
pub(crate) struct ShownMail {
    store: Store,
    board: ReceiverBoard,
    known: Option<KnownMail>,
}

#[derive(Clone)]
struct KnownMail {
    settings: MailSettings,
    sender: Arc<MailSender>,
}

impl ShownMail {
    pub(crate) fn of(config: &Config, store: &Store, board: &ReceiverBoard) -> Self {
        let known = config.mail.as_deref().map(|settings| KnownMail {
            settings: settings.clone(),
            // What the API sends has no links.
            sender: sender(config, settings, &MailLinks::default()),
        });
        Self { store: store.clone(), board: board.clone(), known }
    }
}

impl MailPort for ShownMail {
    fn state(&self) -> BoxFuture<'static, Result<Option<MailState>, StoreError>> {
        let (store, board, known) = (self.store.clone(), self.board.clone(), self.known.clone());
        Box::pin(async move {
            let Some(KnownMail { settings, sender }) = known else { return Ok(None) };
            let mut recipients = Vec::new();
            for receiver in receivers_of(&settings, &sender) {
                recipients.push(recipient(&receiver, &store, &board).await?);
            }
            Ok(Some(MailState {
                server: format!("{}:{}", settings.host, settings.port),
                encryption: encryption(settings.encryption),
                from: settings.from.to_string(),
                notices: settings.notices.iter().map(|notice| notice.as_str()).collect(),
                digest_at: settings.digest_at.as_ref().map(ToString::to_string),
                recipients,
            }))
        })
    }

    fn test(&self) -> BoxFuture<'static, Option<Vec<MailTest>>> {
        let known = self.known.clone();
        Box::pin(async move {
            let KnownMail { settings, sender } = known?;
            Some(test_all(sender, settings.to).await)
        })
    }
}

/// The first one goes ahead: what fails before the address is said fails for every address.
async fn test_all(sender: Arc<MailSender>, to: Vec<MailAddress>) -> Vec<MailTest> {
    let until = Instant::now() + TESTS_LIMIT;
    let mut to = to.into_iter();
    let Some(first) = to.next() else { return Vec::new() };
    let first = test(sender.clone(), first, until).await;
    if first.error.is_some() && !first.passed.contains(&"sender") {
        return vec![first];
    }
    let others = to.map(move |to| test(sender.clone(), to, until));
    let others: Vec<MailTest> = stream::iter(others).buffered(TESTS_AT_ONCE).collect().await;
    std::iter::once(first).chain(others).collect()
}

async fn test(sender: Arc<MailSender>, to: MailAddress, until: Instant) -> MailTest {
    let clock = SystemClock::default();
    let (id, now_ms) = (clock.fresh_id("test_"), clock.now_ms());
    let Ok(trial) = tokio::time::timeout_at(until, sender.trial(&to, &id, now_ms)).await else {
        let why = format!("no answer before the {} s of the whole test were over", TESTS_LIMIT.as_secs());
        return MailTest { to: to.spec(), passed: Vec::new(), error: Some(why), hint: Some(LATE_HINT) };
    };
    let (error, hint) = trial.failure.map(|failure| (failure.why, failure.hint)).unzip();
    MailTest { to: trial.to, passed: trial.passed, error, hint }
}

/// Notices and digests together.
async fn recipient(
    receiver: &MailReceiver,
    store: &Store,
    board: &ReceiverBoard,
) -> Result<MailRecipient, StoreError> {
    let (notices, digests) =
        (board.standing(&receiver.sink()), board.standing(&MailDigest::sink(&receiver.to)));
    let last = if digests.failed_at_ms > notices.failed_at_ms { &digests } else { &notices };
    Ok(MailRecipient {
        to: receiver.to.to_string(),
        waiting: store.outbox_waiting(&receiver.sink(), &receiver.kinds()).await?,
        delivered: notices.delivered + digests.delivered,
        delivered_at_ms: notices.delivered_at_ms.max(digests.delivered_at_ms),
        failures: notices.failures + digests.failures,
        passed_over: notices.passed_over + digests.passed_over,
        last_error: last.last_error.clone(),
        failed_at_ms: last.failed_at_ms,
    })
}

fn encryption(encryption: MailEncryption) -> &'static str {
    match encryption {
        MailEncryption::FromTheStart => "required",
        MailEncryption::Upgraded => "starttls",
        MailEncryption::Never => "none",
    }
}
