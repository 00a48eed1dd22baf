use super::*;

fn run(state: RunState) -> Run {
    Run {
        id: RunId::new("run_1"),
        task: None,
        parent: None,
        agent: AgentName::new("a").unwrap(),
        principal: PrincipalId::new("p"),
        created_by: PrincipalId::new("p"),
        session: None,
        state,
        reason: None,
        summary: None,
        input: Vec::new(),
        output: Vec::new(),
        label: RunLabel::default(),
        manifests: RunManifests::default(),
        report: RunReport::default(),
        events: 1,
        budget: RunBudget { calls: Some(2), seconds: Some(10), ..RunBudget::default() },
        used: BudgetUsage { calls: 1, bytes: 7, active_ms: 4_000, ..BudgetUsage::default() },
        created_at_ms: 0,
        started_at_ms: None,
        state_since_ms: 1_000,
        ended_at_ms: None,
        row_version: 3,
    }
}

#[test]
fn the_steps_of_a_run_are_those_of_its_machine() {
    use RunState::*;
    for from in RunState::ALL {
        for to in RunState::ALL {
            let allowed = match from {
                Pending => matches!(to, Running | Completed | Partial | Failed | Cancelled),
                Running => matches!(to, Paused | Completed | Partial | Failed | Cancelled),
                Paused => matches!(to, Running | Completed | Partial | Failed | Cancelled),
                _ => false,
            };
            let stepped = run(from).become_state(to, "why", 5_000);
            assert_eq!(stepped.is_ok(), allowed, "{from:?} → {to:?}");
            let code = if from.is_final() { "run_ended" } else { "run_state" };
            assert!(stepped.map_err(|refusal| refusal.code.name == code).err().unwrap_or(true));
        }
        assert_eq!(RunState::parse(from.as_str()), Some(from));
    }
}

#[test]
fn only_time_in_which_it_runs_counts() {
    let paused = run(RunState::Running).become_state(RunState::Paused, "input", 3_000).unwrap();
    assert_eq!((paused.used.active_ms, paused.reason.as_deref()), (6_000, Some("input")));
    let resumed = paused.become_state(RunState::Running, "", 60_000).unwrap();
    assert_eq!((resumed.used.active_ms, resumed.reason), (6_000, None));
    assert_eq!((resumed.started_at_ms, resumed.row_version), (Some(60_000), 5));
    assert_eq!(run(RunState::Paused).used_at(90_000).active_ms, 4_000);
}

#[test]
fn a_budget_is_reached_at_its_limit_and_not_before() {
    let run = run(RunState::Running);
    assert_eq!(run.exhausted(6_999), None);
    assert_eq!(run.exhausted(7_000), Some("seconds"));
    let spent = Run { used: BudgetUsage { calls: 2, ..run.used }, ..run.clone() };
    assert_eq!(spent.exhausted(1_000), Some("calls"));
    let left = run.budget.less(run.used_at(1_000));
    assert_eq!((left.calls, left.seconds, left.bytes), (Some(1), Some(6), None));
    let both = RunBudget { bytes: Some(9), ..RunBudget::default() }.within(left);
    assert_eq!((both.calls, both.bytes), (Some(1), Some(9)));
}
