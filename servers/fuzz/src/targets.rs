//! The use of an input, by target. Errors are fine; panics, hangs and floods are not.

use audit_compliance_mcp::content::PlacedText;
use audit_compliance_mcp::redaction::{self, MarkupKind, PictureEyes, RedactionOrder};
use audit_compliance_mcp::standard::{self, Standard};
use audit_compliance_mcp::{contract, licenses, personal, readability, versions, web};
use capability_documents::{OpenOptions, PageSource, open, pdf};
use capability_language::{KeywordOptions, SummaryLength, SummaryOptions};
use capability_ocr::Picture;
use capability_speech::{AudioInput, AudioReader};
use capability_subtitles::{CueLayout, SubtitleFormat, TimeMap};
use capability_typeset::{Article, DocxOptions, PdfOptions};
use damage::Random;
use job_app_mcp::{SeedData, posting};
use social_intelligence_mcp::{copy, headline, platform};

use crate::{mutate, seeds};

/// A reader of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum ServerTarget {
    /// PDF: text, tables, pictures of pages
    Pdf,
    /// DOCX, ODT, PPTX, XLSX, EPUB
    Office,
    /// HTML, Markdown, text in any encoding
    Web,
    /// Pictures
    Picture,
    /// Markdown and HTML that become PDF and DOCX
    Typeset,
    /// Plain text: keywords, summaries, names, languages
    Text,
    /// Plain text as a resume
    Resume,
    /// Text and pages as job advertisements
    Job,
    /// Plain text as headlines and posts, and as weights
    Social,
    /// PDF as it is written: standards, redaction
    Standards,
    /// Web pages: accessibility; texts: personal data, contracts, licences
    Audit,
    /// SRT, VTT, ASS, TTML, SBV: read, moved, checked, written
    Subtitle,
    /// Text tracks of MP4 and Matroska
    Video,
    /// Sound of WAV, FLAC, MP4 and Matroska
    Sound,
    /// Feeds of job postings, and what a database of applications is filled with
    Feed,
}

/// Enough to see letters.
const DPI: f32 = 36.0;
/// Blocks of sound: a damaged file may promise more.
const BLOCKS_MAX: usize = 2_000;
/// Postings of one feed.
const POSTINGS_MAX: usize = 1_000;

impl damage::FuzzTarget for ServerTarget {
    fn seeds(self) -> Vec<Vec<u8>> {
        match self {
            ServerTarget::Pdf | ServerTarget::Standards => {
                vec![
                    seeds::plain(),
                    seeds::forms(),
                    seeds::scanned(),
                    seeds::encrypted_looking(),
                    typeset_pdf(),
                ]
            }
            ServerTarget::Office => {
                vec![seeds::docx(), seeds::odt(), seeds::pptx(), seeds::xlsx(), seeds::epub(), typeset_docx()]
            }
            ServerTarget::Web => [seeds::texts(), vec![seeds::HTML.into(), seeds::MARKDOWN.into()]].concat(),
            ServerTarget::Audit => [seeds::texts(), vec![seeds::HTML.into()]].concat(),
            ServerTarget::Picture => {
                vec![seeds::png(), seeds::jpeg(), seeds::gif(), seeds::tiff(), seeds::webp()]
            }
            ServerTarget::Typeset => vec![seeds::MARKDOWN.into(), seeds::HTML.into(), seeds::TEXT.into()],
            ServerTarget::Text | ServerTarget::Resume => seeds::texts(),
            ServerTarget::Job => vec![seeds::JOB.into(), seeds::JOB_PAGE.into(), seeds::TEXT.into()],
            ServerTarget::Social => [seeds::texts(), vec![seeds::POST.into()]].concat(),
            ServerTarget::Subtitle => seeds::subtitles(),
            ServerTarget::Video => vec![seeds::mp4(), seeds::mkv()],
            ServerTarget::Sound => [seeds::sounds(), vec![seeds::mp4(), seeds::mkv()]].concat(),
            ServerTarget::Feed => vec![seeds::FEED.into(), seeds::SEED_FILE.into()],
        }
    }

