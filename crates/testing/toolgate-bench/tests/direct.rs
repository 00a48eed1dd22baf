//! The benchmark without a gateway: its load generator against its own server, in every case.

use std::process::Command;

use serde_json::Value;

#[test]
fn every_case_runs_directly_without_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json = folder.path().join("report.json");
    let output = Command::new(env!("CARGO_BIN_EXE_toolgate-bench"))
        .args(["run", "--direct-only", "--quick", "--rounds", "1", "--json"])
        .arg(&json)
        .output()
        .expect("the benchmark starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value =
        serde_json::from_slice(&std::fs::read(&json).expect("the report is written")).expect("it is JSON");
    let throughputs: Vec<f64> = report["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| row["what"] == "throughput")
        .map(|row| row["direct"].as_f64().expect("a direct figure"))
        .collect();
    assert_eq!(throughputs.len(), 6);
    assert!(throughputs.iter().all(|calls_per_second| *calls_per_second > 0.0));
    assert_eq!(report["errors"], 0);
}

#[test]
fn a_missing_gateway_is_said_with_a_hint() {
    let output = Command::new(env!("CARGO_BIN_EXE_toolgate-bench"))
        .args(["run", "--toolgate", "no/such/toolgate"])
        .output()
        .expect("the benchmark starts");
    assert!(!output.status.success());
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("no gateway binary at no/such/toolgate") && talk.contains("hint:"), "{talk}");
}

#[test]
fn a_missing_model_is_said_with_a_hint() {
    let output = Command::new(env!("CARGO_BIN_EXE_toolgate-bench"))
        .args(["agents", "--quick", "--model", "no/such/model"])
        .output()
        .expect("the benchmark starts");
    assert!(!output.status.success());
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("no scripted model at no/such/model") && talk.contains("hint:"), "{talk}");
}
