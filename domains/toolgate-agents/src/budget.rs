//! The budget of a run from the view of its loop: told at 80 %, one closing answer at 100 %.

use toolgate_core::run::Run;

/// The share of a limit at which the agent is told.
const NEAR_PERCENT: u128 = 80;

/// The limits of which most is used, in words: `8 of 10 turns, 90 of 100 calls`. `None` if there is none.
pub(crate) fn near(run: &Run, now_ms: i64) -> Option<String> {
    let (budget, used) = (run.budget, run.used_at(now_ms));
    let limits = [
        ("turns", budget.turns, used.turns),
        ("calls", budget.calls, used.calls),
        ("bytes", budget.bytes, used.bytes),
        ("seconds", budget.seconds, used.active_ms / 1_000),
        ("tokens", budget.tokens, used.tokens),
        ("millionths of a currency unit", budget.cost_micros, used.cost_micros),
    ];
    let near = limits.into_iter().filter_map(|(name, max, used)| {
        let max = max?;
        let is_near = u128::from(used) * 100 >= u128::from(max) * NEAR_PERCENT;
        is_near.then(|| format!("{used} of {max} {name}"))
    });
    let near: Vec<String> = near.collect();
    (!near.is_empty()).then(|| near.join(", "))
}

/// The limit that ends the work: that of the run, or of a run above it.
pub(crate) fn exhausted(run: &Run, above: &[Run], now_ms: i64) -> Option<&'static str> {
    std::iter::once(run).chain(above).find_map(|run| run.exhausted(now_ms))
}

#[cfg(test)]
pub(crate) mod fixture {
    //! A run for tests.

    use toolgate_core::PrincipalId;
    use toolgate_core::id::RunId;
    use toolgate_core::run::{BudgetUsage, Run, RunBudget, RunLabel, RunManifests, RunReport, RunState};
    use toolgate_core::scope::AgentName;

    pub(crate) fn run(budget: RunBudget, used: BudgetUsage) -> Run {
        Run {
            id: RunId::new("run_1"),
            task: None,
            parent: None,
            agent: AgentName::default_agent(),
            principal: PrincipalId::new("erna"),
            created_by: PrincipalId::new("ada"),
            session: None,
            state: RunState::Running,
            reason: None,
            summary: None,
            input: Vec::new(),
            output: Vec::new(),
            label: RunLabel::default(),
            manifests: RunManifests::default(),
            report: RunReport::default(),
            events: 1,
            budget,
            used,
            created_at_ms: 0,
            started_at_ms: Some(0),
            state_since_ms: 0,
            ended_at_ms: None,
            row_version: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::run::{BudgetUsage, RunBudget};

    use super::fixture::run;
    use super::*;

    const TEN: RunBudget = RunBudget {
        calls: None,
        seconds: None,
        bytes: None,
        turns: Some(10),
        tokens: Some(1_000),
        cost_micros: None,
    };

    #[test]
    fn the_agent_is_told_at_eighty_percent_of_any_limit() {
        let used = |turns, tokens| BudgetUsage { turns, tokens, ..BudgetUsage::default() };
        assert_eq!(near(&run(TEN, used(7, 799)), 0), None);
        assert_eq!(near(&run(TEN, used(8, 0)), 0).as_deref(), Some("8 of 10 turns"));
        assert_eq!(near(&run(TEN, used(9, 800)), 0).as_deref(), Some("9 of 10 turns, 800 of 1000 tokens"));
        let huge = RunBudget { tokens: Some(u64::MAX), ..RunBudget::default() };
        assert_eq!(near(&run(huge, used(0, u64::MAX / 2)), 0), None, "large numbers do not overflow");
    }

    #[test]
    fn time_counts_while_the_run_is_running() {
        let minute = run(RunBudget { seconds: Some(60), ..RunBudget::default() }, BudgetUsage::default());
        assert_eq!(near(&minute, 47_000), None);
        assert_eq!(near(&minute, 48_000).as_deref(), Some("48 of 60 seconds"));
    }

    #[test]
    fn a_limit_of_a_run_above_ends_the_work_too() {
        let free = run(RunBudget::default(), BudgetUsage::default());
        let spent = run(TEN, BudgetUsage { turns: 10, ..BudgetUsage::default() });
        assert_eq!(exhausted(&free, std::slice::from_ref(&free), 0), None);
        assert_eq!(exhausted(&free, std::slice::from_ref(&spent), 0), Some("turns"));
        assert_eq!(exhausted(&spent, &[], 0), Some("turns"));
    }
}