    fn words(self) -> &'static [&'static [u8]] {
        &mutate::WORDS
    }

    fn damaged(self, seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        let seed = random.pick(seeds);
        if seed.starts_with(b"PK") && random.below(4) > 0 {
            return mutate::repacked(seed, random).unwrap_or_else(|| seed.clone());
        }
        damage::mutate::damaged(seeds, self.words(), random)
    }

    fn try_one(self, input: &[u8]) {
        match self {
            ServerTarget::Pdf => read_pdf(input),
            ServerTarget::Office | ServerTarget::Web => read_document(input),
            ServerTarget::Picture => drop(Picture::decode(input)),
            ServerTarget::Typeset => set(&String::from_utf8_lossy(input)),
            ServerTarget::Text => analyse(&String::from_utf8_lossy(input)),
            ServerTarget::Resume => read_resume(&String::from_utf8_lossy(input)),
            ServerTarget::Job => read_job(&String::from_utf8_lossy(input)),
            ServerTarget::Social => judge_post(&String::from_utf8_lossy(input)),
            ServerTarget::Standards => judge(input),
            ServerTarget::Audit => audit(&String::from_utf8_lossy(input)),
            ServerTarget::Subtitle => read_subtitles(input),
            ServerTarget::Video => read_video(input),
            ServerTarget::Sound => hear(input),
            ServerTarget::Feed => read_feed(&String::from_utf8_lossy(input)),
        }
    }
}

fn example() -> Article {
    Article::from_markdown(seeds::MARKDOWN).expect("the seed is good Markdown")
}

/// Like real ones: compressed, with embedded fonts.
fn typeset_pdf() -> Vec<u8> {
    capability_typeset::pdf(&example(), &PdfOptions::default()).expect("the seed can be set").bytes
}

fn typeset_docx() -> Vec<u8> {
    capability_typeset::docx(&example(), &DocxOptions::default()).expect("the seed can be set").bytes
}

fn read_document(input: &[u8]) {
    if let Ok(document) = open(input, None, &OpenOptions::default()) {
        drop((document.text(), document.markdown()));
    }
}

fn read_pdf(input: &[u8]) {
    let Ok(document) = open(input, Some("pdf"), &OpenOptions::default()) else { return };
    drop((document.text(), document.markdown()));
    let shown = document.pages.iter().find(|page| page.source == PageSource::Picture);
    if let Some(page) = shown.or(document.pages.first()) {
        drop(pdf::render(input, page.number, DPI, None));
    }
}

fn set(text: &str) {
    for article in [Article::from_markdown(text), Article::from_html(text)].into_iter().flatten() {
        drop(capability_typeset::pdf(&article, &PdfOptions::default()));
        drop(capability_typeset::docx(&article, &DocxOptions::default()));
        drop((capability_typeset::markdown(&article), capability_typeset::html(&article)));
    }
}

fn analyse(text: &str) {
    drop(capability_language::keywords(text, &KeywordOptions::default(), None));
    let short = SummaryOptions { length: SummaryLength::Sentences(3), focus: None, language: None };
    drop(capability_language::summarize(text, &short, None));
    drop(capability_language::entities(text, &[]));
    let half = text.floor_char_boundary(text.len() / 2);
    drop(capability_language::compare(&text[..half], &text[half..], None));
}

/// Redacted text is gone, or nothing comes back.
fn judge(input: &[u8]) {
    for standard in [Standard::Ua1, Standard::A2b] {
        drop(standard::check(input, standard));
    }
    let order = RedactionOrder { terms: vec!["column".to_owned()], ..RedactionOrder::default() };
    drop(redaction::pdf(input, &order, &PictureEyes::Blind("no OCR here".to_owned()), &|_, _| {}));
}

/// Spans are parts of the text, in its order.
fn audit(text: &str) {
    drop(web::check(text));
    let order =
        RedactionOrder { terms: vec!["column".to_owned(), "é&<".to_owned()], ..RedactionOrder::default() };
    for kind in [MarkupKind::Html, MarkupKind::Markdown] {
        drop(redaction::markup(text, kind, &order));
    }
    let mut last = 0;
    for span in personal::find(text) {
        assert!(last <= span.from && text.get(span.from..span.to).is_some(), "a span of the text");
        last = span.to;
    }
    let placed = PlacedText::of_text(text.to_owned());
    drop((contract::check(&placed), licenses::find(&placed), readability::measure(&placed)));
    let half = text.floor_char_boundary(text.len() / 2);
    drop(versions::compare(&text[..half], &text[half..]));
}

