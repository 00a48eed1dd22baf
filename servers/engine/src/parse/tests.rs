//! Files of several formats, and the documents that they become.

use capability_documents::{Block, BlockPlace, Bounds, Page, PageSource, PlacedLine, PlacedSpan, Table};
use capability_ocr::{Break, Picture, Point, Polygon, TextLine};
use docir::{CitationStanding, DocIr, ItemKind, check, cite};
use engine_protocol::{ContentId, DocumentTier, EngineErrorCode, PagePicture, Parse};

use super::captions::{Captioned, captioned};
use super::entries::{PageEntry, entries};
use super::parsed::{ParseTools, ParsedBytes};
use super::{naming, ocr_text, parse, picture};

fn request(name: &str, tier: DocumentTier) -> Parse {
    let artifact = ContentId::try_from("0123456789abcdef".repeat(4)).unwrap();
    Parse { artifact, media_type: None, file_name: Some(name.to_owned()), tier }
}

fn parsed(bytes: &[u8], name: &str, tier: DocumentTier) -> (ParsedBytes, DocIr) {
    let parsed = parse(bytes, &request(name, tier), &ParseTools::default()).unwrap();
    let document = DocIr::read(&parsed.docir).unwrap();
    assert_eq!(document.write(), parsed.docir);
    (parsed, document)
}

