//! PDFs, read back.

use capability_documents::{Document, OpenOptions, open};

use crate::article::{Article, Block, ListItem, StyledText, Table, TextRun};
use crate::error::TypesetError;
use crate::made::FinishedFile;
use crate::pdf;
use crate::picture::Picture;
use crate::style::{ContentsLevels, FontSource, Numbering, PageSize, PdfOptions, Standard, Style, Theme};

fn plain() -> PdfOptions {
    PdfOptions { fonts: FontSource::Embedded, ..PdfOptions::default() }
}

fn styled(style: Style) -> PdfOptions {
    PdfOptions { style, ..plain() }
}

fn read(made: &FinishedFile) -> Document {
    open(&made.bytes, Some("pdf"), &OpenOptions::default()).expect("what was made should be readable")
}

fn words(made: &FinishedFile) -> String {
    read(made).text().replace('\u{200B}', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn png(width: u32, height: u32) -> Picture {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(width, height).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    Picture::new(bytes.into_inner()).unwrap()
}

#[test]
fn text_comes_out_in_order() {
    let article = Article::from_markdown(
        "# Title\n\nFirst paragraph.\n\n## Part\n\n- one\n- two\n\n| A | B |\n|---|---|\n| c1 | c2 |\n\n> quoted\n\n1. last",
    )
    .unwrap();
    let made = pdf(&article, &plain()).unwrap();
    assert_eq!(made.pages, Some(1));
    assert_eq!(made.warnings, Vec::<String>::new());
    let words = words(&made);
    let places = ["Title", "First paragraph.", "Part", "one", "two", "A", "c2", "quoted", "last"]
        .map(|word| words.find(word).unwrap_or_else(|| panic!("{word} is missing in {words}")));
    assert!(places.is_sorted(), "{words}");
}

/// Text that looks like code of the typesetter is text.
#[test]
fn text_that_looks_like_code_stays_text() {
    let lines = [
        r#"#read("/etc/passwd")"#,
        r#"#import "@preview/x:1.0.0": *"#,
        r#"#eval("1+1")"#,
        "$x^2$ #sys.version",
        r"\u{1F} *no bold* _no slant_ `no code` <label> @ref",
        "// no comment",
        "/* no comment */",
        "= no heading",
        "#panic()",
        "\"] #read(\"/etc/passwd\") [\"",
    ];
    let blocks = lines.map(Block::paragraph).to_vec();
    let article = Article {
        title: Some(lines[0].to_owned()),
        author: Some(lines[2].to_owned()),
        blocks,
        ..Article::default()
    };
    let header = Some("#read(\"/etc/hosts\")".to_owned());
    let made =
        pdf(&article, &styled(Style { header, footer: Some("#panic()".to_owned()), ..Style::default() }))
            .unwrap();
    let words = words(&made);
    for line in lines {
        assert!(words.contains(line), "{line} is missing in {words}");
    }
    assert!(!words.contains("root:"), "{words}");
}

#[test]
fn every_option_is_kept() {
    let article =
        Article::from_markdown("# Title\n\n## One\n\ntext\n\n### Deep\n\nmore\n\n## Two\n\nend").unwrap();
    let style = Style {
        theme: Theme::Report,
        page: PageSize::A5,
        landscape: true,
        numbering: Numbering::Decimal,
        contents: ContentsLevels::Levels(2),
        header: Some("Running head".to_owned()),
        footer: Some("Running foot".to_owned()),
        columns: 2,
        ..Style::default()
    };
    let made = pdf(&article, &styled(style)).unwrap();
    assert_eq!(made.pages, Some(3), "a page for the title, one for the contents, one for the text");
    let document = read(&made);
    let page = &document.pages[2];
    assert!(
        (page.width - 595.0).abs() < 1.0 && (page.height - 420.0).abs() < 1.0,
        "{} × {}",
        page.width,
        page.height
    );
    let words = words(&made);
    for word in ["Contents", "1.1 Deep", "2 Two"] {
        assert!(words.contains(word), "{word} is missing in {words}");
    }
}

/// Readers take running lines for furniture, so these are searched on the pages themselves.
#[test]
fn running_lines_are_on_every_page() {
    let article = Article::from_markdown("one\n\n<!-- pagebreak -->\n\ntwo").unwrap();
    let lines = |style| {
        let made = pdf(&article, &styled(style)).unwrap();
        made.bytes.len()
    };
    let header = Some("Running head".to_owned());
    let without = lines(Style { page_numbers: Some(false), ..Style::default() });
    assert!(lines(Style { header, page_numbers: Some(false), ..Style::default() }) > without);
    assert!(lines(Style::default()) > without, "pages are numbered unless somebody says otherwise");
}

#[test]
fn standards_are_kept_or_refused() {
    let article =
        Article::from_markdown("# Title\n\n### Deep first\n\ntext with [a link](https://example.com)")
            .unwrap();
    for (standard, mark) in [(Standard::PdfA2b, "pdfaid:part"), (Standard::PdfUa1, "pdfuaid:part")] {
        let made = pdf(&article, &PdfOptions { standard, ..plain() }).unwrap();
        assert!(String::from_utf8_lossy(&made.bytes).contains(mark), "{standard:?}");
    }
    let untitled = Article { title: None, ..article };
    let refused = pdf(&untitled, &PdfOptions { standard: Standard::PdfUa1, ..plain() }).unwrap_err();
    assert!(matches!(refused, TypesetError::Standard { standard: "PDF/UA-1", .. }), "{refused}");
}

#[test]
fn letters_without_a_font_are_named() {
    let article = Article { blocks: vec![Block::paragraph("漢字 and กขค")], ..Article::default() };
    let made = pdf(&article, &plain()).unwrap();
    let all = made.warnings.join("\n");
    assert!(all.contains("fonts-noto-cjk") && all.contains("Thai") && all.contains('漢'), "{all}");
}

#[test]
fn other_scripts_are_set() {
    let article = Article {
        blocks: vec![
            Block::paragraph("שלום עולם"),
            Block::paragraph("Ελληνικά Кириллица"),
            Block::paragraph("e\u{301}a\u{308}"),
        ],
        ..Article::default()
    };
    let made = pdf(&article, &plain()).unwrap();
    assert_eq!(made.warnings, Vec::<String>::new());
    let words = words(&made);
    assert!(words.contains("Ελληνικά Кириллица"), "{words}");
    assert!(words.contains("שלום"), "{words}");
}

#[test]
fn long_words_stay_on_the_page() {
    let word = "0123456789abcdef".repeat(20);
    let link = TextRun {
        link: Some(format!("https://example.com/{word}")),
        ..TextRun::plain(format!("https://example.com/{word}"))
    };
    let cell = StyledText::plain(word.as_str());
    let article = Article {
        blocks: vec![
            Block::paragraph(word.as_str()),
            Block::Paragraph { text: StyledText(vec![link]) },
            Block::Code { text: word.clone(), language: None },
            Block::Table(Table { rows: vec![vec![cell.clone(), cell.clone(), cell]], ..Table::default() }),
        ],
        ..Article::default()
    };
    let document = read(&pdf(&article, &plain()).unwrap());
    for page in &document.pages {
        for line in &page.lines {
            assert!(line.bounds.right <= page.width - 60.0, "{:?} ends at {}", line.text, line.bounds.right);
        }
    }
}

#[test]
fn pictures_are_set_with_their_description() {
    let article = Article {
        blocks: vec![Block::Image {
            data: png(2_000, 40),
            alt: "a line".to_owned(),
            caption: Some("Fig".to_owned()),
        }],
        ..Article::default()
    };
    let made = pdf(&article, &plain()).unwrap();
    assert!(String::from_utf8_lossy(&made.bytes).contains("/XObject"));
    assert!(words(&made).contains("Fig"));
}

#[test]
fn pictures_that_are_bombs_are_refused() {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_luma8(20_000, 20_000).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let refused = Picture::new(bytes.into_inner()).unwrap_err();
    assert!(refused.to_string().contains("20000 × 20000"), "{refused}");
    let whole = png(10, 10).bytes().to_vec();
    assert!(Picture::new(whole[..40].to_vec()).is_err());
    assert!(Picture::from_base64("not base64!").is_err());
}

#[test]
fn the_deepest_list_that_is_allowed_is_set() {
    let mut list = Block::List { ordered: true, start: None, items: vec![ListItem::new("deepest")] };
    for depth in 1..10 {
        let mut item = ListItem::new("item");
        item.blocks.push(list);
        list = match depth % 2 {
            0 => Block::List { ordered: false, start: None, items: vec![item] },
            _ => Block::Quote { blocks: item.blocks },
        };
    }
    let made = pdf(&Article { blocks: vec![list], ..Article::default() }, &plain()).unwrap();
    assert!(words(&made).contains("deepest"));
}

#[test]
fn options_out_of_range_are_refused() {
    let article = Article { blocks: vec![Block::paragraph("x")], ..Article::default() };
    for style in [
        Style { font_size_pt: Some(0.0), ..Style::default() },
        Style { font_size_pt: Some(f64::NAN), ..Style::default() },
        Style { margin_mm: Some(100.0), ..Style::default() },
        Style { margin_mm: Some(-1.0), ..Style::default() },
        Style { columns: 0, ..Style::default() },
    ] {
        let refused = pdf(&article, &styled(style)).unwrap_err();
        assert!(matches!(refused, TypesetError::Option { .. }), "{refused}");
    }
}

#[test]
fn the_same_article_makes_the_same_file() {
    let article = Article::from_markdown("# Title\n\ntext").unwrap();
    assert_eq!(pdf(&article, &plain()).unwrap().bytes, pdf(&article, &plain()).unwrap().bytes);
}

#[test]
fn an_unknown_font_and_language_are_named() {
    let article = Article {
        language: Some("Klingon!".to_owned()),
        blocks: vec![Block::paragraph("x")],
        ..Article::default()
    };
    let made =
        pdf(&article, &styled(Style { font_family: Some("No Such Font".to_owned()), ..Style::default() }))
            .unwrap();
    let all = made.warnings.join("\n");
    assert!(all.contains("Klingon!") && all.contains("No Such Font"), "{all}");
}
