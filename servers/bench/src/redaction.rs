//! Redaction: PDFs are set with secrets in them and redacted; then other programs look for the secrets.
//!
//! The data folder gets `NAME.pdf` (redacted) and `NAME.secrets`, one each line. `others/redaction.py` looks for them with pdftotext, mutool,
//! strings and OCR.

use std::fs;
use std::path::Path;
use std::time::Instant;

use audit_compliance_mcp::redaction::{PictureEyes, RedactionOrder, pdf};
use capability_typeset::{Article, PdfOptions};

/// Files, and pages of text in each.
const FILES: usize = 200;
const PARAGRAPHS: usize = 12;

const GIVEN: [&str; 10] =
    ["Helga", "Ottilie", "Bertram", "Cosima", "Dagmar", "Egbert", "Friedrun", "Gisbert", "Hedwig", "Ingbert"];
const FAMILY: [&str; 10] = [
    "Brandtner",
    "Quandtmann",
    "Zwetschger",
    "Uhlenkamp",
    "Vossberger",
    "Wittelsbach",
    "Xanthakis",
    "Yildizoglu",
    "Tannhauser",
    "Sprengler",
];

/// Redacts the files and says how long that takes.
pub(crate) fn run(data: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(data)?;
    let begin = Instant::now();
    let mut places = 0;
    let eyes = PictureEyes::Blind("no file has a picture".to_owned());
    for number in 0..FILES {
        let name = format!("{} {}", GIVEN[number % 10], FAMILY[number / 10 % 10]);
        let card = card(number as u64);
        let mut markdown = format!("# Statement {number}\n\n");
        for paragraph in 0..PARAGRAPHS {
            markdown.push_str(&format!(
                "Paragraph {paragraph} is about the roof of the town hall and what it costs. {} signed it with the card {card} on the third day.\n\n",
                if paragraph % 3 == 0 { name.as_str() } else { "Nobody" }
            ));
        }
        let article = Article::from_markdown(&markdown).map_err(|error| anyhow::anyhow!("{error}"))?;
        let made = capability_typeset::pdf(&article, &PdfOptions::default())
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        let order = RedactionOrder { terms: vec![name.clone(), card.clone()], ..RedactionOrder::default() };
        let result =
            pdf(&made.bytes, &order, &eyes, &|_, _| {}).map_err(|error| anyhow::anyhow!("{error}"))?;
        places += result.count;
        fs::write(data.join(format!("{number:03}.pdf")), &result.bytes)?;
        let family = name.split(' ').nth(1).unwrap_or_default();
        fs::write(data.join(format!("{number:03}.secrets")), format!("{name}\n{family}\n{card}\n"))?;
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "\nredaction: {FILES} files, {places} places, {:.0} ms for each file",
        seconds * 1000.0 / FILES as f64
    );
    Ok(())
}

/// A card number with a right check digit.
fn card(number: u64) -> String {
    let body = format!("41{:013}", number * 7_919_317 + 1_234_567);
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let digit = u32::from(digit - b'0') * if at % 2 == 0 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}
