//! A mail as it is sent: headers, and the parts of MIME.

use base64_simd::STANDARD;
use mail_text::{MailAddress, header};

/// Characters of Base64 on a line.
const BASE64_LINE: usize = 76;
/// The longest line that may be sent as it is.
const LINE_BYTES_MAX: usize = 990;

/// A mail that was checked: no field can end its header.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    pub(super) from: MailAddress,
    pub(super) to: Vec<MailAddress>,
    pub(super) cc: Vec<MailAddress>,
    /// They get it, and nobody sees that.
    pub(super) bcc: Vec<MailAddress>,
    pub(super) reply_to: Option<MailAddress>,
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: Option<String>,
    pub(super) in_reply_to: Option<String>,
    pub(super) message_id: String,
    pub(super) attachments: Vec<LetterFile>,
}

/// A file of a mail.
#[derive(Clone, Debug)]
pub(super) struct LetterFile {
    pub(super) name: String,
    pub(super) media_type: String,
    pub(super) bytes: Vec<u8>,
}

impl Letter {
    /// Everyone who gets it.
    pub(super) fn recipients(&self) -> Vec<String> {
        self.to.iter().chain(&self.cc).chain(&self.bcc).map(MailAddress::spec).collect()
    }

    /// The bytes, with lines ended as SMTP wants them. `date` is that of RFC 2822, and `boundary` occurs in no part.
    pub(super) fn written(&self, date: &str, boundary: &str) -> Vec<u8> {
        let mut message = self.headers(date).into_bytes();
        let body = self.body(&format!("{boundary}-a"));
        if self.attachments.is_empty() {
            message.extend(body);
            return message;
        }
        message.extend(
            format!("Content-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n--{boundary}\r\n").bytes(),
        );
        message.extend(body);
        for file in &self.attachments {
            message.extend(format!("\r\n--{boundary}\r\n").bytes());
            message.extend(file.part());
        }
        message.extend(format!("\r\n--{boundary}--\r\n").bytes());
        message
    }

    fn headers(&self, date: &str) -> String {
        let listed =
            |addresses: &[MailAddress]| addresses.iter().map(MailAddress::in_header).collect::<Vec<_>>();
        let mut headers = format!("Date: {date}\r\n");
        headers.push_str(&header::list("From", &[self.from.in_header()]));
        for (name, addresses) in [("To", &self.to), ("Cc", &self.cc)] {
            if !addresses.is_empty() {
                headers.push_str(&header::list(name, &listed(addresses)));
            }
        }
        if let Some(reply_to) = &self.reply_to {
            headers.push_str(&header::list("Reply-To", &[reply_to.in_header()]));
        }
        headers.push_str(&header::unstructured("Subject", &self.subject));
        headers.push_str(&format!("Message-ID: {}\r\n", self.message_id));
        if let Some(id) = &self.in_reply_to {
            headers.push_str(&format!("In-Reply-To: {id}\r\nReferences: {id}\r\n"));
        }
        headers.push_str("MIME-Version: 1.0\r\n");
        headers
    }

    /// Words, in one form or in two.
    fn body(&self, boundary: &str) -> Vec<u8> {
        let Some(html) = &self.html else { return text_part("plain", &self.text) };
        let mut body =
            format!("Content-Type: multipart/alternative; boundary=\"{boundary}\"\r\n\r\n--{boundary}\r\n")
                .into_bytes();
        body.extend(text_part("plain", &self.text));
        body.extend(format!("\r\n--{boundary}\r\n").bytes());
        body.extend(text_part("html", html));
        body.extend(format!("\r\n--{boundary}--\r\n").bytes());
        body
    }
}

impl LetterFile {
    fn part(&self) -> Vec<u8> {
        let name = header::parameter("filename", &self.name);
        let head = format!(
            "Content-Type: {}\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment;\r\n {name}\r\n\r\n",
            self.media_type
        );
        let mut part = head.into_bytes();
        push_base64(&mut part, &self.bytes);
        part
    }
}

fn text_part(subtype: &str, text: &str) -> Vec<u8> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
    let is_plain = text.is_ascii()
        && text.split("\r\n").all(|line| {
            line.len() <= LINE_BYTES_MAX && !line.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t')
        });
    let encoding = if is_plain { "7bit" } else { "base64" };
    let head = format!(
        "Content-Type: text/{subtype}; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    );
    let mut part = head.into_bytes();
    match is_plain {
        true => part.extend(text.bytes()),
        false => push_base64(&mut part, text.as_bytes()),
    }
    part.extend(b"\r\n");
    part
}

fn push_base64(part: &mut Vec<u8>, bytes: &[u8]) {
    let encoded = STANDARD.encode_to_string(bytes);
    for line in encoded.as_bytes().chunks(BASE64_LINE) {
        part.extend_from_slice(line);
        part.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use mail_parser::{MessageParser, MimeHeaders as _};

    use super::*;

    fn letter() -> Letter {
        let address = |written: &str| MailAddress::read(written).unwrap();
        Letter {
            from: address("Ada <ada@example.com>"),
            to: vec![address("Müller <m@example.com>"), address("b@example.com")],
            cc: vec![],
            bcc: vec![address("secret@example.com")],
            reply_to: None,
            subject: "Grüße aus dem Büro, heute mit einer langen Zeile, die gefaltet werden muss".to_owned(),
            text: "Hallo,\n.\nÄpfel".to_owned(),
            html: Some("<p>Äpfel</p>".to_owned()),
            in_reply_to: None,
            message_id: "<1@example.com>".to_owned(),
            attachments: vec![LetterFile {
                name: "Äpfel.pdf".to_owned(),
                media_type: "application/pdf".to_owned(),
                bytes: vec![0, 1, 2, 255],
            }],
        }
    }

    #[test]
    fn a_reader_of_mail_finds_what_was_written() {
        let letter = letter();
        let written = letter.written("Wed, 18 Nov 2026 08:00:00 +0000", "b0undary");
        let read = MessageParser::default().parse(&written).unwrap();
        assert_eq!(read.subject(), Some(letter.subject.as_str()));
        assert_eq!(read.to().unwrap().first().unwrap().name(), Some("Müller"));
        assert_eq!(read.body_text(0).unwrap().trim_end(), "Hallo,\r\n.\r\nÄpfel");
        assert_eq!(read.body_html(0).unwrap().trim_end(), "<p>Äpfel</p>");
        let file = read.attachment(0).unwrap();
        assert_eq!((file.attachment_name(), file.contents()), (Some("Äpfel.pdf"), &[0, 1, 2, 255][..]));
        assert!(!String::from_utf8_lossy(&written).contains("secret@"), "a blind copy is not shown");
        assert_eq!(letter.recipients().len(), 3);
    }

    #[test]
    fn every_line_is_short_and_ends_as_it_must() {
        let written = Letter { text: "x".repeat(5_000), ..letter() }.written("", "b0undary");
        for line in String::from_utf8(written).unwrap().split("\r\n") {
            assert!(line.len() <= 998 && !line.contains(['\r', '\n']), "{line:?}");
        }
    }
}
