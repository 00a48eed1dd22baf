use tokio::time::advance;

use super::*;

fn fail(breaker: &Breaker, times: u32) {
    for _ in 0..times {
        breaker.admit().expect("admitted").failed("HTTP 500");
    }
}

fn refused(breaker: &Breaker) -> BreakerPaused {
    breaker.admit().err().expect("refused")
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(start_paused = true)]
async fn five_failures_in_a_row_make_it_rest_and_it_says_why_and_how_long() {
    let breaker = Breaker::default();
    fail(&breaker, 4);
    assert_eq!(breaker.resting(), None);
    fail(&breaker, 1);
    assert_eq!(refused(&breaker), BreakerPaused { reason: "HTTP 500".into(), retry_after: seconds(5) });
    advance(seconds(2)).await;
    assert_eq!(refused(&breaker).retry_after, seconds(3));
    assert_eq!(breaker.resting(), Some(refused(&breaker)));
}

#[tokio::test(start_paused = true)]
async fn a_success_in_between_starts_the_count_over() {
    let breaker = Breaker::default();
    fail(&breaker, 4);
    breaker.admit().expect("admitted").succeeded();
    fail(&breaker, 4);
    assert!(breaker.admit().is_ok());
}

#[tokio::test(start_paused = true)]
async fn what_was_told_nothing_counts_as_nothing() {
    let breaker = Breaker::default();
    fail(&breaker, 4);
    drop(breaker.admit());
    assert!(breaker.admit().is_ok(), "not a failure");
    fail(&breaker, 1);
    assert!(breaker.admit().is_err(), "and not a success");
}

#[tokio::test(start_paused = true)]
async fn after_the_rest_one_probe_at_a_time_is_let_through() {
    let breaker = Breaker::default();
    fail(&breaker, 5);
    advance(seconds(5)).await;
    let probe = breaker.admit().expect("the probe");
    assert_eq!(refused(&breaker).retry_after, PROBE_PAUSE);
    drop(probe);
    let probe = breaker.admit().expect("a probe given back is there for the next");
    probe.succeeded();
    let _first = breaker.admit().expect("closed");
    assert!(breaker.admit().is_ok(), "and for everybody");
    fail(&breaker, 4);
    assert_eq!(breaker.resting(), None, "the count began anew");
}

#[tokio::test(start_paused = true)]
async fn the_rest_doubles_up_to_a_minute_while_probes_fail_and_a_success_resets_it() {
    let breaker = Breaker::default();
    fail(&breaker, 5);
    for rest in [5, 10, 20, 40, 60, 60] {
        assert_eq!(refused(&breaker).retry_after, seconds(rest));
        advance(seconds(rest)).await;
        breaker.admit().expect("the probe").failed("still HTTP 500");
    }
    assert_eq!(refused(&breaker).reason, "still HTTP 500");
    advance(seconds(60)).await;
    breaker.admit().expect("the probe").succeeded();
    fail(&breaker, 5);
    assert_eq!(refused(&breaker).retry_after, seconds(5));
}

#[tokio::test(start_paused = true)]
async fn calls_from_before_the_rest_neither_end_nor_lengthen_it() {
    let breaker = Breaker::default();
    let early = breaker.admit().expect("admitted");
    let another = breaker.admit().expect("admitted");
    fail(&breaker, 5);
    advance(seconds(1)).await;
    early.succeeded();
    another.failed("late");
    assert_eq!(refused(&breaker), BreakerPaused { reason: "HTTP 500".into(), retry_after: seconds(4) });
}

#[tokio::test(start_paused = true)]
async fn a_reason_is_cut_to_a_readable_length() {
    let breaker = Breaker::default();
    for _ in 0..5 {
        breaker.admit().expect("admitted").failed(&"ä".repeat(1000));
    }
    assert_eq!(refused(&breaker).reason.chars().count(), REASON_CHARS_MAX);
}
