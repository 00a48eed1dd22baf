//! A mail server: takes mail from one user over SMTP, in the clear or after STARTTLS, and keeps it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// `AUTH PLAIN` of the user `gate` with the password `Zuckerhut-4711`.
const WELCOME: &str = "AUTH PLAIN AGdhdGUAWnVja2VyaHV0LTQ3MTE=";

/// A mail, and the address that it was for.
#[derive(Clone, Debug)]
pub struct KeptMail {
    pub to: String,
    pub text: String,
}

/// Takes mail until it is dropped.
pub struct MailServer {
    pub address: SocketAddr,
    kept: Arc<Mutex<Vec<KeptMail>>>,
    listening: JoinHandle<()>,
}

impl MailServer {
    pub const USER: &str = "gate";
    pub const PASSWORD: &str = "Zuckerhut-4711";

    /// With `tls` it takes nothing before STARTTLS.
    pub async fn start(tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        let kept: Arc<Mutex<Vec<KeptMail>>> = Arc::default();
        let taking = kept.clone();
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (tls, taking) = (tls.clone(), taking.clone());
                tokio::spawn(async move { drop(take(stream, tls, &taking).await) });
            }
        });
        Self { address, kept, listening }
    }

    /// In the order in which they came.
    pub fn kept(&self) -> Vec<KeptMail> {
        self.kept.lock().clone()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn take(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    kept: &Mutex<Vec<KeptMail>>,
) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 mail server\r\n").await?;
    let Some(tls) = tls else { return talk(stream, kept).await };
    while let Some(line) = heard(&mut stream).await? {
        match line.as_str() {
            "STARTTLS" => {
                stream.write_all(b"220 go on\r\n").await?;
                let encrypted = TlsAcceptor::from(tls).accept(stream.into_inner()).await?;
                return talk(BufReader::new(encrypted), kept).await;
            }
            line if line.starts_with("EHLO") => stream.write_all(b"250-hello\r\n250 STARTTLS\r\n").await?,
            _ => stream.write_all(b"530 encrypt first\r\n").await?,
        }
    }
    Ok(())
}

async fn talk<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: BufReader<S>,
    kept: &Mutex<Vec<KeptMail>>,
) -> io::Result<()> {
    let (mut to, mut is_known) = (String::new(), false);
    while let Some(line) = heard(&mut stream).await? {
        is_known |= line == WELCOME;
        let answer: &[u8] = match line.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => b"250-hello\r\n250 AUTH PLAIN\r\n",
            "AUTH" if is_known => b"235 welcome\r\n",
            "AUTH" => b"535 5.7.8 wrong credentials\r\n",
            _ if !is_known => b"530 sign in first\r\n",
            "RCPT" => {
                to = line.trim_start_matches("RCPT TO:<").trim_end_matches('>').to_owned();
                b"250 fine\r\n"
            }
            "DATA" => b"354 go on\r\n",
            "QUIT" => b"221 bye\r\n",
            _ => b"250 fine\r\n",
        };
        stream.write_all(answer).await?;
        stream.flush().await?;
        if line == "DATA" && is_known {
            let text = mail(&mut stream).await?;
            kept.lock().push(KeptMail { to: to.clone(), text });
            stream.write_all(b"250 taken\r\n").await?;
            stream.flush().await?;
        }
    }
    Ok(())
}

async fn mail<S: AsyncRead + Unpin>(stream: &mut BufReader<S>) -> io::Result<String> {
    let mut text = String::new();
    loop {
        let line = heard(stream).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        if line == "." {
            return Ok(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
        text.push('\n');
    }
}

/// A line. `None` at the end.
async fn heard<S: AsyncRead + Unpin>(stream: &mut BufReader<S>) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = stream.read_line(&mut line).await?;
    Ok((read > 0).then(|| line.trim_end().to_owned()))
}
