//! A result for the agent: refs in place of the parts that were taken out.

use toolgate_core::file::Ref;
use toolgate_core::{Digest, RawJson};
use toolgate_wire::object::{push_member, push_string};

use super::clean::{BlockExtra, PIECES_MAX, PiecePosition, ResultPart, ResultParts};
use super::read::ADDRESS;

/// The maximum length of a preview.
const PREVIEW_CHARS_MAX: usize = 200;
const LINK_NAME_BYTES_MAX: usize = 8;

/// The fate of a piece.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum PieceFate {
    Ref(Box<Ref>, Digest),
    /// The storage is down; the piece had this many bytes.
    Lost(usize),
}

impl PieceFate {
    pub(super) fn as_ref(&self) -> Option<&Ref> {
        match self {
            PieceFate::Ref(one, _) => Some(one),
            PieceFate::Lost(_) => None,
        }
    }

    /// The result if its row could not be written.
    pub(super) fn lost(self) -> Self {
        match self {
            PieceFate::Ref(one, _) => PieceFate::Lost(usize::try_from(one.bytes).unwrap_or(usize::MAX)),
            lost => lost,
        }
    }
}

/// The text of a result. `kept` has the fate of each piece.
pub(super) fn render(parts: &ResultParts<'_>, kept: &[PieceFate]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            ResultPart::Kept(same) => text.push_str(same),
            ResultPart::Mark(taken) => text.push_str(&mark(of(*taken, kept))),
            ResultPart::Address(taken) => text.push_str(&address(of(*taken, kept))),
            ResultPart::Block(taken, extra) => push_block(&mut text, of(*taken, kept), extra),
            ResultPart::Object(taken) => push_object(&mut text, of(*taken, kept)),
        }
    }
    text
}

/// The description of a ref beside the result.
pub(super) fn describe(one: &Ref, digest: &Digest) -> RawJson {
    RawJson::from_composed(line(one, digest))
}

/// The first words of a text, in one line.
pub(super) fn preview(text: &str) -> String {
    // Everything that may be left out is near the beginning.
    let head = &text[..text.floor_char_boundary(PREVIEW_CHARS_MAX * 16)];
    let runs = super::base64_run::runs(head, PREVIEW_CHARS_MAX);
    let readable = runs.first().map_or(head, |run| &head[..run.place.start]);
    let mut preview = String::new();
    for c in readable.chars() {
        let c = if c.is_whitespace() { ' ' } else { c };
        let doubled = c == ' ' && (preview.is_empty() || preview.ends_with(' '));
        if !c.is_control() && !doubled {
            preview.push(c);
        }
    }
    preview.trim_end().chars().take(PREVIEW_CHARS_MAX).collect()
}

enum PieceOutcome<'a> {
    Ref(&'a Ref, &'a Digest),
    Lost(usize),
    Over(usize),
}

fn of(taken: PiecePosition, kept: &[PieceFate]) -> PieceOutcome<'_> {
    match taken {
        PiecePosition::Over(bytes) => PieceOutcome::Over(bytes),
        PiecePosition::Piece(at) => match &kept[at] {
            PieceFate::Ref(one, digest) => PieceOutcome::Ref(one, digest),
            PieceFate::Lost(bytes) => PieceOutcome::Lost(*bytes),
        },
    }
}

/// Nothing in it needs escaping, at any depth within strings.
fn mark(outcome: PieceOutcome<'_>) -> String {
    match outcome {
        PieceOutcome::Ref(one, _) => format!("[{} {} {} bytes]", one.id, plain(&one.media_type), one.bytes),
        PieceOutcome::Lost(bytes) => format!("[{bytes} bytes withheld: the storage of files is away]"),
        PieceOutcome::Over(bytes) => {
            format!("[{bytes} bytes withheld: more than {PIECES_MAX} parts to take out]")
        }
    }
}

fn address(outcome: PieceOutcome<'_>) -> String {
    match outcome {
        PieceOutcome::Ref(one, _) => format!("{ADDRESS}{}", one.id),
        PieceOutcome::Lost(_) | PieceOutcome::Over(_) => format!("{ADDRESS}withheld"),
    }
}

fn push_block(text: &mut String, outcome: PieceOutcome<'_>, extra: &BlockExtra<'_>) {
    let PieceOutcome::Ref(one, digest) = outcome else {
        return push_text_block(text, &mark(outcome));
    };
    push_text_block(text, &line(one, digest));
    // A model reads every byte of it: it does not repeat the line above.
    let mut link = String::from("{");
    push_member(&mut link, "type", "\"resource_link\"");
    push_member(&mut link, "uri", &quoted(&format!("{ADDRESS}{}", one.id)));
    push_member(&mut link, "name", &quoted(name(&one.media_type)));
    // Clients use it to decide how to treat a link.
    push_member(&mut link, "mimeType", &quoted(&one.media_type));
    for (key, value) in [("annotations", extra.annotations), ("_meta", extra.meta)] {
        if let Some(value) = value {
            push_member(&mut link, key, value);
        }
    }
    text.push(',');
    text.push_str(&link);
    text.push('}');
}

fn push_text_block(text: &mut String, words: &str) {
    text.push_str(r#"{"type":"text","text":"#);
    push_string(text, words);
    text.push('}');
}

fn push_object(text: &mut String, outcome: PieceOutcome<'_>) {
    match outcome {
        PieceOutcome::Ref(one, digest) => text.push_str(&line(one, digest)),
        PieceOutcome::Lost(_) | PieceOutcome::Over(_) => {
            text.push('{');
            push_member(text, "withheld", &quoted(&mark(outcome)));
            text.push('}');
        }
    }
}

/// The description of a ref, in one line.
fn line(one: &Ref, digest: &Digest) -> String {
    let mut line = String::from("{");
    push_member(&mut line, "ref_id", &quoted(one.id.as_str()));
    push_member(&mut line, "media_type", &quoted(&one.media_type));
    push_member(&mut line, "size", &one.bytes.to_string());
    push_member(&mut line, "digest", &quoted(&digest.to_string()));
    if !one.preview.is_empty() {
        push_member(&mut line, "preview", &quoted(&one.preview));
    }
    line.push('}');
    line
}

/// A link must have a name; the media type gives a short one.
fn name(media_type: &str) -> &str {
    match media_type.split_once('/') {
        Some(("text", "plain")) => "text",
        Some((_, kind)) if (1..=LINK_NAME_BYTES_MAX).contains(&kind.len()) => kind,
        _ => "file",
    }
}

fn plain(media_type: &str) -> &str {
    let fits = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    if media_type.bytes().all(fits) { media_type } else { "application/octet-stream" }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_string(&mut quoted, text);
    quoted
}
