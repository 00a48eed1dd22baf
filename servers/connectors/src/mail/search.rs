//! The tools that find messages.

use std::sync::Arc;

use capability_kit::{ResidentCall, Tool, Trouble};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::imap::{CommandPart, ImapSession};
use super::inbox::Inbox;
use super::item::ImapItem;
use super::parsed::MailHead;
use crate::provided::{Provided, ToolWords, data_tool};

const LIST_WORDS: ToolWords = ToolWords {
    name: "list_messages",
    title: "List messages",
    description: "Lists the newest messages of a mailbox: uid, sender, recipients, subject, date. Nothing is marked as read.",
};
const SEARCH_WORDS: ToolWords = ToolWords {
    name: "search_messages",
    title: "Search messages",
    description: "Finds messages by sender, recipient, subject, words, dates or message_id, newest first. All conditions must hold. \
        Nothing is marked as read.",
};
const LIMIT: usize = 20;
const LIMIT_MAX: usize = 100;
const WORD_CHARS_MAX: usize = 300;
const HEADERS: &str =
    "UID RFC822.SIZE FLAGS BODY.PEEK[HEADER.FIELDS (FROM TO CC SUBJECT DATE MESSAGE-ID IN-REPLY-TO)]";

pub(super) fn list_tool(inbox: &Provided<Inbox>) -> Tool {
    data_tool(inbox, LIST_WORDS, list)
}

