//! A server that takes mail as it is told, and keeps what it heard.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks as it likes")]

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What was said in one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct HeardMail {
    pub(super) commands: Vec<String>,
    /// The mail, if it was taken.
    pub(super) taken: Option<String>,
}

/// Gets the number of earlier connections and a line of the client; the greeting is asked for as an empty line, the mail as `.`.
type MailAnswers = Box<dyn Fn(usize, &str) -> Option<&'static str> + Send + Sync>;

pub(super) struct Mailbox {
    pub(super) address: SocketAddr,
    heard: Arc<Mutex<Vec<HeardMail>>>,
    accepting: JoinHandle<()>,
}

impl Mailbox {
    /// `answering` has other answers than the usual ones.
    pub(super) async fn start(
        answering: impl Fn(usize, &str) -> Option<&'static str> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let heard: Arc<Mutex<Vec<HeardMail>>> = Arc::default();
        let (kept, answers) = (heard.clone(), Arc::<MailAnswers>::new(Box::new(answering)));
        let accepting = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                tokio::spawn(talk(stream, kept.clone(), answers.clone()));
            }
        });
        Self { address, heard, accepting }
    }

    /// One for each connection.
    pub(super) fn heard(&self) -> Vec<HeardMail> {
        self.heard.lock().clone()
    }

    pub(super) fn taken(&self) -> Vec<String> {
        self.heard().into_iter().filter_map(|one| one.taken).collect()
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Ends when the client has enough.
async fn talk(stream: TcpStream, heard: Arc<Mutex<Vec<HeardMail>>>, answers: Arc<MailAnswers>) {
    let number = {
        let mut heard = heard.lock();
        heard.push(HeardMail::default());
        heard.len() - 1
    };
    drop(try_talk(stream, number, &heard, &answers).await);
}

async fn try_talk(
    stream: TcpStream,
    number: usize,
    heard: &Mutex<Vec<HeardMail>>,
    answers: &MailAnswers,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let answer = |line: &str| answers(number, line).unwrap_or_else(|| usual(line));
    stream.write_all(answer("").as_bytes()).await?;
    loop {
        let Some(line) = read_line(&mut stream).await? else { return Ok(()) };
        heard.lock()[number].commands.push(line.clone());
        let told = answer(&line);
        stream.write_all(told.as_bytes()).await?;
        if line != "DATA" || !told.starts_with('3') {
            continue;
        }
        let mut mail = String::new();
        loop {
            let Some(line) = read_line(&mut stream).await? else { return Ok(()) };
            if line == "." {
                break;
            }
            mail.push_str(line.strip_prefix('.').unwrap_or(&line));
            mail.push('\n');
        }
        let told = answer(".");
        if told.starts_with('2') {
            heard.lock()[number].taken = Some(mail);
        }
        stream.write_all(told.as_bytes()).await?;
    }
}

/// A line, which must have ended as SMTP wants it. `None` at the end.
async fn read_line(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<String>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let line = line.strip_suffix("\r\n").ok_or(std::io::ErrorKind::InvalidData)?;
    Ok(Some(line.to_owned()))
}

fn usual(line: &str) -> &'static str {
    match line.split_whitespace().next().unwrap_or_default() {
        "" => "220 mailbox\r\n",
        "EHLO" => "250-mailbox\r\n250-8BITMIME\r\n250 AUTH LOGIN PLAIN\r\n",
        "AUTH" => "235 welcome\r\n",
        "MAIL" | "RCPT" | "." => "250 fine\r\n",
        "DATA" => "354 go on\r\n",
        "QUIT" => "221 bye\r\n",
        _ => "502 what?\r\n",
    }
}
