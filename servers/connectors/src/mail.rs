//! Mail: sending by SMTP, reading by IMAP. Both protocols are spoken by hand, since few commands of them are needed: a client for
//! IMAP would bring eleven packages, none for SMTP says at which moment an answer was lost, and neither limits what it reads.

mod compose;
mod dispatch;
mod imap;
mod inbox;
mod item;
mod options;
mod outbox;
mod parsed;
mod reading;
mod records;
mod search;
mod send;
mod smtp;

use std::sync::Arc;

use capability_kit::{
    CallPreview, Connector, PageQuestion, PreviewQuestion, ResidentFuture, StreamPage, Tool, Trouble,
};

pub use options::MailOptions;

use crate::options::WayOptions;
use crate::provided::Provided;
use inbox::Inbox;
use outbox::Outbox;

/// A mail account: either half may be missing.
pub(crate) struct MailConnector {
    outbox: Provided<Outbox>,
    inbox: Provided<Inbox>,
}

impl MailConnector {
    pub(crate) fn of(options: &MailOptions, way: &WayOptions) -> Self {
        Self { outbox: Outbox::of(options, way).map(Arc::new), inbox: Inbox::of(options, way).map(Arc::new) }
    }

    pub(crate) fn tools(&self) -> Vec<Tool> {
        vec![
            send::tool(&self.outbox),
            search::list_tool(&self.inbox),
            reading::tool(&self.inbox),
            search::tool(&self.inbox),
        ]
    }
}

impl Connector for MailConnector {
    fn previewed(&self) -> Vec<&'static str> {
        vec![send::NAME]
    }

    fn streams(&self) -> Vec<String> {
        self.inbox.as_ref().map(|inbox| inbox.mailboxes.clone()).unwrap_or_default()
    }

    fn preview(&self, asked: PreviewQuestion) -> ResidentFuture<Result<CallPreview, Trouble>> {
        let outbox = self.outbox.clone();
        Box::pin(async move { send::preview(&*outbox?, asked) })
    }

    fn page(&self, asked: PageQuestion) -> ResidentFuture<Result<StreamPage, Trouble>> {
        let inbox = self.inbox.clone();
        Box::pin(async move { records::page(&*inbox?, asked).await })
    }
}
