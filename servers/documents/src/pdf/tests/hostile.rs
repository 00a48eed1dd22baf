//! Files that are broken, or crafted to break their readers.

use std::fmt::Write;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::builder::{Builder, HELVETICA, lines_at, text_at};
use super::encryption;
use super::{read, texts};
use crate::{DocumentError, OpenOptions};

/// Far more than any of these takes; a hang takes forever.
const PATIENCE: Duration = Duration::from_secs(60);

fn within_patience<Answer>(work: impl FnOnce() -> Answer) -> Answer {
    let began = Instant::now();
    let answer = work();
    assert!(began.elapsed() < PATIENCE, "it took {:?}", began.elapsed());
    answer
}

fn attempt(bytes: &[u8]) -> Result<crate::Document, DocumentError> {
    within_patience(|| super::super::read(bytes, &OpenOptions::default()))
}

fn sample() -> Vec<u8> {
    let lines = ["Some lines of text that", "are damaged in all ways", "that a file can be."];
    let content = lines_at(50.0, 700.0, 10.0, &lines) + "50 600 200 40 re S 50 620 m 250 620 l S";
    Builder::new().page(&content).page_with("/Rotate 90", "", &content).info("/Title (Sample)").finish()
}

#[test]
fn nothing_and_rubbish_are_refused_in_words() {
    assert_eq!(attempt(b""), Err(DocumentError::Empty));
    let error = attempt(b"%PDF-1.7 and nothing else").unwrap_err();
    assert_eq!(error.to_string(), "the PDF is damaged: it contains no pages");
}

#[test]
fn a_file_cut_off_anywhere_gives_text_or_an_error() {
    let bytes = sample();
    for length in (0..bytes.len()).step_by(7) {
        drop(attempt(&bytes[..length]));
    }
    let without_table = &bytes[..bytes.windows(4).rposition(|window| window == b"xref").unwrap() - 10];
    let cut = &without_table[..without_table.windows(4).rposition(|window| window == b"xref").unwrap()];
    assert_eq!(
        texts(&attempt(cut).unwrap(), 0).join(" "),
        "Some lines of text that are damaged in all ways that a file can be."
    );
}

#[test]
fn a_page_tree_in_a_circle_ends() {
    let builder = Builder::new().page(&text_at(50.0, 700.0, 10.0, "Once"));
    let document = attempt(&builder.finish_with_kids("2 0 R 4 0 R 2 0 R")).unwrap();
    assert_eq!(texts(&document, 0), ["Once"]);
    assert!(document.pages.len() <= 2);
}

#[test]
fn a_form_that_draws_itself_ends() {
    let mut builder = Builder::new();
    let content = format!("{} /X Do", text_at(10.0, 10.0, 10.0, "x"));
    // The form is the next object: it names itself.
    builder.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X 3 0 R >> >>",
        content.as_bytes(),
    );
    let bytes = builder.page_with("", "/XObject << /X 3 0 R >>", "/X Do").finish();
    attempt(&bytes).unwrap();
}

#[test]
fn forms_that_multiply_are_stopped() {
    let mut builder = Builder::new();
    let mut inner = builder.stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800]", b"0 0 1 1 re f");
    for _ in 0..40 {
        let entries = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X {inner} 0 R >> >>"
        );
        inner = builder.stream(&entries, b"/X Do /X Do");
    }
    let content = text_at(50.0, 700.0, 10.0, "Before") + "/X Do";
    let bytes = builder.page_with("", &format!("/XObject << /X {inner} 0 R >>"), &content).finish();
    let document = attempt(&bytes).unwrap();
    assert_eq!(texts(&document, 0), ["Before"]);
    assert_eq!(document.warnings, ["page 1 could not be read completely"]);
}

#[test]
fn a_font_that_is_made_of_itself_ends() {
    let mut builder = Builder::new();
    let glyph = builder.stream("", b"500 0 d0 BT /T 1 Tf (a) Tj ET");
    let font = format!(
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 97 /LastChar 97 /Widths [500] \
         /Encoding << /Differences [97 /a] >> /CharProcs << /a {glyph} 0 R >> /Resources << /Font << /T 4 0 R >> >> >>"
    );
    builder.object(&font);
    let fonts = format!("/Font << /F {HELVETICA} /T 4 0 R >>");
    let bytes = builder.page_with("", &fonts, "BT /T 10 Tf 50 700 Td (aaa) Tj ET").finish();
    attempt(&bytes).unwrap();
}

