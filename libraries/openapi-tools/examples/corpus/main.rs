//! The importer on many documents: `cargo run --profile dist -p openapi-tools --example corpus -- measure|calls …`.
//!
//! `measure FOLDER [--github FILE]` reads every document below a folder on two threads, makes its tools, and compiles their input
//! schemas. `calls FILE COUNT` prints calls that are built from the schemas of a document, one JSON a line.

mod calls;
mod measure;
mod pattern;
mod values;

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["measure", folder] => measure::run(folder, None),
        ["measure", folder, "--github", file] => measure::run(folder, Some(file)),
        ["calls", file, count] => count.parse().map_or(ExitCode::FAILURE, |count| calls::run(file, count)),
        _ => {
            say("corpus measure FOLDER [--github FILE] | corpus calls FILE COUNT");
            ExitCode::FAILURE
        }
    }
}

/// Writes a line. A reader that is gone needs none.
fn say(text: &str) {
    writeln!(std::io::stdout().lock(), "{text}").ok();
}