pub(super) fn tool(inbox: &Provided<Inbox>) -> Tool {
    data_tool(inbox, SEARCH_WORDS, search)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListMessagesArguments {
    /// The mailbox; the first one that may be read if omitted.
    #[serde(default)]
    mailbox: Option<String>,
    /// 20 by default, 100 at most.
    #[serde(default)]
    limit: Option<usize>,
    /// Only messages older than the one with this uid: the `next` of an earlier answer.
    #[serde(default)]
    before_uid: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchMessagesArguments {
    /// The mailbox; the first one that may be read if omitted.
    #[serde(default)]
    mailbox: Option<String>,
    /// A part of the sender's name or address.
    #[serde(default)]
    from: Option<String>,
    /// A part of a recipient's name or address.
    #[serde(default)]
    to: Option<String>,
    /// Words of the subject.
    #[serde(default)]
    subject: Option<String>,
    /// Words of the whole message.
    #[serde(default)]
    text: Option<String>,
    /// The id of one message.
    #[serde(default)]
    message_id: Option<String>,
    /// From this day on, such as 2026-11-18.
    #[serde(default)]
    since: Option<String>,
    /// Before this day.
    #[serde(default)]
    before: Option<String>,
    /// Only messages that nobody has read.
    #[serde(default)]
    unseen: bool,
    /// 20 by default, 100 at most.
    #[serde(default)]
    limit: Option<usize>,
    /// Only messages older than the one with this uid: the `next` of an earlier answer.
    #[serde(default)]
    before_uid: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FoundMessages {
    mailbox: String,
    messages: Vec<MessageSummary>,
    /// The number of messages that fit.
    total: usize,
    /// Pass it as before_uid for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct MessageSummary {
    /// Pass it to read_message.
    uid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cc: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to: Option<String>,
    bytes: u32,
    seen: bool,
}

/// The part of the messages that is shown.
struct MessageWindow {
    limit: usize,
    before_uid: Option<u32>,
}

impl MessageWindow {
    fn read(limit: Option<usize>, before_uid: Option<u32>) -> Result<Self, Trouble> {
        let limit = limit.unwrap_or(LIMIT);
        match (1..=LIMIT_MAX).contains(&limit) {
            true => Ok(Self { limit, before_uid }),
            false => {
                Err(Trouble::bad_arguments(format!("limit is {limit}"))
                    .hint(format!("pass 1 to {LIMIT_MAX}")))
            }
        }
    }
}

async fn list(
    inbox: Arc<Inbox>,
    arguments: ListMessagesArguments,
    _: ResidentCall,
) -> Result<FoundMessages, Trouble> {
    let window = MessageWindow::read(arguments.limit, arguments.before_uid)?;
    found(&inbox, arguments.mailbox.as_deref(), vec![CommandPart::Words("ALL".to_owned())], window).await
}

async fn search(
    inbox: Arc<Inbox>,
    arguments: SearchMessagesArguments,
    _: ResidentCall,
) -> Result<FoundMessages, Trouble> {
    let window = MessageWindow::read(arguments.limit, arguments.before_uid)?;
    let criteria = criteria(&arguments)?;
    found(&inbox, arguments.mailbox.as_deref(), criteria, window).await
}

fn criteria(arguments: &SearchMessagesArguments) -> Result<Vec<CommandPart>, Trouble> {
    let mut parts = vec![CommandPart::Words("ALL".to_owned())];
    let texts = [
        ("FROM", &arguments.from),
        ("TO", &arguments.to),
        ("SUBJECT", &arguments.subject),
        ("TEXT", &arguments.text),
        ("HEADER Message-ID", &arguments.message_id),
    ];
    for (key, text) in texts {
        let Some(text) = text else { continue };
        if text.is_empty() || text.chars().count() > WORD_CHARS_MAX || text.chars().any(char::is_control) {
            return Err(Trouble::bad_arguments(format!(
                "the words for {key} are empty, too long, or have line breaks"
            ))
            .hint(format!("write up to {WORD_CHARS_MAX} characters in one line")));
        }
        parts.push(CommandPart::Words(format!(" {key} ")));
        parts.push(CommandPart::Text(text.clone()));
    }
    for (key, day) in [("SINCE", &arguments.since), ("BEFORE", &arguments.before)] {
        let Some(day) = day else { continue };
        let date: Date = day.parse().map_err(|_| {
            Trouble::bad_arguments(format!("{day:?} is no day")).hint("write it as 2026-11-18")
        })?;
        parts.push(CommandPart::Words(format!(" {key} {}", date.strftime("%d-%b-%Y"))));
    }
    if arguments.unseen {
        parts.push(CommandPart::Words(" UNSEEN".to_owned()));
    }
    Ok(parts)
}

async fn found(
    inbox: &Inbox,
    mailbox: Option<&str>,
    criteria: Vec<CommandPart>,
    window: MessageWindow,
) -> Result<FoundMessages, Trouble> {
    let mailbox = inbox.mailbox(mailbox)?;
    let (mut session, _) = inbox.open(mailbox).await?;
    let mut uids = session.search(criteria).await.map_err(|error| inbox.trouble(&error))?;
    let total = uids.len();
    uids.retain(|uid| window.before_uid.is_none_or(|before| *uid < before));
    let shown = uids.split_off(uids.len().saturating_sub(window.limit));
    let messages = summaries(inbox, &mut session, &shown).await?;
    session.close().await;
    let next = shown.first().copied().filter(|_| !uids.is_empty());
    Ok(FoundMessages { mailbox: mailbox.to_owned(), messages, total, next })
}

/// Newest first.
async fn summaries(
    inbox: &Inbox,
    session: &mut ImapSession,
    uids: &[u32],
) -> Result<Vec<MessageSummary>, Trouble> {
    let fetched = session.fetch(uids, HEADERS).await.map_err(|error| inbox.trouble(&error))?;
    let mut messages: Vec<MessageSummary> = fetched.into_iter().filter_map(summary).collect();
    messages.sort_unstable_by_key(|message| std::cmp::Reverse(message.uid));
    messages.retain(|message| uids.contains(&message.uid));
    Ok(messages)
}

fn summary(values: Vec<(String, ImapItem)>) -> Option<MessageSummary> {
    let (mut uid, mut bytes, mut seen, mut head) = (None, 0, false, MailHead::default());
    for (name, value) in values {
        match name.as_str() {
            "UID" => uid = value.number(),
            "RFC822.SIZE" => bytes = value.number().unwrap_or(u32::MAX),
            "FLAGS" => seen = is_seen(&value),
            name if name.starts_with("BODY[") => head = MailHead::read(&value.bytes()),
            _ => {}
        }
    }
    let MailHead { from, to, cc, subject, date, message_id, in_reply_to } = head;
    Some(MessageSummary { uid: uid?, from, to, cc, subject, date, message_id, in_reply_to, bytes, seen })
}

fn is_seen(flags: &ImapItem) -> bool {
    flags.list().iter().filter_map(ImapItem::text).any(|flag| flag.eq_ignore_ascii_case("\\Seen"))
}
