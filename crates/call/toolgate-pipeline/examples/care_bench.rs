//! The cost of looking through arguments and results: `cargo run --release -p toolgate-pipeline --example care_bench`.
//!
//! Redaction, which every recorded call has, and filters for personal data and secrets, which an operator may switch on, over
//! arguments and results without anything to find and with one secret in them. `script/bench governed` measures whole calls.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate_core::RawJson;
use toolgate_pipeline::filter::{
    FilterAction, FilterRule, FilterSide, FilteredTraffic, Filters, known_kinds,
};
use toolgate_pipeline::redact::{MarkStyle, Redactor};

const TOOL: &str = "mail:send";
const MEASURED: Duration = Duration::from_millis(400);
const ROUNDS: usize = 5;
const SECRET: &str = "AKIAIOSFODNN7EXAMPLE";

/// The median of some rounds, in microseconds for each time.
fn measure(mut once: impl FnMut()) -> f64 {
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let (begun, mut count) = (Instant::now(), 0u32);
            while begun.elapsed() < MEASURED {
                once();
                count += 1;
            }
            begun.elapsed().as_secs_f64() * 1e6 / f64::from(count)
        })
        .collect();
    rounds.sort_unstable_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

/// Prose of about so many bytes, as arguments.
fn arguments(bytes: usize, secret: bool) -> Value {
    let mut text = String::new();
    while text.len() < bytes {
        write!(
            text,
            "On day {} the committee met in room 7 and agreed on nothing in particular. ",
            text.len() % 365
        )
        .expect("a String grows");
    }
    if secret {
        text.push_str(SECRET);
    }
    json!({ "to": ["ann", "bob"], "subject": "Minutes", "body": text, "urgent": false })
}

fn main() {
    let redactor = Redactor::new(Vec::new()).expect("no rules");
    let kinds = known_kinds().into_iter().filter(|(name, _)| ["personal", "secrets"].contains(name));
    let rule = FilterRule {
        name: "care".into(),
        on: FilteredTraffic::Both,
        tools: vec!["*".into()],
        pattern: None,
        kinds: kinds.map(|(_, kind)| kind).collect(),
        action: FilterAction::Mask,
        approvers: Vec::new(),
    };
    let filters = Filters::new(&[rule]).expect("a rule");
    let watch = filters.on(FilterSide::Arguments, TOOL).expect("it looks at everything");
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{:>8} {:>7} {:>16} {:>14} {:>14}",
        "bytes", "secret", "redact arguments", "redact result", "filter"
    )
    .expect("stdout is open");
    for bytes in [256, 1 << 10, 4 << 10, 64 << 10] {
        for secret in [false, true] {
            let arguments = arguments(bytes, secret);
            let result = RawJson::from(json!({ "content": [{ "type": "text", "text": arguments["body"] }] }));
            let text = arguments.to_string();
            let input =
                measure(|| drop(black_box(redactor.redact_input(TOOL, &arguments, MarkStyle::Plain))));
            let output = measure(|| drop(black_box(redactor.redact_output(TOOL, &result))));
            let sifted = measure(|| drop(black_box(watch.sift(&text))));
            writeln!(out, "{bytes:>8} {secret:>7} {input:>13.2} µs {output:>11.2} µs {sifted:>11.2} µs")
                .expect("stdout is open");
        }
    }
}
