//! The few commands of IMAP that read a mailbox and change nothing in it: EXAMINE, SEARCH, and FETCH of BODY.PEEK (RFC 3501).

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use super::item::{self, ImapItem};
use crate::credential::ProviderSecret;
use crate::net::{Encryption, ProviderWay, Wire};
use crate::patience::within;

/// The longest line outside of literals; the answer to a search is one line.
const LINE_BYTES_MAX: u64 = 4 << 20;
const ANSWERS_MAX: usize = 20_000;
/// The longest time for one answer with everything in it.
const ANSWER_LIMIT: Duration = Duration::from_secs(120);

/// The reason why a mailbox cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ImapError {
    #[error("the server could not be spoken with: {0}")]
    Unreachable(#[from] io::Error),
    #[error("the server refused {what}: {says}")]
    Refused { what: &'static str, says: String },
    #[error("the server does not let {user} in: {says}")]
    Login { user: String, says: String },
    #[error("the server sends {bytes} bytes at once; at most {bytes_max} are read")]
    TooLarge { bytes: u64, bytes_max: u64 },
    #[error("the server's answer makes no sense")]
    Nonsense,
}

/// A part of a command: words as they are, or a text of the caller's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CommandPart {
    Words(String),
    Text(String),
}

/// A connection with one mailbox open for reading.
pub(super) struct ImapSession {
    wire: BufReader<Wire>,
    silence_max: Duration,
    literal_bytes_max: u64,
    tag: u32,
}

/// The mailbox that was opened.
pub(super) struct OpenedMailbox {
    /// The UIDs of messages mean something only together with it.
    pub(super) uid_validity: u32,
}

impl ImapSession {
    pub(super) async fn open(
        way: &ProviderWay,
        user: &str,
        password: &ProviderSecret,
        literal_bytes_max: usize,
    ) -> Result<Self, ImapError> {
        let wire = BufReader::new(way.connect().await?);
        let literal_bytes_max = literal_bytes_max as u64;
        let mut session = Self { wire, silence_max: way.silence_max, literal_bytes_max, tag: 0 };
        let greeting = session.answer().await?;
        if !greeting.starts_with(b"* OK") {
            return Err(ImapError::Refused { what: "the connection", says: says(&greeting) });
        }
        if way.encryption == Encryption::Upgraded {
            session.command("encryption", &[CommandPart::Words("STARTTLS".to_owned())]).await?;
            session = session.upgrade(way).await?;
        }
        session.sign_in(user, password).await?;
        Ok(session)
    }

    /// Words that came before encryption began are not the server's.
    async fn upgrade(self, way: &ProviderWay) -> Result<Self, ImapError> {
        if !self.wire.buffer().is_empty() {
            return Err(io::Error::other("someone spoke before encryption began").into());
        }
        let wire = way.upgrade(self.wire.into_inner()).await?;
        Ok(Self { wire: BufReader::new(wire), ..self })
    }

    async fn sign_in(&mut self, user: &str, password: &ProviderSecret) -> Result<(), ImapError> {
        let parts = [
            CommandPart::Words("LOGIN ".to_owned()),
            CommandPart::Text(user.to_owned()),
            CommandPart::Words(" ".to_owned()),
            CommandPart::Text(password.reveal().to_owned()),
        ];
        match self.command("signing in", &parts).await {
            Ok(_) => Ok(()),
            Err(ImapError::Refused { says, .. }) => {
                Err(ImapError::Login { user: user.to_owned(), says: password.masked(&says) })
            }
            Err(error) => Err(error),
        }
    }

    /// Opens a mailbox without the right to change it.
    pub(super) async fn examine(&mut self, mailbox: &str) -> Result<OpenedMailbox, ImapError> {
        let parts = [CommandPart::Words("EXAMINE ".to_owned()), CommandPart::Text(modified_utf7(mailbox))];
        let answers = self.command("the mailbox", &parts).await?;
        let validity = answers.iter().find_map(|answer| {
            let text = String::from_utf8_lossy(answer);
            let (_, rest) = text.split_once("[UIDVALIDITY ")?;
            rest.split_once(']')?.0.trim().parse().ok()
        });
        Ok(OpenedMailbox { uid_validity: validity.ok_or(ImapError::Nonsense)? })
    }

