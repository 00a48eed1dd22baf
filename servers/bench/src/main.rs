//! The quality and the speed of the capability servers: beside other tools on the same files. `script/bench
//! servers` prepares the files, lets the others read them, and runs this.

#![expect(clippy::print_stdout, reason = "what was measured is what it prints")]

mod citations;
mod headlines;
mod jobs;
mod json_lines;
mod keywords;
mod labels;
mod languages;
mod ocr;
mod pdf_standards;
mod pdf_text;
mod personal_data;
mod redaction;
mod resumes;
mod speech;
mod speed;
mod subtitles;
mod tables;
mod tantivy_words;
mod tokens;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Parser, Subcommand};

/// Scores of the capability servers beside other tools', on files that were prepared by servers/bench/others
#[derive(Parser)]
struct ServerBenchArguments {
    #[command(subcommand)]
    set: Set,
}

#[derive(Subcommand)]
enum Set {
    /// Words and reading order of PDFs
    PdfText { data: PathBuf },
    /// Tables of PDFs
    Tables { data: PathBuf },
    /// Text of pictures
    Ocr {
        data: PathBuf,
        /// The folder that script/ocr-model fills
        #[arg(long, env = "CAPABILITY_OCR_MODELS")]
        models: Option<PathBuf>,
    },
    /// Key phrases of abstracts
    Keywords {
        data: PathBuf,
        /// The folder that script/model fills
        #[arg(long, env = "TOOLGATE_MODEL", value_parser = OsStringValueParser::new().map(PathBuf::from))]
        model: Option<PathBuf>,
    },
    /// Labels of news articles
    Labels {
        data: PathBuf,
        /// The folder that script/model fills
        #[arg(long, env = "TOOLGATE_MODEL", value_parser = OsStringValueParser::new().map(PathBuf::from))]
        model: Option<PathBuf>,
    },
    /// Languages of paragraphs
    Languages { data: PathBuf },
    /// Fields of resumes
    Resumes {
        data: PathBuf,
        /// The folder that script/ocr-model fills
        #[arg(long, env = "CAPABILITY_OCR_MODELS")]
        models: Option<PathBuf>,
    },
    /// Skills, fields and duplicates of job advertisements
    Jobs {
        /// The folder of SkillSpan
        data: PathBuf,
        /// The advertisements of this project
        #[arg(long, default_value = "servers/job-search-mcp/corpus")]
        corpus: PathBuf,
    },
    /// Which of two headlines was clicked more often
    Headlines { data: PathBuf },
    /// Verdicts on PDFs by PDF/UA-1 and PDF/A-2b
    PdfStandards {
        data: PathBuf,
        /// Print every wrong verdict
        #[arg(long)]
        each: bool,
    },
    /// Personal data in texts
    PersonalData { data: PathBuf },
    /// Files with secrets, redacted
    Redaction { data: PathBuf },
    /// Words of spoken clips
    Speech {
        /// A folder of WAV files, each with its words in a TXT file
        data: PathBuf,
        /// The folder that script/speech-model fills
        #[arg(long, env = "CAPABILITY_SPEECH_MODELS")]
        models: Option<PathBuf>,
    },
    /// IMSC documents: parsed, and unchanged by a round trip
    Subtitles { data: PathBuf },
    /// Citations of places, for script/bench index
    Citations {
        /// Lines of JSON, each a file with a DocIR and a place in it
        places: PathBuf,
    },
    /// Rankings by tantivy with its defaults, for script/bench index
    TantivyWords {
        /// A folder of documents.jsonl and queries.jsonl
        data: PathBuf,
        /// One of tantivy's own
        #[arg(long, default_value = "en_stem")]
        tokenizer: String,
    },
    /// Tokens of typical answers
    Tokens {
        /// The folder of the programs
        programs: PathBuf,
    },
    /// Start-up, one parse, ten at once
    Speed {
        /// The folder of the programs
        programs: PathBuf,
    },
}

fn main() -> ExitCode {
    let measured = match ServerBenchArguments::parse().set {
        Set::PdfText { data } => pdf_text::run(&data),
        Set::Tables { data } => tables::run(&data),
        Set::Ocr { data, models } => ocr::run(&data, models),
        Set::Keywords { data, model } => keywords::run(&data, model),
        Set::Labels { data, model } => labels::run(&data, model),
        Set::Languages { data } => languages::run(&data),
        Set::Resumes { data, models } => resumes::run(&data, models),
        Set::Jobs { data, corpus } => jobs::run(&data, &corpus),
        Set::Headlines { data } => headlines::run(&data),
        Set::PdfStandards { data, each } => pdf_standards::run(&data, each),
        Set::PersonalData { data } => personal_data::run(&data),
        Set::Redaction { data } => redaction::run(&data),
        Set::Speech { data, models } => speech::run(&data, models),
        Set::Subtitles { data } => subtitles::run(&data),
        Set::Citations { places } => citations::run(&places),
        Set::TantivyWords { data, tokenizer } => tantivy_words::run(&data, &tokenizer),
        Set::Tokens { programs } => tokens::run(&programs),
        Set::Speed { programs } => speed::run(&programs),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
