//! A mail taken apart. Mail is hostile: nesting, parts and headers are limited here, by a walk of our own over the parts; the
//! library reads headers and decodes single parts, of which it knows every form that senders use.

use mail_parser::{Address, HeaderValue, Message, MessageParser, MimeHeaders, PartType};

/// Parts within parts. Real mail has a handful.
const DEPTH_MAX: usize = 16;
const PARTS_MAX: usize = 200;
/// Headers of one part; what is longer is cut off.
const HEAD_BYTES_MAX: usize = 128 << 10;
const ADDRESSES_MAX: usize = 50;
const FIELD_CHARS_MAX: usize = 1_000;

/// What is said about a mail in its head.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct MailHead {
    pub(super) from: Option<String>,
    pub(super) to: Vec<String>,
    pub(super) cc: Vec<String>,
    pub(super) subject: Option<String>,
    pub(super) date: Option<String>,
    pub(super) message_id: Option<String>,
    pub(super) in_reply_to: Option<String>,
}

/// A whole mail.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ParsedMail {
    pub(super) head: MailHead,
    /// All plain texts; those of HTML if there is no other.
    pub(super) text: String,
    pub(super) attachments: Vec<MailPart>,
    /// More parts, or deeper ones, than are read.
    pub(super) is_cut: bool,
}

/// A file in a mail.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct MailPart {
    pub(super) name: Option<String>,
    pub(super) media_type: String,
    pub(super) bytes: Vec<u8>,
}

impl MailHead {
    pub(super) fn read(raw: &[u8]) -> Self {
        MessageParser::default()
            .parse_headers(split_head(raw).0)
            .map(|message| Self::of(&message))
            .unwrap_or_default()
    }

    fn of(message: &Message<'_>) -> Self {
        let in_reply_to = match message.in_reply_to() {
            HeaderValue::Text(id) => Some(id.to_string()),
            HeaderValue::TextList(ids) => ids.first().map(ToString::to_string),
            _ => None,
        };
        Self {
            from: addresses(message.from()).into_iter().next(),
            to: addresses(message.to()),
            cc: addresses(message.cc()),
            subject: message.subject().map(clip),
            date: message.date().filter(|date| date.is_valid()).map(|date| date.to_rfc3339()),
            message_id: message.message_id().map(in_brackets),
            in_reply_to: in_reply_to.as_deref().map(in_brackets),
        }
    }
}

impl ParsedMail {
    /// Every sequence of bytes is some mail.
    pub(super) fn read(raw: &[u8]) -> Self {
        let mut walk = PartWalk::default();
        walk.part(raw, 0);
        let PartWalk { texts, htmls, attachments, is_cut, .. } = walk;
        let texts = if texts.is_empty() { htmls } else { texts };
        Self { head: MailHead::read(raw), text: texts.join("\n"), attachments, is_cut }
    }
}

#[derive(Default)]
struct PartWalk {
    texts: Vec<String>,
    htmls: Vec<String>,
    attachments: Vec<MailPart>,
    parts: usize,
    is_cut: bool,
}

impl PartWalk {
    fn part(&mut self, raw: &[u8], depth: usize) {
        if self.parts == PARTS_MAX || depth > DEPTH_MAX {
            self.is_cut = true;
            return;
        }
        self.parts += 1;
        let (head, body) = split_head(raw);
        let parsed = MessageParser::default().parse_headers(head);
        let kind = parsed.as_ref().and_then(|message| message.root_part().content_type());
        let (kind, boundary) = match kind {
            Some(kind) => (kind.ctype().to_ascii_lowercase(), kind.attribute("boundary")),
            None => (String::new(), None),
        };
        match (kind.as_str(), boundary, &parsed) {
            ("multipart", Some(boundary), _) => {
                for part in parts_of(body, boundary.as_bytes()) {
                    self.part(part, depth + 1);
                }
            }
            // A mail within a mail is a file, and is not looked into.
            ("message" | "multipart", _, Some(parsed)) => {
                let part = parsed.root_part();
                self.attachments.push(MailPart {
                    name: name_of(part),
                    media_type: type_of(part),
                    bytes: body.to_vec(),
                });
            }
            (_, _, None) => self.texts.push(String::from_utf8_lossy(body).into_owned()),
            (_, _, Some(_)) => self.leaf(head, body),
        }
    }

    /// A part without parts, decoded.
    fn leaf(&mut self, head: &[u8], body: &[u8]) {
        let mut raw = head.to_vec();
        raw.extend_from_slice(b"\r\n");
        raw.extend_from_slice(body);
        let Some(message) = MessageParser::default().parse(&raw) else { return };
        let part = message.root_part();
        let name = name_of(part);
        let is_file = name.is_some() || part.content_disposition().is_some_and(|said| said.is_attachment());
        match &part.body {
            PartType::Text(text) if !is_file && !type_of(part).starts_with("text/calendar") => {
                self.texts.push(text.to_string())
            }
            PartType::Html(_) if !is_file => {
                self.htmls.extend(message.body_text(0).map(|text| text.into_owned()))
            }
            _ => {
                let bytes = part.contents().to_vec();
                self.attachments.push(MailPart { name, media_type: type_of(part), bytes });
            }
        }
    }
}

/// Headers and body, at the first empty line. The headers end with a line break.
fn split_head(raw: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        if line == b"\n" || line == b"\r\n" {
            return (cut(&raw[..at]), &raw[at + line.len()..]);
        }
        at += line.len();
    }
    (cut(raw), &[])
}

