//! Forms and names, read.

use axum::body::Body;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, HeaderValue};

use super::*;

fn headers(name: &'static str, value: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(name, HeaderValue::from_bytes(value.as_bytes()).expect("a value"));
    headers
}

#[test]
fn a_name_is_found_in_either_header() {
    for (header, value, expected) in [
        ("x-file-name", "report.pdf", Ok("report.pdf")),
        ("x-file-name", "M%C3%BCller%20%E2%80%93%20CV.pdf", Ok("Müller – CV.pdf")),
        ("x-file-name", "..%2F..%2Fetc%2Fpasswd", Err("bad_file_name")),
        ("x-file-name", "a%0Ab", Err("bad_file_name")),
        ("x-file-name", "%FF", Err("header_invalid")),
        ("content-disposition", "attachment; filename=report.pdf", Ok("report.pdf")),
        ("content-disposition", "attachment; FileName = \"a; b=\\\"c\\\".pdf\" ; x=y", Ok("a; b=\"c\".pdf")),
        (
            "content-disposition",
            "attachment; filename=\"x\"; filename*=UTF-8''M%C3%BCller.pdf",
            Ok("Müller.pdf"),
        ),
        ("content-disposition", "inline; filename=\"..\"", Err("bad_file_name")),
        ("content-disposition", "inline; filename*=latin1''x", Err("header_invalid")),
        ("content-disposition", "inline; filename*=x", Err("header_invalid")),
        ("content-disposition", "inline; filename=\"open", Ok("open")),
    ] {
        let found = beside(&headers(header, value));
        let found =
            found.map(|name| name.expect("there is one").to_string()).map_err(|problem| problem.code.name);
        assert_eq!(found, expected.map(str::to_owned), "{value}");
    }
    assert_eq!(beside(&headers("content-disposition", "attachment")), Ok(None));
    assert_eq!(beside(&HeaderMap::new()), Ok(None));
}

const TYPE: &str = "multipart/form-data; boundary=XX";

/// A body that comes in pieces of this many bytes.
fn form(text: &[u8], piece: usize) -> MultipartForm {
    let pieces: Vec<Result<Bytes, std::io::Error>> =
        text.chunks(piece).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let body = Body::from_stream(stream::iter(pieces));
    let read = MultipartForm::of(&headers("content-type", TYPE), body).expect("a boundary");
    read.unwrap_or_else(|_| panic!("it is a form"))
}

fn part(name: &str, file: Option<&str>, content: &str) -> String {
    let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
    format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n")
}

/// The whole content of a form: the fields, and each file with its name.
async fn read(mut form: MultipartForm) -> ApiResult<(FileFields, Vec<(Option<String>, String)>)> {
    let (mut said, mut files) = (FileFields::default(), Vec::new());
    loop {
        match form.next(&mut said).await? {
            NextPart::Said => {}
            NextPart::End => return Ok((said, files)),
            NextPart::File(file) => {
                let name = file.name()?.map(|name| name.to_string());
                let mut content = Vec::new();
                let mut stream = std::pin::pin!(file.stream());
                while let Some(piece) = stream.next().await {
                    content.extend_from_slice(&piece.map_err(|error| bad_form(&error))?);
                }
                files.push((name, String::from_utf8(content).expect("text")));
            }
        }
    }
}

#[tokio::test]
async fn a_form_reads_the_same_however_it_is_cut() {
    // An apparent end of the file is part of it.
    let content = "first\r\n--X\r\n--XY\r\nlast".repeat(50);
    let text = [
        part("owner", None, "erna"),
        part("file", Some("Müller.pdf"), &content),
        part("expires_in_seconds", None, "60"),
        "--XX--\r\n".to_owned(),
    ]
    .concat();
    for piece in [1, 2, 3, 7, 64, 1_000_000] {
        let (said, files) = read(form(text.as_bytes(), piece)).await.expect("it is read");
        let owner = Some(PrincipalId::new("erna"));
        assert_eq!(said, FileFields { name: None, owner, keep: Some(Duration::from_secs(60)) });
        assert_eq!(files, [(Some("Müller.pdf".to_owned()), content.clone())], "in pieces of {piece}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_form_is_said() {
    let end = "--XX--\r\n";
    let file = part("file", Some("a"), "hello");
    let long = "x".repeat(5_000);
    for (text, code) in [
        (part("name", None, "../a") + end, "bad_file_name"),
        (part("file", Some("a/b"), "hello") + end, "bad_file_name"),
        (part("expires_in_seconds", None, "soon") + end, "field_invalid"),
        (part("expires_in_seconds", None, "-1") + end, "field_invalid"),
        (part("name", None, "a") + &part("name", None, "b") + end, "field_invalid"),
        (part("nmae", None, "a") + end, "field_unknown"),
        (part("name", None, &long) + end, "field_too_large"),
        (file.clone(), "upload_cut_off"),
        (file[..file.len() - 4].to_owned(), "upload_cut_off"),
        (String::new(), "upload_cut_off"),
        ("no form at all".to_owned(), "upload_cut_off"),
    ] {
        let problem = read(form(text.as_bytes(), 100)).await.expect_err(&text);
        assert_eq!(problem.code.name, code, "{text}: {problem:?}");
    }
    let no_boundary = MultipartForm::of(&headers("content-type", "multipart/form-data"), Body::empty());
    assert_eq!(no_boundary.map(|_| ()).expect_err("refused").code.name, "form_broken");
}

/// Neither the text before the first boundary nor headers may fill the memory.
#[tokio::test]
async fn a_form_that_never_begins_is_given_up() {
    let endless = "x".repeat(1_000);
    for start in ["", "--XX\r\nContent-Disposition: form-data; name=\"file\"\r\nx-more: "] {
        let sent = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = Arc::clone(&sent);
        let first = Bytes::copy_from_slice(start.as_bytes());
        let endless = Bytes::copy_from_slice(endless.as_bytes());
        let pieces = stream::iter(std::iter::once(first).chain(std::iter::repeat(endless)));
        let pieces = pieces.map(move |piece| {
            counted.fetch_add(piece.len(), std::sync::atomic::Ordering::SeqCst);
            Ok::<_, std::io::Error>(piece)
        });
        let read_form =
            MultipartForm::of(&headers("content-type", TYPE), Body::from_stream(pieces)).expect("a form");
        let problem = read(read_form.unwrap_or_else(|_| panic!("a form"))).await.expect_err("given up");
        assert_eq!(problem.code.name, "upload_cut_off");
        assert!(sent.load(std::sync::atomic::Ordering::SeqCst) < 100_000, "it stopped reading");
    }
}