/// Every reported span must be one of the text.
fn read_resume(text: &str) {
    let parsed = resume_profile_mcp::reading::text(text);
    drop(resume_profile_mcp::profile::extract(&parsed));
}

/// Every claim must stand in the text, and every pair of lines must have a probability.
fn judge_post(text: &str) {
    let model = headline::HeadlineModel::shipped();
    let half = text.floor_char_boundary(text.len() / 2);
    let (one, other) = (&text[..half], &text[half..]);
    let probability = headline::HeadlineModel::probability(model.score(one), model.score(other));
    assert!((0.0..=1.0).contains(&probability), "{probability}");
    drop((model.difference(one, other), headline::headline_variants(text)));
    drop(headline::HeadlineModel::parse(text).difference(one, other));
    for claim in copy::claims(text) {
        let said: String =
            text.chars().skip(claim.span.start).take(claim.span.end - claim.span.start).collect();
        assert_eq!(said.replace('’', "'"), claim.text.replace('’', "'"));
    }
    drop((
        copy::appeals(text),
        copy::readability(text),
        copy::suggested_tags(text, 5),
        copy::faulty_tags(text),
    ));
    let given = platform::GivenMedia { text: Some(text.to_owned()), ..platform::GivenMedia::default() };
    for known in &platform::PlatformRules::shipped().platforms {
        known.placements.iter().for_each(|placement| drop(platform::check_media(&given, placement)));
    }
}

/// Every reported place must be one of the text.
fn read_job(text: &str) {
    let Ok(source) = job_search_mcp::reading::JobSource::of_text(text) else { return };
    let (parsed, text) = source.parse();
    for source in parsed.sources.values() {
        if let job_search_mcp::posting::PostingSource::Text(span) = source {
            assert!(!span.of(&text).is_empty(), "a place without text");
        }
    }
    for span in job_search_mcp::skills::find(&text) {
        assert!(!text[span.start..span.end].is_empty());
    }
}

/// What was read can be moved, checked, laid out and written in every format, and read again.
fn read_subtitles(input: &[u8]) {
    for hint in [None, Some(SubtitleFormat::Srt), Some(SubtitleFormat::Vtt)] {
        let Ok((_, read)) = capability_subtitles::parse(input, hint) else { continue };
        let rate = "29.97df".parse().expect("a frame rate");
        for profile in capability_subtitles::profiles() {
            drop(capability_subtitles::check(&read, profile, rate));
        }
        let moved = TimeMap { numerator: 25_025, denominator: 24_000, offset_ms: -1500 }.apply(&read);
        let layout = CueLayout { line_chars: 20, lines: 2, duration_ms_max: 5000, merge_gap_ms: 200 };
        for one in [capability_subtitles::lay_out(&read, &layout), moved, read] {
            for format in SubtitleFormat::ALL {
                let written = capability_subtitles::write(&one, format);
                drop(capability_subtitles::parse(written.text.as_bytes(), Some(format)));
            }
        }
    }
}

fn read_video(input: &[u8]) {
    let mut file = std::io::Cursor::new(input);
    for track in capability_subtitles::tracks(&mut file).unwrap_or_default() {
        drop(capability_subtitles::read_track(&mut file, track.number));
    }
}

/// Samples are numbers from -1 to 1, and a file does not last forever.
fn hear(input: &[u8]) {
    let Ok(mut reader) = AudioReader::open(AudioInput::Bytes(input.to_vec()), None) else { return };
    for _ in 0..BLOCKS_MAX {
        let Ok(Some(block)) = reader.next_block() else { return };
        assert!(block.iter().all(|it| (-1.5..=1.5).contains(it)), "a sample is a number near 1 at most");
    }
}

/// A posting that is taken can be told from others.
fn read_feed(text: &str) {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return };
    for one in posting::collect(value.clone(), POSTINGS_MAX) {
        if let Ok(listing) = posting::read(&one) {
            assert!(!listing.keys.is_empty() && !listing.title.is_empty(), "a posting has a key and a title");
        }
    }
    drop(SeedData::read(value));
}
