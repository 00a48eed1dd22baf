//! The type of an archive: office documents and books are archives too, recognisable by the names of their
//! files.

use super::{ByteSample, ZIP_MAGIC};

const ZIP: &str = "application/zip";
const NAMES_MAX: usize = 2_000;

/// Fields of the two kinds of headers that begin with a name's length.
struct ZipHeader {
    magic: &'static [u8],
    name_length_at: usize,
    extra_length_at: usize,
    comment_length_at: Option<usize>,
    bytes: usize,
}

/// Before each file.
const LOCAL: ZipHeader = ZipHeader {
    magic: ZIP_MAGIC,
    name_length_at: 26,
    extra_length_at: 28,
    comment_length_at: None,
    bytes: 30,
};
/// One for each file, in the directory at the end.
const CENTRAL: ZipHeader = ZipHeader {
    magic: b"PK\x01\x02",
    name_length_at: 28,
    extra_length_at: 30,
    comment_length_at: Some(32),
    bytes: 46,
};

pub(super) fn kind(sample: &ByteSample<'_>) -> &'static str {
    if let Some(said) = said_first(sample.head) {
        return said;
    }
    let mut names = listed(sample.tail);
    names.extend(scanned(sample.head));
    kind_by_names(&names)
}

/// OpenDocument and EPUB begin with a file that contains only the media type, uncompressed.
fn said_first(head: &[u8]) -> Option<&'static str> {
    const SAID: [&str; 5] = [
        "application/epub+zip",
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.graphics",
    ];
    let (name, content) = LOCAL.read(head)?;
    if name != b"mimetype" {
        return None;
    }
    // Templates and the like have the same words and a few more.
    let fits = |said: &&str| {
        let next = content.get(said.len()).copied();
        content.starts_with(said.as_bytes())
            && next.is_none_or(|next| next == b'P' || !next.is_ascii_graphic())
    };
    SAID.into_iter().find(fits)
}

fn kind_by_names(names: &[&[u8]]) -> &'static str {
    let has = |wanted: &[u8]| names.contains(&wanted);
    let has_folder = |folder: &[u8]| names.iter().any(|name| name.starts_with(folder));
    if has(b"[Content_Types].xml") {
        let kinds: [(&[u8], &str); 3] = [
            (b"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
        ];
        if let Some((_, kind)) = kinds.into_iter().find(|(folder, _)| has_folder(folder)) {
            return kind;
        }
    }
    match (has(b"AndroidManifest.xml"), has(b"META-INF/MANIFEST.MF")) {
        (true, _) => "application/vnd.android.package-archive",
        (_, true) => "application/java-archive",
        _ => ZIP,
    }
}

/// The names in the directory, as far as it lies within the tail.
fn listed(tail: &[u8]) -> Vec<&[u8]> {
    let mut names = Vec::new();
    let mut at = find(tail, CENTRAL.magic).unwrap_or(tail.len());
    while let Some((name, _)) = CENTRAL.read(&tail[at..]) {
        names.push(name);
        at = (at + CENTRAL.length(&tail[at..])).min(tail.len());
        if names.len() == NAMES_MAX {
            break;
        }
    }
    names
}

/// The names before the files, as far as they lie within the head. What is between them may have no known length.
fn scanned(head: &[u8]) -> Vec<&[u8]> {
    let mut names = Vec::new();
    let mut rest = head;
    while let Some(at) = find(rest, LOCAL.magic) {
        if let Some((name, _)) = LOCAL.read(&rest[at..]) {
            names.push(name);
        }
        rest = &rest[at + LOCAL.magic.len()..];
    }
    names
}

impl ZipHeader {
    /// The name, and the bytes after the header.
    fn read<'b>(&self, bytes: &'b [u8]) -> Option<(&'b [u8], &'b [u8])> {
        let name_bytes = bytes.strip_prefix(self.magic).and(number(bytes, self.name_length_at))?;
        let name = bytes.get(self.bytes..self.bytes + name_bytes)?;
        let rest = bytes.get(self.length(bytes)..).unwrap_or_default();
        Some((name, rest))
    }

    fn length(&self, bytes: &[u8]) -> usize {
        let lengths = [Some(self.name_length_at), Some(self.extra_length_at), self.comment_length_at];
        let lengths = lengths.into_iter().flatten().filter_map(|at| number(bytes, at));
        self.bytes + lengths.sum::<usize>()
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let field = bytes.get(at..at + 2)?;
    Some(usize::from(u16::from_le_bytes([field[0], field[1]])))
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
