use super::*;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn place(instance: &str) -> InstanceKey {
    (ServerName::new("files").expect("a name"), InstanceId::new(instance).expect("an id"))
}

fn with(instances: &[&str], lease: Duration, now: Duration) -> Leases {
    let mut leases = Leases::default();
    leases.see(instances.iter().map(|id| (place(id), 1, lease)), now);
    leases.look(now);
    leases
}

/// Looks each second from `from` until `until`, and tells when who was first found to have run out.
fn first_run_out(leases: &mut Leases, from: u64, until: u64) -> Option<(u64, Vec<String>)> {
    (from..=until).find_map(|at| {
        let out = leases.look(seconds(at));
        let names: Vec<String> = out.iter().map(|one| one.place.1.to_string()).collect();
        (!names.is_empty()).then_some((at, names))
    })
}

#[test]
fn an_instance_that_is_silent_for_longer_than_its_lease_runs_out() {
    let mut leases = with(&["one"], seconds(5), seconds(100));
    assert_eq!(first_run_out(&mut leases, 101, 120), Some((106, vec!["one".into()])));
}

#[test]
fn a_counter_that_moves_renews_and_one_that_stands_still_does_not() {
    let mut leases = with(&["one", "two"], seconds(5), seconds(0));
    for at in 1..=5 {
        leases.see([(place("one"), 1 + at, seconds(5)), (place("two"), 1, seconds(5))], seconds(at));
        assert_eq!(leases.look(seconds(at)), []);
    }
    let out = leases.look(seconds(6));
    assert_eq!(out, [RunOut { place: place("two"), beat: 1 }]);
}

#[test]
fn a_heartbeat_that_came_here_counts_at_once() {
    let mut leases = with(&["one"], seconds(5), seconds(0));
    assert_eq!(first_run_out(&mut leases, 1, 4), None);
    leases.heard(place("one"), 2, seconds(5), seconds(4));
    assert_eq!(leases.left(&place("one"), seconds(5)), Some(seconds(4)));
    assert_eq!(first_run_out(&mut leases, 5, 20), Some((10, vec!["one".into()])));
}

#[test]
fn a_pause_of_the_machine_takes_nobody_out() {
    let mut leases = with(&["one", "two"], seconds(5), seconds(0));
    assert_eq!(first_run_out(&mut leases, 1, 3), None);
    // Nothing ran for ten minutes.
    assert_eq!(leases.look(seconds(603)), []);
    // The rest of the lease before the pause is unchanged after it.
    assert_eq!(leases.left(&place("one"), seconds(603)), Some(seconds(2)));
    assert_eq!(first_run_out(&mut leases, 604, 620), Some((606, vec!["one".into(), "two".into()])));
}

#[test]
fn a_lease_that_began_in_the_pause_is_not_made_longer_than_a_lease() {
    let mut leases = with(&["one"], seconds(5), seconds(0));
    leases.heard(place("one"), 2, seconds(5), seconds(599));
    assert_eq!(leases.look(seconds(600)), []);
    assert_eq!(leases.left(&place("one"), seconds(600)), Some(seconds(5)));
}

#[test]
fn what_the_store_no_longer_has_is_forgotten_and_what_is_new_gets_a_full_lease() {
    let mut leases = with(&["one"], seconds(5), seconds(0));
    leases.see([(place("two"), 7, seconds(30))], seconds(1));
    assert_eq!(leases.left(&place("one"), seconds(1)), None);
    assert_eq!(leases.left(&place("two"), seconds(1)), Some(seconds(30)));
    leases.forget(&place("two"));
    assert_eq!(first_run_out(&mut leases, 2, 60), None);
}

#[test]
fn a_clock_that_seems_to_go_back_takes_nobody_out() {
    let mut leases = with(&["one"], seconds(5), seconds(100));
    assert_eq!(leases.look(seconds(99)), []);
    assert_eq!(leases.left(&place("one"), seconds(99)), Some(seconds(5)));
}
