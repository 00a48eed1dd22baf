//! The tool that reads one message, and the message as it is read.

use std::sync::Arc;

use capability_kit::{Attachment, ResidentAnswer, ResidentCall, Tool, Trouble, TroubleCode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::imap::ImapSession;
use super::inbox::Inbox;
use super::item::ImapItem;
use super::parsed::{MailHead, MailPart, ParsedMail};
use crate::provided::{Provided, ToolWords, free_tool};

const WORDS: ToolWords = ToolWords {
    name: "read_message",
    title: "Read a message",
    description: "Reads one message by its uid: head, text, and the list of its attachments. With `attachment`, that file comes with \
        the answer. Nothing is marked as read.",
};

pub(super) fn tool(inbox: &Provided<Inbox>) -> Tool {
    free_tool(inbox, WORDS, read)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadMessageArguments {
    /// The uid that list_messages or search_messages returned.
    uid: u32,
    /// The mailbox; the first one that may be read if omitted.
    #[serde(default)]
    mailbox: Option<String>,
    /// The number of an attachment to fetch, from 1 on.
    #[serde(default)]
    attachment: Option<usize>,
}

async fn read(
    inbox: Arc<Inbox>,
    arguments: ReadMessageArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let mailbox = inbox.mailbox(arguments.mailbox.as_deref())?;
    let (mut session, _) = inbox.open(mailbox).await?;
    let raw = whole(&inbox, &mut session, arguments.uid).await?;
    session.close().await;
    let mut mail = parsed(raw).await?;
    let text = std::mem::take(&mut mail.text);
    let mut data = written(arguments.uid, &mail);
    let text = call.work.text(text, "text/plain", "message.txt")?;
    data["text"] = serde_json::to_value(text).map_err(|error| Trouble::internal(error.to_string()))?;
    let answer = ResidentAnswer::data(data);
    match arguments.attachment {
        None => Ok(answer),
        Some(number) => Ok(answer.with(file(mail.attachments, number)?)),
    }
}

fn file(attachments: Vec<MailPart>, number: usize) -> Result<Attachment, Trouble> {
    let count = attachments.len();
    let wanted = number.checked_sub(1).and_then(|at| attachments.into_iter().nth(at));
    let MailPart { name, media_type, bytes } = wanted.ok_or_else(|| {
        Trouble::bad_arguments(format!("the message has {count} attachments, not {number}"))
            .hint("read the message without `attachment` to see which there are")
    })?;
    Ok(Attachment { bytes, media_type, name: name.unwrap_or_else(|| format!("attachment-{number}")) })
}

/// The bytes of one message, if they are not too many.
async fn whole(inbox: &Inbox, session: &mut ImapSession, uid: u32) -> Result<Vec<u8>, Trouble> {
    let trouble = |error| inbox.trouble(&error);
    let unknown = || {
        Trouble::bad_arguments(format!("there is no message with the uid {uid}"))
            .hint("take a uid from list_messages or search_messages of the same mailbox")
    };
    let sizes = session.fetch(&[uid], "UID RFC822.SIZE").await.map_err(trouble)?;
    let bytes = value_of(&sizes, uid, "RFC822.SIZE").ok_or_else(unknown)?;
    let (bytes, bytes_max) = (bytes.number().unwrap_or(u32::MAX), inbox.message_bytes_max);
    if usize::try_from(bytes).map_or(true, |bytes| bytes > bytes_max) {
        let message = format!("the message has {bytes} bytes; at most {bytes_max} are read");
        return Err(Trouble::new(TroubleCode::TooLarge, message)
            .hint("read it with a program for mail; the server's option --message-mib sets the limit"));
    }
    let fetched = session.fetch(&[uid], "UID BODY.PEEK[]").await.map_err(trouble)?;
    value_of(&fetched, uid, "BODY[]").map(|raw| raw.clone().bytes()).ok_or_else(unknown)
}

/// A value of the message with this uid, among all that a server may send.
pub(super) fn value_of<'a>(
    fetched: &'a [Vec<(String, ImapItem)>],
    uid: u32,
    name: &str,
) -> Option<&'a ImapItem> {
    let is_it = |values: &[(String, ImapItem)]| named(values, "UID").and_then(ImapItem::number) == Some(uid);
    fetched.iter().filter(|values| is_it(values)).find_map(|values| named(values, name))
}

fn named<'a>(values: &'a [(String, ImapItem)], name: &str) -> Option<&'a ImapItem> {
    values.iter().find(|(one, _)| one == name).map(|(_, value)| value)
}

/// Taking a mail apart is work for a thread that may be busy, and a fault in it ends this call alone.
pub(super) async fn parsed(raw: Vec<u8>) -> Result<ParsedMail, Trouble> {
    let parsing = tokio::task::spawn_blocking(move || ParsedMail::read(&raw));
    parsing.await.map_err(|_| {
        Trouble::unreadable("the message cannot be taken apart").hint("read it with a program for mail")
    })
}

/// A message without its text.
pub(super) fn written(uid: u32, mail: &ParsedMail) -> Value {
    let MailHead { from, to, cc, subject, date, message_id, in_reply_to } = &mail.head;
    let file = |(at, file): (usize, &MailPart)| json!({ "number": at + 1, "name": file.name, "media_type": file.media_type, "bytes": file.bytes.len() });
    let files: Vec<Value> = mail.attachments.iter().enumerate().map(file).collect();
    let mut message = json!({
        "uid": uid, "from": from, "to": to, "cc": cc, "subject": subject, "date": date,
        "message_id": message_id, "in_reply_to": in_reply_to, "attachments": files,
    });
    if mail.is_cut {
        message["parts_left_out"] = true.into();
    }
    message
}
