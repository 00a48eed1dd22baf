//! The proofs of compatibility beside those of another program, over the same pairs of schemas.

use std::process::Command;

use schema_words::{Inclusion, inclusion};
use serde_json::Value;

use crate::outside::{fetched, repository};

const PAIRS: usize = 300;
/// Pairs that both programs must decide at least.
const DECIDED_MIN: usize = 200;

#[test]
fn another_program_comes_to_the_same_verdicts() {
    let script = repository().join("tests/clients/python/schema_pairs.py");
    let output = Command::new(fetched("python-subschema/bin/python"))
        .arg(script)
        .arg(PAIRS.to_string())
        .output()
        .expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut decided, mut wrong) = (0, Vec::new());
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let [narrow, wide, theirs]: [Value; 3] = serde_json::from_str(line).expect("a pair and a verdict");
        let ours = match inclusion(&narrow, &wide) {
            Inclusion::Proven => true,
            Inclusion::Refuted(_) => false,
            Inclusion::Open(_) => continue,
        };
        let Some(theirs) = theirs.as_bool() else { continue };
        decided += 1;
        if ours != theirs {
            wrong.push(format!("{narrow} within {wide}: {ours} here, {theirs} there"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(decided >= DECIDED_MIN, "both decided {decided} of {PAIRS}");
}
