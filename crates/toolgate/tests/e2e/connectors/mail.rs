//! A server that takes mail, and may hang up when it has one.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use parking_lot::Mutex;

/// The end of a mail that was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MailEnd {
    Confirmed,
    /// The sender never hears that it was taken.
    HungUp,
}

pub(super) struct MailStandIn {
    pub(super) url: String,
    taken: Arc<Mutex<Vec<String>>>,
}

impl MailStandIn {
    pub(super) fn start(end: MailEnd) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("smtp://{}", listener.local_addr().expect("an address"));
        let taken = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&taken);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A sender that hangs up is no failure.
                drop(talk(stream, end, &kept));
            }
        });
        Self { url, taken }
    }

    /// The mails so far, with their headers.
    pub(super) fn taken(&self) -> Vec<String> {
        self.taken.lock().clone()
    }
}

fn talk(stream: TcpStream, end: MailEnd, taken: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut writing = stream.try_clone()?;
    let mut reading = BufReader::new(stream);
    writing.write_all(b"220 stand-in\r\n")?;
    loop {
        let mut line = String::new();
        if reading.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let answer = match line.split_whitespace().next().unwrap_or_default() {
            "EHLO" | "MAIL" | "RCPT" => "250 fine\r\n",
            "DATA" => "354 go on\r\n",
            "QUIT" => "221 bye\r\n",
            _ => "502 what?\r\n",
        };
        writing.write_all(answer.as_bytes())?;
        if line.trim_end() == "DATA" {
            let mail = mail(&mut reading)?;
            taken.lock().push(mail);
            if end == MailEnd::HungUp {
                return Ok(());
            }
            writing.write_all(b"250 taken\r\n")?;
        }
    }
}

/// Up to the dot that ends it.
fn mail(reading: &mut impl BufRead) -> std::io::Result<String> {
    let mut mail = String::new();
    loop {
        let mut line = String::new();
        if reading.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line == ".\r\n" {
            return Ok(mail);
        }
        mail.push_str(&line);
    }
}
