//! One mail for what happened at the same moment, if it is worth one.

use std::time::Duration;

use toolgate_core::event::{EventKind, RecordedEvent};
use toolgate_store::Store;

use super::letter::MailLetter;
use super::notice;
use super::settings::MailReceiver;
use super::smtp::{self, MailProgress};
use crate::failure::DeliveryFailure;

/// A server may look for viruses before it takes a mail: so many times the limit of other attempts.
const LIMITS: u32 = 2;

pub(crate) struct MailDelivery {
    receiver: MailReceiver,
    kinds: Vec<EventKind>,
}

impl MailDelivery {
    pub(crate) fn new(receiver: MailReceiver) -> Self {
        Self { kinds: receiver.kinds(), receiver }
    }

    pub(crate) fn kinds(&self) -> &[EventKind] {
        &self.kinds
    }

    pub(crate) async fn deliver(
        &self,
        store: &Store,
        events: &[RecordedEvent],
        limit: Duration,
    ) -> Result<usize, DeliveryFailure> {
        let MailReceiver { to, sender, .. } = &self.receiver;
        let mut notices = Vec::new();
        for recorded in events {
            let words = notice::of(sender, to, store, recorded).await;
            notices.extend(words.map_err(|error| DeliveryFailure::temporary(error.to_string()))?);
        }
        let Some(words) = notice::together(notices) else { return Ok(events.len()) };
        let first = &events[0];
        let letter = MailLetter {
            from: &sender.from,
            to,
            subject: &words.subject,
            text: &words.text,
            id: &format!("{}.{}", first.stream, first.number),
            at_ms: first.event.at_ms,
        };
        let sent = smtp::send(sender, to, &letter.written(), limit * LIMITS, &mut MailProgress::new()).await;
        sent.map_err(|failure| failure.of(events.len()))?;
        Ok(events.len())
    }
}
