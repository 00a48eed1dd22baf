//! Books, chapter by chapter.

use crate::testing::{epub, read, refused};
use crate::{DocumentError, OpenOptions, open};

#[test]
fn chapters_are_pages_in_the_order_of_the_spine() {
    let document = read(&epub(&["<h1>One</h1><p>It begins.</p>", "<h1>Two</h1><p>It ends.</p>"], &[]));
    assert_eq!(document.markdown(), "# One\n\nIt begins.\n\n# Two\n\nIt ends.");
    assert_eq!((document.page_count, document.pages[1].number), (2, 2));
    assert_eq!(document.facts.title.as_deref(), Some("The Book"));
    assert_eq!(document.facts.author.as_deref(), Some("Ann Author, Bob"));
}

#[test]
fn one_chapter_can_be_read_alone_and_one_beyond_is_refused() {
    let bytes = epub(&["<p>a</p>", "<p>b</p>"], &[]);
    let wanted = |pages: &str| OpenOptions { pages: Some(pages.parse().unwrap()), ..OpenOptions::default() };
    assert_eq!(open(&bytes, None, &wanted("2")).unwrap().text(), "b");
    assert_eq!(open(&bytes, None, &wanted("3")), Err(DocumentError::NoSuchPage { asked: 3, pages: 2 }));
}

#[test]
fn a_book_that_a_shop_locked_is_locked() {
    let encryption = |part: &str| {
        let text = format!(r#"<encryption><enc:CipherReference URI="{part}"/></encryption>"#);
        epub(&["<p>a</p>"], &[("META-INF/encryption.xml", text)])
    };
    assert_eq!(
        refused(&encryption("OEBPS/text/c 1.xhtml")),
        DocumentError::Locked { format: "electronic book" }
    );
    assert_eq!(read(&encryption("OEBPS/fonts/a.otf")).text(), "a");
}

#[test]
fn a_book_without_its_description_is_damaged() {
    let bytes = crate::testing::zip_of(&[("mimetype", "application/epub+zip".into())]);
    assert!(matches!(refused(&bytes), DocumentError::Damaged { .. }));
}