fn cut(head: &[u8]) -> &[u8] {
    &head[..head.len().min(HEAD_BYTES_MAX)]
}

/// The parts between lines of this boundary.
fn parts_of<'a>(body: &'a [u8], boundary: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut begin = None;
    let mut at = 0;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let next = at + line.len();
        let marker =
            line.strip_prefix(b"--").and_then(|line| line.strip_prefix(boundary)).map(<[u8]>::trim_ascii);
        if matches!(marker, Some(b"" | b"--")) {
            if let Some(begin) = begin {
                parts.push(without_line_end(&body[begin..at]));
            }
            begin = (marker == Some(b"")).then_some(next);
            if begin.is_none() || parts.len() > PARTS_MAX {
                return parts;
            }
        }
        at = next;
    }
    // A mail that was cut off lacks its last line.
    parts.extend(begin.filter(|begin| *begin < body.len()).map(|begin| &body[begin..]));
    parts
}

fn without_line_end(part: &[u8]) -> &[u8] {
    let part = part.strip_suffix(b"\n").unwrap_or(part);
    part.strip_suffix(b"\r").unwrap_or(part)
}

fn name_of(part: &mail_parser::MessagePart<'_>) -> Option<String> {
    part.attachment_name().map(clip)
}

fn type_of(part: &mail_parser::MessagePart<'_>) -> String {
    let Some(kind) = part.content_type() else { return "text/plain".to_owned() };
    let subtype = kind.subtype().unwrap_or("octet-stream");
    clip(&format!("{}/{subtype}", kind.ctype()).to_ascii_lowercase())
}

fn addresses(listed: Option<&Address<'_>>) -> Vec<String> {
    let Some(listed) = listed else { return Vec::new() };
    let one = |address: &mail_parser::Addr<'_>| match (address.name(), address.address()) {
        (Some(name), Some(spec)) => Some(clip(&format!("{name} <{spec}>"))),
        (None, Some(word)) | (Some(word), None) => Some(clip(word)),
        (None, None) => None,
    };
    listed.iter().filter_map(one).take(ADDRESSES_MAX).collect()
}

fn in_brackets(id: &str) -> String {
    format!("<{}>", clip(id))
}

/// Texts of strangers: without characters that a terminal obeys, and not endless.
fn clip(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(FIELD_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_files_are_found_wherever_they_are() {
        let raw = b"From: Ada <ada@example.com>\r\nSubject: =?ISO-8859-1?Q?Gr=FC=DFe?=\r\n\
            Content-Type: multipart/mixed; boundary=\"o u\"\r\n\r\npreamble\r\n--o u\r\n\
            Content-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\n\
            Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=C4pfel\r\n--in\r\n\
            Content-Type: text/html\r\n\r\n<p>no</p>\r\n--in--\r\n--o u\r\n\
            Content-Type: application/pdf; name=\"a.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC/w==\r\n--o u\r\n\
            Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nhello\r\n--o u--\r\n";
        let mail = ParsedMail::read(raw);
        assert_eq!(mail.head.from.as_deref(), Some("Ada <ada@example.com>"));
        assert_eq!(mail.head.subject.as_deref(), Some("Grüße"));
        assert_eq!(mail.text, "Äpfel");
        assert_eq!(mail.attachments.len(), 2, "{:?}", mail.attachments);
        assert_eq!(
            (mail.attachments[0].name.as_deref(), &mail.attachments[0].bytes[..]),
            (Some("a.pdf"), &[0, 1, 2, 255][..])
        );
        assert_eq!(mail.attachments[1].media_type, "message/rfc822");
        assert!(mail.attachments[1].bytes.starts_with(b"Subject: inner"));
        assert!(!mail.is_cut);
    }

    #[test]
    fn mail_of_html_alone_is_read_as_text() {
        let mail = ParsedMail::read(b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>Hello <b>Ada</b></p>");
        assert_eq!(mail.text.trim(), "Hello Ada");
    }

    #[test]
    fn bytes_in_no_known_encoding_are_mail_too() {
        let mail = ParsedMail::read(
            b"Subject: \xff\xfe\r\nContent-Type: text/plain; charset=klingon\r\n\r\n\xe4\xff\x00\x80 ok",
        );
        assert!(mail.text.ends_with("ok"), "{mail:?}");
        for raw in [
            &b""[..],
            b"\r\n",
            b"\n\n",
            b"\xff",
            b"no header at all",
            b"Content-Type: multipart/mixed\r\n\r\nx",
            b"Content-Type: multipart/mixed; boundary=\"\"\r\n\r\n--\r\n--\r\n",
        ] {
            ParsedMail::read(raw);
        }
    }

    #[test]
    fn nesting_without_end_ends() {
        let mut deep = Vec::new();
        for at in 0..2_000 {
            deep.extend(format!("Content-Type: multipart/mixed; boundary=b{at}\r\n\r\n--b{at}\r\n").bytes());
        }
        assert!(ParsedMail::read(&deep).is_cut);
        let messages = "Content-Type: message/rfc822\r\n\r\n".repeat(20_000);
        assert_eq!(ParsedMail::read(messages.as_bytes()).attachments.len(), 1);
        let mut wide = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n".to_vec();
        wide.extend("--b\r\n\r\nx\r\n".repeat(20_000).bytes());
        assert!(ParsedMail::read(&wide).is_cut);
        let headers = "a: b\r\n".repeat(100_000);
        ParsedMail::read(headers.as_bytes());
    }
}
