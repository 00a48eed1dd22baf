//! A server that has mail, well or badly. It knows the commands that read; any other one is a mistake of the test's subject.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::drive::PASSWORD;

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ImapManner {
    Well,
    /// It greets, and then says nothing.
    IsSilent,
    /// It announces two GiB where a mail should be.
    AnnouncesTooMuch,
    /// It says that each mail has two GiB.
    HasHugeMail,
    /// It never ends a line.
    NeverEndsALine,
}

pub(crate) struct ImapStandIn {
    pub(crate) url: String,
    state: Arc<Mutex<MailStore>>,
    _task: JoinSet<()>,
}

#[derive(Default)]
struct MailStore {
    mails: Vec<(u32, Vec<u8>)>,
    uid_validity: u32,
    commands: Vec<String>,
}

impl ImapStandIn {
    /// With these mails, whose uids begin with 1.
    pub(crate) async fn start(manner: ImapManner, mails: &[&[u8]]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("imap://{}", listener.local_addr().unwrap());
        let mails = (1..).zip(mails.iter().map(|mail| mail.to_vec())).collect();
        let state = Arc::new(Mutex::new(MailStore { mails, uid_validity: 7, commands: Vec::new() }));
        let shared = Arc::clone(&state);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut talks = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let shared = Arc::clone(&shared);
                talks.spawn(async move { drop(talk(stream, manner, shared).await) });
            }
        });
        Self { url, state, _task: task }
    }

    pub(crate) fn add(&self, mail: &[u8]) {
        let mut state = self.state.lock();
        let uid = state.mails.last().map_or(1, |(uid, _)| uid + 1);
        state.mails.push((uid, mail.to_vec()));
    }

    /// The mailbox was made anew.
    pub(crate) fn renew(&self) {
        self.state.lock().uid_validity += 1;
    }

    pub(crate) fn commands(&self) -> Vec<String> {
        self.state.lock().commands.clone()
    }
}

async fn talk(stream: TcpStream, manner: ImapManner, state: Arc<Mutex<MailStore>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    if manner == ImapManner::NeverEndsALine {
        loop {
            stream.write_all(&[b'a'; 64 << 10]).await?;
        }
    }
    stream.write_all(b"* OK stand-in\r\n").await?;
    if manner == ImapManner::IsSilent {
        std::future::pending::<()>().await;
    }
    loop {
        let line = command(&mut stream).await?;
        let (tag, command) = line.split_once(' ').unwrap_or_default();
        if !command.starts_with("LOGIN") {
            state.lock().commands.push(command.to_owned());
        }
        let answer = answer(tag, command, manner, &state.lock());
        stream.write_all(&answer).await?;
        if command == "LOGOUT" {
            return Ok(());
        }
    }
}

/// A command with its literals, each written as a quoted text.
async fn command(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut whole = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        let Some((before, bytes)) = line.strip_suffix('}').and_then(|line| line.rsplit_once('{')) else {
            whole.push_str(line);
            return Ok(whole);
        };
        stream.write_all(b"+ go on\r\n").await?;
        let mut literal = vec![0; bytes.parse().unwrap()];
        stream.read_exact(&mut literal).await?;
        whole.push_str(&format!("{before}\"{}\"", String::from_utf8(literal).unwrap()));
    }
}

fn answer(tag: &str, command: &str, manner: ImapManner, store: &MailStore) -> Vec<u8> {
    let ok = format!("{tag} OK done\r\n");
    if command == format!("LOGIN \"ada\" \"{PASSWORD}\"") || command == "LOGOUT" {
        return ok.into_bytes();
    }
    if command.starts_with("LOGIN") {
        return format!("{tag} NO [AUTHENTICATIONFAILED] wrong: {command}\r\n").into_bytes();
    }
    if command.starts_with("EXAMINE \"INBOX\"") || command.starts_with("EXAMINE \"Entw&APw-rfe\"") {
        let (count, validity) = (store.mails.len(), store.uid_validity);
        return format!(
            "* {count} EXISTS\r\n* OK [UIDVALIDITY {validity}] fine\r\n{tag} OK [READ-ONLY] done\r\n"
        )
        .into_bytes();
    }
    if let Some(criteria) = command.strip_prefix("UID SEARCH ") {
        let found = store.mails.iter().filter(|(uid, mail)| fits(criteria, *uid, mail, store));
        let uids: String = found.map(|(uid, _)| format!(" {uid}")).collect();
        return format!("* SEARCH{uids}\r\n{ok}").into_bytes();
    }
    match command.strip_prefix("UID FETCH ") {
        Some(wanted) => fetch(wanted, manner, store, &ok),
        None => format!("{tag} BAD not a command that reads\r\n").into_bytes(),
    }
}

/// Enough of searching for the tests: one key, or all.
fn fits(criteria: &str, uid: u32, mail: &[u8], store: &MailStore) -> bool {
    if let Some(from) = criteria.strip_prefix("UID ") {
        let first: u32 = from.strip_suffix(":*").unwrap().parse().unwrap();
        // As servers do it: `*` is the last one, also where the first number is greater.
        return uid >= first || store.mails.last().is_some_and(|(last, _)| *last == uid);
    }
    let mail = String::from_utf8_lossy(mail).to_lowercase();
    let mut texts = criteria.split('"').skip(1).step_by(2);
    texts.all(|text| mail.contains(&text.to_lowercase()))
}

fn fetch(wanted: &str, manner: ImapManner, store: &MailStore, ok: &str) -> Vec<u8> {
    let (uids, items) = wanted.split_once(' ').unwrap();
    let uids: Vec<u32> = uids.split(',').map(|uid| uid.parse().unwrap()).collect();
    let mut answer = Vec::new();
    for (at, (uid, mail)) in store.mails.iter().enumerate().filter(|(_, (uid, _))| uids.contains(uid)) {
        let size = if manner == ImapManner::HasHugeMail { 2_147_483_648 } else { mail.len() };
        answer.extend(format!("* {} FETCH (UID {uid} RFC822.SIZE {size} FLAGS (\\Seen)", at + 1).bytes());
        let head_end = mail.windows(4).position(|bytes| bytes == b"\r\n\r\n").map_or(mail.len(), |at| at + 4);
        let body = match items {
            _ if items.contains("BODY.PEEK[]") && manner == ImapManner::AnnouncesTooMuch => {
                answer.extend(b" BODY[] {2147483648}\r\n");
                return answer;
            }
            _ if items.contains("BODY.PEEK[]") => Some(("BODY[]", &mail[..])),
            _ if items.contains("BODY.PEEK[HEADER]") => Some(("BODY[HEADER]", &mail[..head_end])),
            _ if items.contains("BODY.PEEK[HEADER.FIELDS") => Some((
                "BODY[HEADER.FIELDS (FROM TO CC SUBJECT DATE MESSAGE-ID IN-REPLY-TO)]",
                &mail[..head_end],
            )),
            _ => None,
        };
        if let Some((name, bytes)) = body {
            answer.extend(format!(" {name} {{{}}}\r\n", bytes.len()).bytes());
            answer.extend_from_slice(bytes);
        }
        answer.extend(b")\r\n");
    }
    answer.extend(ok.bytes());
    answer
}