    /// The UIDs of messages that fit, in ascending order.
    pub(super) async fn search(&mut self, criteria: Vec<CommandPart>) -> Result<Vec<u32>, ImapError> {
        let is_ascii =
            criteria.iter().all(|part| !matches!(part, CommandPart::Text(text) if !text.is_ascii()));
        let command = if is_ascii { "UID SEARCH " } else { "UID SEARCH CHARSET UTF-8 " };
        let mut parts = vec![CommandPart::Words(command.to_owned())];
        parts.extend(criteria);
        let mut uids = Vec::new();
        for answer in self.command("the search", &parts).await? {
            let items = item::read(&answer).unwrap_or_default();
            if items.get(1).and_then(ImapItem::text).is_some_and(|word| word.eq_ignore_ascii_case("SEARCH")) {
                uids.extend(items[2..].iter().filter_map(ImapItem::number));
            }
        }
        uids.sort_unstable();
        uids.dedup();
        Ok(uids)
    }

    /// Values of messages, by name. Nothing is marked as read.
    pub(super) async fn fetch(
        &mut self,
        uids: &[u32],
        wanted: &str,
    ) -> Result<Vec<Vec<(String, ImapItem)>>, ImapError> {
        if uids.is_empty() {
            return Ok(Vec::new());
        }
        let set = uids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let parts = [CommandPart::Words(format!("UID FETCH {set} ({wanted})"))];
        let answers = self.command("the messages", &parts).await?;
        Ok(answers.into_iter().filter_map(|answer| item::fetched(item::read(&answer)?)).collect())
    }

    /// Says goodbye; a server that does not answer changes nothing.
    pub(super) async fn close(mut self) {
        drop(self.command("goodbye", &[CommandPart::Words("LOGOUT".to_owned())]).await);
    }

    /// The answers before the one that ends the command.
    async fn command(
        &mut self,
        what: &'static str,
        parts: &[CommandPart],
    ) -> Result<Vec<Vec<u8>>, ImapError> {
        self.tag += 1;
        let tag = format!("t{}", self.tag);
        self.send(what, &tag, parts).await?;
        let mut answers = Vec::new();
        let mut bytes = 0;
        loop {
            let answer = self.answer().await?;
            if let Some(ending) = answer.strip_prefix(tag.as_bytes()) {
                return match ending.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b" OK")) {
                    true => Ok(answers),
                    false => Err(ImapError::Refused { what, says: says(&answer) }),
                };
            }
            bytes += answer.len() as u64;
            let bytes_max = self.literal_bytes_max + LINE_BYTES_MAX;
            if bytes > bytes_max || answers.len() == ANSWERS_MAX {
                return Err(ImapError::TooLarge { bytes, bytes_max });
            }
            answers.push(answer);
        }
    }

    /// Texts are quoted, or sent as literals, for which the server is waited for each time.
    async fn send(&mut self, what: &'static str, tag: &str, parts: &[CommandPart]) -> Result<(), ImapError> {
        let mut line = format!("{tag} ");
        for part in parts {
            match part {
                CommandPart::Words(words) => line.push_str(words),
                CommandPart::Text(text) if is_quotable(text) => {
                    line.push_str(&format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")));
                }
                CommandPart::Text(text) => {
                    self.write(&format!("{line}{{{}}}\r\n", text.len())).await?;
                    let answer = self.answer().await?;
                    if !answer.starts_with(b"+") {
                        return Err(ImapError::Refused { what, says: says(&answer) });
                    }
                    line.clear();
                    line.push_str(text);
                }
            }
        }
        line.push_str("\r\n");
        self.write(&line).await
    }

    async fn write(&mut self, text: &str) -> Result<(), ImapError> {
        let silence_max = self.silence_max;
        within(silence_max, async {
            self.wire.write_all(text.as_bytes()).await?;
            self.wire.flush().await
        })
        .await?;
        Ok(())
    }

    /// One answer, with the literals in it.
    async fn answer(&mut self) -> Result<Vec<u8>, ImapError> {
        let reading = async { Ok(self.whole_answer().await) };
        within(ANSWER_LIMIT, reading).await?
    }

    async fn whole_answer(&mut self) -> Result<Vec<u8>, ImapError> {
        let mut answer = Vec::new();
        loop {
            self.line(&mut answer).await?;
            let Some(bytes) = announced(&answer) else { break };
            let bytes_max = self.literal_bytes_max;
            if bytes.saturating_add(answer.len() as u64) > bytes_max + LINE_BYTES_MAX || bytes > bytes_max {
                return Err(ImapError::TooLarge { bytes, bytes_max });
            }
            answer.extend_from_slice(b"\r\n");
            self.literal(&mut answer, bytes).await?;
        }
        Ok(answer)
    }

    /// Appends a line without its end.
    async fn line(&mut self, answer: &mut Vec<u8>) -> Result<(), ImapError> {
        let before = answer.len();
        let silence_max = self.silence_max;
        within(silence_max, (&mut self.wire).take(LINE_BYTES_MAX).read_until(b'\n', answer)).await?;
        match answer[before..].strip_suffix(b"\n") {
            Some(line) => {
                let end = before + line.strip_suffix(b"\r").unwrap_or(line).len();
                answer.truncate(end);
                Ok(())
            }
            None if (answer.len() - before) as u64 == LINE_BYTES_MAX => {
                Err(ImapError::TooLarge { bytes: LINE_BYTES_MAX, bytes_max: LINE_BYTES_MAX })
            }
            None => {
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection").into())
            }
        }
    }

    /// Memory is taken as bytes arrive, not as they are announced.
    async fn literal(&mut self, answer: &mut Vec<u8>, mut bytes: u64) -> Result<(), ImapError> {
        const PIECE_BYTES: u64 = 64 << 10;
        while bytes > 0 {
            let silence_max = self.silence_max;
            let mut piece = (&mut self.wire).take(bytes.min(PIECE_BYTES));
            let read = within(silence_max, piece.read_buf(answer)).await? as u64;
            if read == 0 {
                return Err(
                    io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection").into()
                );
            }
            bytes -= read;
        }
        Ok(())
    }
}

