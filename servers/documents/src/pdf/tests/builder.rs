//! PDFs made for tests, object by object.

use std::fmt::Write;

/// A PDF in the making; objects are numbered from 1. The first is the catalogue, the second the page tree.
pub(super) struct Builder {
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    info: Option<usize>,
    trailer: String,
}

pub(super) const HELVETICA: &str =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
pub(super) const BOLD: &str =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>";

impl Builder {
    pub(super) fn new() -> Self {
        Self { objects: vec![Vec::new(), Vec::new()], pages: Vec::new(), info: None, trailer: String::new() }
    }

    /// Adds an object and returns its number.
    pub(super) fn object(&mut self, text: &str) -> usize {
        self.objects.push(text.as_bytes().to_vec());
        self.objects.len()
    }

    pub(super) fn stream(&mut self, entries: &str, bytes: &[u8]) -> usize {
        let mut object = format!("<< {entries} /Length {} >>\nstream\n", bytes.len()).into_bytes();
        object.extend_from_slice(bytes);
        object.extend_from_slice(b"\nendstream");
        self.objects.push(object);
        self.objects.len()
    }

    pub(super) fn page(self, content: &str) -> Self {
        self.page_with("", "", content)
    }

    /// A page with further entries, and further resources beside Helvetica as `F` and its bold as `B`.
    pub(super) fn page_with(mut self, entries: &str, resources: &str, content: &str) -> Self {
        let content = self.stream("", content.as_bytes());
        let media = if entries.contains("MediaBox") { "" } else { "/MediaBox [0 0 600 800]" };
        let fonts = if resources.contains("/Font") {
            String::new()
        } else {
            format!("/Font << /F {HELVETICA} /B {BOLD} >>")
        };
        let page = format!(
            "<< /Type /Page /Parent 2 0 R {media} {entries} /Resources << {fonts} {resources} >> /Contents {content} 0 R >>"
        );
        let page = self.object(&page);
        self.pages.push(page);
        self
    }

    pub(super) fn info(mut self, entries: &str) -> Self {
        self.info = Some(self.object(&format!("<< {entries} >>")));
        self
    }

    pub(super) fn trailer(mut self, entries: &str) -> Self {
        self.trailer.push_str(entries);
        self
    }

    /// Replaces the kids of the page tree.
    pub(super) fn finish_with_kids(mut self, kids: &str) -> Vec<u8> {
        self.objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>".to_vec();
        self.objects[1] =
            format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", self.pages.len()).into_bytes();
        self.written()
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let kids: String = self.pages.iter().fold(String::new(), |mut kids, page| {
            write!(kids, "{page} 0 R ").expect("strings take all");
            kids
        });
        self.finish_with_kids(&kids)
    }

    fn written(&self) -> Vec<u8> {
        let mut bytes = b"%PDF-1.7\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (index, object) in self.objects.iter().enumerate() {
            writeln!(table, "{:010} 00000 n ", bytes.len()).expect("strings take all");
            bytes.extend_from_slice(format!("{} 0 obj\n", index + 1).as_bytes());
            bytes.extend_from_slice(object);
            bytes.extend_from_slice(b"\nendobj\n");
        }
        let start = bytes.len();
        let info = self.info.map(|info| format!("/Info {info} 0 R")).unwrap_or_default();
        let trailer =
            format!("trailer << /Size {} /Root 1 0 R {info} {} >>", self.objects.len() + 1, self.trailer);
        bytes.extend_from_slice(format!("{table}{trailer}\nstartxref\n{start}\n%%EOF\n").as_bytes());
        bytes
    }
}

/// Shows a text at a position, measured from the lower left corner.
pub(super) fn text_at(x: f32, y: f32, size: f32, text: &str) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// Lines below each other.
pub(super) fn lines_at(x: f32, y: f32, size: f32, lines: &[&str]) -> String {
    let place = |index: usize| y - index as f32 * size * 1.2;
    lines.iter().enumerate().map(|(index, line)| text_at(x, place(index), size, line)).collect()
}
