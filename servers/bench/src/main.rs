//! The quality and the speed of the capability servers: beside other tools on the same files. `script/bench
//! servers` prepares the files, lets the others read them, and runs this.

#![expect(clippy::print_stdout, reason = "what was measured is what it prints")]

mod keywords;
mod languages;
mod ocr;
mod pdf_text;
mod resumes;
mod speech;
mod speed;
mod subtitles;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;

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
        #[arg(long, env = "TOOLGATE_MODEL")]
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
        Set::Languages { data } => languages::run(&data),
        Set::Resumes { data, models } => resumes::run(&data, models),
        Set::Speech { data, models } => speech::run(&data, models),
        Set::Subtitles { data } => subtitles::run(&data),
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