/// The bytes of the literal that a line announces at its end.
fn announced(line: &[u8]) -> Option<u64> {
    let inner = line.strip_suffix(b"}")?;
    let begin = inner.iter().rposition(|byte| *byte == b'{')?;
    std::str::from_utf8(&inner[begin + 1..]).ok()?.parse().ok()
}

fn is_quotable(text: &str) -> bool {
    text.is_ascii() && !text.chars().any(|c| c.is_ascii_control())
}

fn says(answer: &[u8]) -> String {
    const CHARS_MAX: usize = 300;
    let text = String::from_utf8_lossy(answer);
    text.chars().filter(|c| !c.is_control()).take(CHARS_MAX).collect()
}

/// The names of mailboxes in IMAP: UTF-16 in Base64 between `&` and `-` (RFC 3501, section 5.1.3).
fn modified_utf7(name: &str) -> String {
    let mut written = String::new();
    let mut foreign: Vec<u8> = Vec::new();
    let close = |foreign: &mut Vec<u8>, written: &mut String| {
        if !foreign.is_empty() {
            let encoded = base64_simd::STANDARD_NO_PAD.encode_to_string(&*foreign).replace('/', ",");
            written.push_str(&format!("&{encoded}-"));
            foreign.clear();
        }
    };
    for c in name.chars() {
        if c == ' ' || c.is_ascii_graphic() {
            close(&mut foreign, &mut written);
            written.push(c);
            written.push_str(if c == '&' { "-" } else { "" });
        } else {
            let mut units = [0_u16; 2];
            foreign.extend(c.encode_utf16(&mut units).iter().flat_map(|unit| unit.to_be_bytes()));
        }
    }
    close(&mut foreign, &mut written);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_mailboxes_are_written_as_servers_know_them() {
        for (name, written) in [
            ("INBOX", "INBOX"),
            ("Entwürfe", "Entw&APw-rfe"),
            ("R&D", "R&-D"),
            ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
        ] {
            assert_eq!(modified_utf7(name), written);
        }
    }

    #[test]
    fn only_an_announcement_at_the_end_is_one() {
        assert_eq!(announced(b"* 1 FETCH (BODY[] {2147483648}"), Some(2_147_483_648));
        assert_eq!(announced(b"* OK {5} done"), None);
        assert_eq!(announced(b"* OK {-5}"), None);
    }
}