#[test]
fn pages_of_absurd_size_are_read() {
    for side in ["1e30", "-5", "0", "99999999999"] {
        let media = format!("/MediaBox [0 0 {side} {side}]");
        let bytes = Builder::new().page_with(&media, "", &text_at(10.0, 10.0, 10.0, "Here")).finish();
        drop(attempt(&bytes));
        drop(within_patience(|| super::super::render(&bytes, 1, 300.0, None)));
    }
}

#[test]
fn deep_nesting_does_not_break_the_reader() {
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let dictionaries = format!("{}{}", "<< /A ".repeat(50_000), ">>".repeat(50_000));
    let content = format!("{deep} TJ {} {}", "q ".repeat(50_000), text_at(50.0, 700.0, 10.0, "Deep"));
    let mut builder = Builder::new();
    builder.object(&deep);
    builder.object(&dictionaries);
    drop(attempt(&builder.page_with("/Extra 3 0 R /More 4 0 R", "", &content).finish()));
}

#[test]
fn many_words_at_one_place_are_read_in_time() {
    let mut content = "BT /F 10 Tf 50 700 Td ".to_owned();
    for index in 0..30_000 {
        write!(content, "({}) Tj 0 {} Td ", ["aa", "b", "c c"][index % 3], (index % 7) as f32 * 0.01)
            .unwrap();
    }
    attempt(&Builder::new().page(&(content + "ET")).finish()).unwrap();
}

#[test]
fn a_thousand_pages_are_read() {
    let mut builder = Builder::new();
    for number in 0..1_000 {
        builder = builder.page(&text_at(50.0, 400.0, 10.0, &format!("This is page {number} of many")));
    }
    let document = attempt(&builder.finish()).unwrap();
    assert_eq!(
        (document.page_count, texts(&document, 999)),
        (1_000, vec!["This is page 999 of many".to_owned()])
    );
}

#[test]
fn pages_beyond_the_limit_are_left_out_and_said_to_be() {
    let mut options = OpenOptions::default();
    options.limits.pages_max = 1;
    let document = super::super::read(&sample(), &options).unwrap();
    assert_eq!((document.page_count, document.pages.len()), (2, 1));
    assert_eq!(document.warnings, ["the document is long; pages from 2 on were left out"]);
}

/// A file of one page, encrypted for a password.
fn locked(password: &str) -> Vec<u8> {
    let (entries, key) = encryption::for_password(password);
    let content = text_at(50.0, 700.0, 10.0, "Secret words");
    let mut builder = Builder::new();
    // The content of the first page is always object 3.
    let encrypted = encryption::encrypted(&key, 3, content.as_bytes());
    let stream = builder.stream("", &encrypted);
    assert_eq!(stream, 3);
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F {HELVETICA} >> >> /Contents 3 0 R >>"
    );
    let page = builder.object(&page);
    let id = encryption::hex(&encryption::ID);
    builder
        .trailer(&format!("/Encrypt {entries} /ID [<{id}> <{id}>]"))
        .finish_with_kids(&format!("{page} 0 R"))
}

#[test]
fn a_file_with_an_empty_password_opens() {
    let document = read(&locked(""));
    assert_eq!(texts(&document, 0), ["Secret words"]);
    assert!(document.facts.encrypted);
}

#[test]
fn a_file_with_a_password_opens_only_with_it() {
    let bytes = locked("open sesame");
    assert_eq!(attempt(&bytes), Err(DocumentError::Locked { format: "PDF" }));
    let with = |password: &str| {
        let options = OpenOptions { password: Some(password.to_owned()), ..OpenOptions::default() };
        super::super::read(&bytes, &options)
    };
    assert_eq!(with("wrong"), Err(DocumentError::Locked { format: "PDF" }));
    assert_eq!(texts(&with("open sesame").unwrap(), 0), ["Secret words"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_file_with_any_bytes_changed_is_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let mut bytes = sample();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        drop(attempt(&bytes));
    }

    #[test]
    fn a_file_with_pieces_moved_is_read_or_refused(from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(), length in 1_usize..200) {
        let mut bytes = sample();
        let from = from.index(bytes.len());
        let piece: Vec<u8> = bytes[from..bytes.len().min(from + length)].to_vec();
        let to = to.index(bytes.len());
        bytes.splice(to..to, piece);
        drop(attempt(&bytes));
    }
}
