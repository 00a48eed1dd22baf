//! A server that takes mail, well or badly.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::drive::PASSWORD;

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SmtpManner {
    Well,
    /// It hangs up when it has the whole mail, which it keeps.
    LosesItsAnswer,
    /// It hangs up in the middle of a mail.
    BreaksBeforeTheEnd,
    /// It never greets.
    IsSilent,
    RefusesRecipients,
    /// It refuses the whole mail.
    RefusesTheMail,
    /// It never stops greeting.
    GreetsWithoutEnd,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TakenMail {
    pub(crate) commands: Vec<String>,
    pub(crate) data: String,
}

pub(crate) struct SmtpStandIn {
    pub(crate) url: String,
    taken: Arc<Mutex<Vec<TakenMail>>>,
    _task: JoinSet<()>,
}

impl SmtpStandIn {
    pub(crate) async fn start(manner: SmtpManner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let taken = Arc::<Mutex<Vec<TakenMail>>>::default();
        let kept = Arc::clone(&taken);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut talks = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                talks.spawn(talk(stream, manner, Arc::clone(&kept)));
            }
        });
        Self { url, taken, _task: task }
    }

    pub(crate) fn taken(&self) -> Vec<TakenMail> {
        self.taken.lock().clone()
    }
}

/// Ends when either side has had enough.
async fn talk(stream: TcpStream, manner: SmtpManner, taken: Arc<Mutex<Vec<TakenMail>>>) {
    drop(try_talk(stream, manner, taken).await);
}

async fn try_talk(
    stream: TcpStream,
    manner: SmtpManner,
    taken: Arc<Mutex<Vec<TakenMail>>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    match manner {
        SmtpManner::IsSilent => std::future::pending::<()>().await,
        SmtpManner::GreetsWithoutEnd => loop {
            stream.write_all(b"220-hello\r\n").await?;
        },
        _ => stream.write_all(b"220 stand-in\r\n").await?,
    }
    let mut commands = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let line = line.trim_end().to_owned();
        commands.push(line.clone());
        let answer = match line.split_whitespace().next().unwrap_or_default() {
            "EHLO" => "250-stand-in\r\n250 AUTH PLAIN LOGIN\r\n",
            "AUTH" if is_known(&line) => "235 welcome\r\n",
            "AUTH" => "535 5.7.8 wrong credentials\r\n",
            "RCPT" if manner == SmtpManner::RefusesRecipients => "550 no such user\r\n",
            "MAIL" | "RCPT" => "250 fine\r\n",
            "DATA" => "354 go on\r\n",
            "QUIT" => "221 bye\r\n",
            _ => "502 what?\r\n",
        };
        stream.write_all(answer.as_bytes()).await?;
        if line == "DATA" {
            if manner == SmtpManner::BreaksBeforeTheEnd {
                return Ok(());
            }
            let data = data(&mut stream).await?;
            if manner == SmtpManner::RefusesTheMail {
                stream.write_all(b"554 it is spam\r\n").await?;
                continue;
            }
            taken.lock().push(TakenMail { commands: commands.clone(), data });
            if manner == SmtpManner::LosesItsAnswer {
                return Ok(());
            }
            stream.write_all(b"250 taken\r\n").await?;
        }
    }
}

async fn data(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut data = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line == ".\r\n" {
            return Ok(data);
        }
        data.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}

fn is_known(line: &str) -> bool {
    line == format!("AUTH PLAIN {}", capability_testkit::base64(format!("\0ada\0{PASSWORD}").as_bytes()))
}
