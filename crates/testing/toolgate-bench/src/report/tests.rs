use super::*;

fn report(rows: Vec<Row>) -> Report {
    Report {
        machine: Machine { cpu: "a CPU".to_owned(), cores: 2, other_load_cores_max: 0.1 },
        settings: ReportSettings {
            rounds: 3,
            warm_up_seconds: 0.5,
            window_seconds: 3.0,
            window_calls: None,
            generator_threads: 2,
            starts: 5,
        },
        rows,
        rounds: Vec::new(),
        calls: 7000,
        errors: 0,
    }
}

fn throughput(direct: Option<f64>, gateway: Option<f64>) -> Row {
    Row::new("small call", "throughput", "calls/s")
        .measured(direct, gateway)
        .judged(Some(ReportTarget::RatioAtLeast(0.45)))
}

#[test]
fn the_median_is_the_middle() {
    assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
    assert_eq!(median([7.0]), 7.0);
}

#[test]
fn one_of_a_hundred_is_above_the_99th_percentile() {
    assert_eq!(p99((1..=100).map(f64::from)), 99.0);
    assert_eq!(p99([3.0, 1.0, 2.0]), 3.0);
    assert_eq!(p95((1..=40).map(f64::from)), 38.0);
}

#[test]
fn a_bound_is_judged_on_the_figure_it_speaks_of() {
    assert_eq!(throughput(Some(100.0), Some(45.0)).pass, Some(true));
    assert_eq!(throughput(Some(100.0), Some(44.0)).pass, Some(false));
    let cpu = |gateway| {
        Row::new("small call", "gateway CPU", "µs")
            .measured(None, gateway)
            .judged(Some(ReportTarget::AtMost(60.0)))
            .pass
    };
    assert_eq!(cpu(Some(60.0)), Some(true));
    assert_eq!(cpu(Some(60.1)), Some(false));
    let start =
        Row::new("start", "ready", "ms").measured(None, Some(100.0)).judged(Some(ReportTarget::Below(100.0)));
    assert_eq!(start.pass, Some(false));
}

#[test]
fn what_was_not_measured_gets_no_verdict() {
    assert_eq!(throughput(Some(100.0), None).pass, None);
    assert_eq!(report(vec![throughput(Some(100.0), None)]).misses(), 0);
    assert_eq!(report(vec![throughput(Some(100.0), Some(1.0))]).misses(), 1);
}

#[test]
fn the_table_is_aligned_and_says_pass_or_fail_in_words() {
    let slow =
        Row::new("start", "ready", "ms").measured(None, Some(123.4)).judged(Some(ReportTarget::Below(100.0)));
    let table = report(vec![throughput(Some(80000.0), Some(40000.0)), slow]).table();
    let expected = [
        "                     direct        gateway  ratio  target",
        "small call",
        "  throughput  80000 calls/s  40000 calls/s   0.50  ratio >= 0.45  pass",
        "start",
        "  ready                             123 ms         < 100 ms       FAIL",
        "",
        "7000 calls, every reply checked, no errors; medians of 3 rounds of 3 s after 0.5 s of warm-up",
        "2 cores, a CPU; other load meanwhile: up to 0.10 cores",
    ];
    assert_eq!(table.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_json_names_target_and_verdict() {
    let json = serde_json::to_value(report(vec![throughput(Some(10.0), Some(5.0))])).expect("it serialises");
    let row = &json["rows"][0];
    assert_eq!(row["ratio"], 0.5);
    assert_eq!(row["target"]["ratio_at_least"], 0.45);
    assert_eq!(row["pass"], true);
}
