//! A mail as it is sent: headers (RFC 5322, RFC 2047) and plain text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::Timestamp;
use mail_text::{MailAddress, header};

const LINE_CHARS: usize = 76;
/// The longest line that is sent as it is.
const LINE_BYTES_MAX: usize = 900;

/// A mail to one address. Addresses were checked; of the other texts no character ends a header.
pub(super) struct MailLetter<'a> {
    pub(super) from: &'a MailAddress,
    pub(super) to: &'a MailAddress,
    pub(super) subject: &'a str,
    pub(super) text: &'a str,
    /// The same whenever the mail is sent again: letters, digits, `.`, `-` and `_`.
    pub(super) id: &'a str,
    pub(super) at_ms: i64,
}

impl MailLetter<'_> {
    /// Its bytes, with lines ended as SMTP wants them.
    pub(super) fn written(&self) -> Vec<u8> {
        let date = Timestamp::from_millisecond(self.at_ms).unwrap_or_default();
        let date = date.strftime("%a, %d %b %Y %H:%M:%S +0000");
        let id = plain_id(self.id);
        let headers = [
            format!("Date: {date}\r\n"),
            format!("From: {}\r\n", self.from.in_header()),
            format!("To: {}\r\n", self.to.in_header()),
            header::unstructured("Subject", self.subject),
            format!("Message-ID: <{id}@{}>\r\n", self.from.domain()),
            // Nothing answers it, and no one's absence is reported to it (RFC 3834).
            "Auto-Submitted: auto-generated\r\n".to_owned(),
            "MIME-Version: 1.0\r\n".to_owned(),
        ];
        let mut written = headers.concat().into_bytes();
        written.extend(body(self.text));
        written
    }
}

fn plain_id(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    id.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
}

fn body(text: &str) -> Vec<u8> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
    let is_short = |line: &str| line.len() <= LINE_BYTES_MAX && !line.contains(|c: char| c.is_control());
    let is_plain = text.is_ascii() && text.split("\r\n").all(is_short);
    let encoding = if is_plain { "7bit" } else { "base64" };
    let head =
        format!("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n");
    let mut body = head.into_bytes();
    if is_plain {
        body.extend(text.bytes());
        body.extend(b"\r\n");
        return body;
    }
    for line in BASE64.encode(text).as_bytes().chunks(LINE_CHARS) {
        body.extend_from_slice(line);
        body.extend_from_slice(b"\r\n");
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(subject: &str, text: &str) -> String {
        let from = MailAddress::read("Grüße <gate@example.com>").expect("an address");
        let to = MailAddress::read("Ann \"A\" Lee <ann@example.com>").expect("an address");
        let letter =
            MailLetter { from: &from, to: &to, subject, text, id: "one/1", at_ms: 1_785_585_600_123 };
        String::from_utf8(letter.written()).expect("a mail is ASCII")
    }

    #[test]
    fn a_mail_has_the_headers_that_it_needs() {
        let plain = written("A call waits", "Hello,\nbye");
        let expected = "Date: Sat, 01 Aug 2026 12:00:00 +0000\r\n\
            From: =?UTF-8?B?R3LDvMOfZQ==?= <gate@example.com>\r\n\
            To: \"Ann \\\"A\\\" Lee\" <ann@example.com>\r\n\
            Subject: A call waits\r\n\
            Message-ID: <one-1@example.com>\r\n\
            Auto-Submitted: auto-generated\r\n\
            MIME-Version: 1.0\r\n\
            Content-Type: text/plain; charset=utf-8\r\n\
            Content-Transfer-Encoding: 7bit\r\n\r\n\
            Hello,\r\nbye\r\n";
        assert_eq!(plain, expected);
    }

    #[test]
    fn no_text_ends_a_header_and_every_line_is_short() {
        for subject in ["Hi\r\nBcc: eve@evil.example", "Grüße\nX: y", &"lang ".repeat(60), &"ü".repeat(400)]
        {
            let told = written(subject, &"ä".repeat(3_000));
            let (head, _) = told.split_once("\r\n\r\n").expect("a head");
            assert!(!head.contains("\r\nBcc:") && !head.contains("\r\nX:"), "{head}");
            assert_eq!(head.matches("\r\nSubject:").count(), 1, "{head}");
            assert!(
                told.split("\r\n").all(|line| line.len() <= LINE_CHARS + 2 && !line.contains(['\r', '\n']))
            );
        }
    }

    #[test]
    fn other_text_than_plain_lines_is_encoded() {
        for text in ["Ärger", "bell \u{7}", &"x".repeat(2_000)] {
            let told = written("s", text);
            let (_, body) = told.split_once("base64\r\n\r\n").unwrap_or_else(|| panic!("{told}"));
            let decoded = BASE64.decode(body.replace("\r\n", "")).expect("Base64");
            assert_eq!(decoded, text.as_bytes());
        }
    }
}
