//! The streams of mail: each mailbox that may be read is one, and each message is a record.

use capability_kit::{PageQuestion, StreamPage, StreamRecord, Trouble};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::imap::{CommandPart, ImapSession};
use super::inbox::Inbox;
use super::item::ImapItem;
use super::parsed::{MailHead, ParsedMail};
use super::reading::{parsed, value_of, written};

/// Messages on a page; each of them is fetched by itself.
const PAGE_MESSAGES: usize = 25;
/// The bytes of messages on a page, after which it is full.
const PAGE_BYTES_MAX: usize = 8 << 20;
/// The text of one record.
const TEXT_CHARS_MAX: usize = 200_000;

/// The place after a message: UIDs grow within one validity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct MailCursor {
    uid_validity: u32,
    uid: u32,
}

pub(super) async fn page(inbox: &Inbox, asked: PageQuestion) -> Result<StreamPage, Trouble> {
    let after = place(&asked)?;
    let mailbox = inbox.mailbox(Some(&asked.stream))?;
    let (mut session, opened) = inbox.open(mailbox).await?;
    let uid_validity = opened.uid_validity;
    // Of a mailbox that was made anew, everything is new.
    let last = after.filter(|after| after.uid_validity == uid_validity).map_or(0, |after| after.uid);
    let new = CommandPart::Words(format!("UID {}:*", last.saturating_add(1)));
    let mut uids = session.search(vec![new]).await.map_err(|error| inbox.trouble(&error))?;
    // The last message is always among those up to `*`.
    uids.retain(|uid| *uid > last);
    let (records, taken) = records(inbox, &mut session, uid_validity, &uids).await?;
    session.close().await;
    let reached = MailCursor { uid_validity, uid: taken.unwrap_or(last) };
    let is_done = taken.is_none_or(|taken| uids.last() == Some(&taken));
    Ok(StreamPage {
        records,
        next_page: (!is_done).then(|| json!(reached).to_string()),
        cursor: is_done.then(|| json!(reached)),
        done: is_done,
    })
}

fn place(asked: &PageQuestion) -> Result<Option<MailCursor>, Trouble> {
    let bad =
        |_| Trouble::bad_arguments("that is no place in a mailbox").hint("begin without cursor and page");
    match (&asked.page, &asked.cursor) {
        (Some(page), _) => serde_json::from_str(page).map(Some).map_err(bad),
        (None, Some(Value::Null) | None) => Ok(None),
        (None, Some(cursor)) => serde_json::from_value(cursor.clone()).map(Some).map_err(bad),
    }
}

/// The records of a page, and the last message on it.
async fn records(
    inbox: &Inbox,
    session: &mut ImapSession,
    uid_validity: u32,
    uids: &[u32],
) -> Result<(Vec<StreamRecord>, Option<u32>), Trouble> {
    let (mut records, mut taken, mut bytes) = (Vec::new(), None, 0);
    for &uid in uids.iter().take(PAGE_MESSAGES) {
        if bytes >= PAGE_BYTES_MAX {
            break;
        }
        if let Some((mail, size)) = message(inbox, session, uid).await? {
            bytes += size;
            records.push(record(uid_validity, uid, mail));
        }
        taken = Some(uid);
    }
    Ok((records, taken))
}

/// A message, and what it takes here. Of one that is too large there is the head; one that was removed meanwhile is left out.
async fn message(
    inbox: &Inbox,
    session: &mut ImapSession,
    uid: u32,
) -> Result<Option<(ParsedMail, usize)>, Trouble> {
    let trouble = |error| inbox.trouble(&error);
    let sizes = session.fetch(&[uid], "UID RFC822.SIZE").await.map_err(trouble)?;
    let Some(size) = value_of(&sizes, uid, "RFC822.SIZE").and_then(ImapItem::number) else { return Ok(None) };
    let fits = usize::try_from(size).is_ok_and(|size| size <= inbox.message_bytes_max);
    let (wanted, name) =
        if fits { ("UID BODY.PEEK[]", "BODY[]") } else { ("UID BODY.PEEK[HEADER]", "BODY[HEADER]") };
    let fetched = session.fetch(&[uid], wanted).await.map_err(trouble)?;
    let Some(raw) = value_of(&fetched, uid, name).map(|raw| raw.clone().bytes()) else { return Ok(None) };
    let bytes = raw.len();
    let mail = match fits {
        true => parsed(raw).await?,
        false => ParsedMail { head: MailHead::read(&raw), is_cut: true, ..ParsedMail::default() },
    };
    Ok(Some((mail, bytes)))
}

fn record(uid_validity: u32, uid: u32, mail: ParsedMail) -> StreamRecord {
    let mut value = written(uid, &mail);
    value["text"] = mail.text.chars().take(TEXT_CHARS_MAX).collect::<String>().into();
    StreamRecord { key: format!("{uid_validity}-{uid}"), value, updated: mail.head.date }
}