/// A PDF of one page with Helvetica as `F`.
fn pdf(content: &str) -> Vec<u8> {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F {font} >> >> /Contents 4 0 R >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    file +=
        &format!("{table}trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    file.into_bytes()
}

fn text_at(x: f32, y: f32, size: f32, text: &str) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

#[test]
fn a_pdf_has_the_place_of_each_word() {
    let content = [
        text_at(50.0, 740.0, 20.0, "The Park"),
        text_at(50.0, 700.0, 10.0, "Gates of the park open at nine and they close at dusk, when"),
        text_at(50.0, 688.0, 10.0, "the last guests go home."),
    ];
    let (facts, document) = parsed(&pdf(&content.concat()), "a/park.pdf", DocumentTier::Standard);
    assert_eq!(
        (facts.media_type.as_str(), facts.pages, facts.items, facts.confidence),
        ("application/pdf", 1, 2, 1.0)
    );
    assert_eq!((document.name(), document.title()), ("park", Some("The Park")));
    assert_eq!(document.origin().unwrap().binary_hash, 0x0123_4567_89ab_cdef);
    assert_eq!(document.page_size(1), Some((600.0, 800.0)));
    let text = document.text("#/texts/1").unwrap().into_owned();
    let start = text.find("dusk").unwrap();
    let citation = cite(&document, "aa", "bb", "#/texts/1", start..text.len()).unwrap();
    assert_eq!(check(&document, &citation), CitationStanding::Verified);
    let [first, second] = citation.quads[..] else { panic!("{:?}", citation.quads) };
    assert!(
        first.left > 200.0 && first.right < 400.0 && first.top > 92.0 && first.bottom < 103.0,
        "{first:?}"
    );
    assert!((second.left - 50.0).abs() < 0.1 && second.top > 104.0, "{second:?}");
}

#[test]
fn the_fast_tier_reads_words_and_no_tables() {
    let mut content = "50 640 300 100 re S 50 690 m 350 690 l S 200 640 m 200 740 l S\n".to_owned();
    for (x, y, text) in
        [(60.0, 710.0, "Name"), (210.0, 710.0, "Age"), (60.0, 660.0, "Ada"), (210.0, 660.0, "36")]
    {
        content += &text_at(x, y, 10.0, text);
    }
    let content = text_at(50.0, 750.0, 10.0, "Table 1. People of note") + &content;
    let (facts, document) = parsed(&pdf(&content), "table.pdf", DocumentTier::Standard);
    assert_eq!(facts.tables, 1);
    assert_eq!(document.text("#/tables/0").as_deref(), Some("Name | Age\nAda | 36"));
    assert_eq!(document.caption("#/tables/0").as_deref(), Some("Table 1. People of note"));
    assert_eq!(document.quads("#/tables/0", 13..17).len(), 1);
    let (facts, document) = parsed(&pdf(&content), "table.pdf", DocumentTier::Fast);
    assert_eq!(facts.tables, 0);
    assert!(document.items().iter().any(|item| item.text.contains("Ada")));
}

#[test]
fn a_web_page_has_structure_and_spans_but_no_places() {
    let page = "<html><body><h1>Rules</h1><p>Be kind.</p><ul><li>one<ul><li>inner</li></ul></li></ul>
        <table><tr><th></th><th>May</th><th>June</th></tr><tr><td rowspan=2>Park</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>
        <pre>x = 1</pre></body></html>";
    let (facts, document) = parsed(page.as_bytes(), "rules.html", DocumentTier::Deep);
    assert_eq!((facts.media_type.as_str(), facts.tables, facts.warnings.len()), ("text/html", 1, 0));
    let kinds: Vec<ItemKind> = document.items().iter().map(|item| item.kind).collect();
    use ItemKind::{Code, Heading, ListItem, Paragraph, Table};
    assert_eq!(kinds, [Heading { level: 1 }, Paragraph, ListItem, ListItem, Table, Code]);
    let (_, table) = document.tables().next().unwrap();
    let park = table.cells().iter().find(|cell| cell.text == "Park").unwrap();
    assert_eq!((park.row_span, park.row_header, park.column_header), (2, true, false));
    assert_eq!(table.cells().len(), 8, "the covered place has no cell");
    let citation = cite(&document, "aa", "bb", "#/texts/1", 0..8).unwrap();
    assert_eq!((citation.page, citation.quads.len()), (None, 0));
}

#[test]
fn a_picture_is_a_page_that_only_the_deep_tier_reads() {
    let bytes = Picture::from_rgb(90, 60, vec![200; 90 * 60 * 3]).unwrap().png().unwrap();
    let (facts, document) = parsed(&bytes, "scan.png", DocumentTier::Standard);
    assert_eq!((facts.media_type.as_str(), facts.confidence), ("image/png", 0.0));
    assert_eq!(
        facts.warnings,
        ["page 1 consists of pictures without text, which were not read; the tier `deep` reads them"]
    );
    assert_eq!(document.items()[0].kind, ItemKind::Picture);
    let (facts, _) = parsed(&bytes, "scan.png", DocumentTier::Deep);
    assert!(facts.warnings[0].contains("no folder of models"), "{:?}", facts.warnings);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let refused = |bytes: &[u8]| {
        parse(bytes, &request("x.bin", DocumentTier::Fast), &ParseTools::default()).unwrap_err()
    };
    let mut cut = pdf("");
    cut.truncate(40);
    let cut_picture = &Picture::from_rgb(90, 60, vec![7; 90 * 60 * 3]).unwrap().png().unwrap()[..40];
    for bytes in [&b""[..], b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", &cut, cut_picture] {
        let fault = refused(bytes);
        assert_eq!(fault.code, EngineErrorCode::Unreadable, "{fault:?}");
        assert!(fault.hint.is_some() && !fault.message.is_empty());
    }
}

fn drawn(bytes: &[u8], page: u32, width: u32) -> Result<(u32, u32, f32), EngineErrorCode> {
    let artifact = ContentId::try_from("0".repeat(64)).unwrap();
    let request = PagePicture { artifact, media_type: None, page, width };
    let drawn = picture(bytes, &request).map_err(|fault| fault.code)?;
    let decoded = Picture::decode(&drawn.png).unwrap();
    assert_eq!((decoded.width(), decoded.height()), (drawn.width, drawn.height));
    Ok((drawn.width, drawn.height, drawn.page_width))
}

#[test]
fn pages_are_drawn_as_wide_as_asked() {
    let file = pdf(&text_at(50.0, 700.0, 10.0, "Words"));
    assert_eq!(drawn(&file, 1, 300), Ok((300, 400, 600.0)));
    assert_eq!(drawn(&file, 2, 300), Err(EngineErrorCode::BadRequest));
    let scan = Picture::from_rgb(90, 60, vec![200; 90 * 60 * 3]).unwrap().png().unwrap();
    assert_eq!(drawn(&scan, 1, 45), Ok((45, 30, 90.0)));
    assert_eq!(drawn(b"# A heading\n\nText.", 1, 300), Err(EngineErrorCode::Unsupported));
    assert_eq!(drawn(b"", 1, 300), Err(EngineErrorCode::Unreadable));
}

fn read_line(text: &str, top: f32, before: Break, confidence: f32) -> TextLine {
    let bounds = capability_ocr::Bounds {
        left: 100.0,
        top,
        right: 100.0 + text.len() as f32 * 10.0,
        bottom: top + 20.0,
    };
    let corners = [
        (bounds.left, top),
        (bounds.right, top),
        (bounds.right, bounds.bottom),
        (bounds.left, bounds.bottom),
    ];
    let polygon = Polygon(corners.map(|(x, y)| Point::new(x, y)));
    TextLine { text: text.to_owned(), confidence, polygon, bounds, before }
}

#[test]
fn lines_of_a_scan_become_paragraphs_with_places() {
    let lines = [
        read_line("Gates open at", 10.0, Break::Paragraph, 0.9),
        read_line("nine every morn-", 40.0, Break::Line, 0.7),
        read_line("ing.", 70.0, Break::Line, 0.8),
        read_line("Dogs stay out.", 120.0, Break::Paragraph, 0.5),
    ];
    let found = ocr_text::blocks(&lines, 0.5);
    let expected = ["Gates open at nine every morning.", "Dogs stay out."];
    assert_eq!(found.blocks, expected.map(|text| Block::Paragraph(text.to_owned())));
    assert!((0.75..0.85).contains(&found.confidences[0]) && (found.confidences[1] - 0.5).abs() < 1e-6);
    let [first, second, third] = &found.places[0].lines[..] else { panic!("three lines") };
    assert_eq!(
        [(first.start, first.end), (second.start, second.end), (third.start, third.end)],
        [(0, 13), (14, 29), (29, 33)]
    );
    let open = first.words[1];
    assert_eq!((open.start, open.end), (6, 10));
    assert!(open.left > 75.0 && open.left < 80.0 && open.right > 100.0 && open.right < 105.0, "{open:?}");
}

#[test]
fn captions_are_known_by_name_and_number() {
    for (text, of) in [
        ("Table 3. Sizes of gates", Some(Captioned::Table)),
        ("Fig. 2a: A gate", Some(Captioned::Picture)),
        ("Abbildung IV", Some(Captioned::Picture)),
        ("Table of contents", None),
        ("table 3 says so", None),
        ("Figure it out", None),
        ("", None),
    ] {
        assert_eq!(captioned(text), of, "{text:?}");
    }
}

#[test]
fn a_picture_stands_before_the_text_below_it() {
    let line = |top: f32| {
        let bounds = Bounds { left: 50.0, top, right: 300.0, bottom: top + 10.0 };
        let words = vec![PlacedSpan { start: 0, end: 1, left: 50.0, right: 300.0 }];
        BlockPlace { lines: vec![PlacedLine { bounds, start: 0, end: 1, words }] }
    };
    let pictures = vec![
        Bounds { left: 0.0, top: 0.0, right: 600.0, bottom: 800.0 },
        Bounds { left: 60.0, top: 120.0, right: 200.0, bottom: 300.0 },
    ];
    let page = Page {
        number: 1,
        source: PageSource::Text,
        blocks: vec![
            Block::Paragraph("a".into()),
            Block::Paragraph("b".into()),
            Block::Table(Table::default()),
        ],
        places: vec![line(100.0), line(310.0), BlockPlace::default()],
        pictures,
        width: 600.0,
        height: 800.0,
        ..Page::default()
    };
    let kinds: Vec<bool> =
        entries(&page, None).iter().map(|entry| matches!(entry, PageEntry::Picture(_))).collect();
    assert_eq!(kinds, [false, true, false, false], "the background is none");
}

#[test]
fn titles_of_programs_and_files_are_no_titles() {
    assert_eq!(naming::title(Some("Microsoft Word - The Park")).as_deref(), Some("The Park"));
    for said in ["", "untitled", "report_final.docx", "12", "Document"] {
        assert_eq!(naming::title(Some(said)), None, "{said:?}");
    }
    let nameless = Parse { file_name: None, ..request("", DocumentTier::Fast) };
    assert_eq!(naming::name(&nameless), "0123456789ab");
    assert_eq!(naming::name(&request(".profile", DocumentTier::Fast)), ".profile");
}
