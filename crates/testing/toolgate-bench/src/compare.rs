//! The main run: the same load directly on the fast server and through the gateway, in turn.
//!
//! Lives here: the cases, their targets, the order of rounds. Does not live here: one round (`load`), the gateway's start
//! and memory at rest (`start`), layout (`report`).

use std::time::Duration;

use anyhow::Context as _;

use crate::client::BenchTarget;
use crate::fast::Fast;
use crate::gateway::{BenchGateway, ServerEntry};
use crate::load::{self, Plan, Round};
use crate::report::{ReportSettings, ReportTarget, Rounds, Row, median};
use crate::server::Eras;
use crate::wire::{BenchEra, Work};

const MIB: usize = 1 << 20;

/// The fast server behind the gateway.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// It speaks both eras, so that a gateway picks the modern one.
    Both,
    /// It speaks only the legacy era, so that a gateway has to translate for modern clients.
    Legacy,
}

impl Behind {
    /// The server's name in the configuration; its tools are listed under it.
    pub(crate) fn server_name(self) -> &'static str {
        match self {
            Behind::Both => "fast",
            Behind::Legacy => "old",
        }
    }

    pub(crate) fn wire_name(self, work: Work) -> String {
        format!("{}__{}", self.server_name(), work.tool())
    }

    /// A direct client has no translator, so it uses the server's era.
    fn direct_era(self, era: BenchEra) -> BenchEra {
        match self {
            Behind::Both => era,
            Behind::Legacy => BenchEra::Legacy,
        }
    }
}

/// Both kinds of fast server, running.
pub(crate) struct Servers {
    pub(crate) both: Fast,
    pub(crate) legacy: Fast,
}

impl Servers {
    pub(crate) async fn start() -> anyhow::Result<Servers> {
        Ok(Servers { both: Fast::start(Eras::Both).await?, legacy: Fast::start(Eras::Legacy).await? })
    }

    fn get(&self, behind: Behind) -> &Fast {
        match behind {
            Behind::Both => &self.both,
            Behind::Legacy => &self.legacy,
        }
    }

    pub(crate) fn entries(&self) -> [ServerEntry; 2] {
        [Behind::Both, Behind::Legacy]
            .map(|behind| ServerEntry { name: behind.server_name().to_owned(), url: self.get(behind).url() })
    }
}

pub(crate) struct Case {
    pub(crate) name: &'static str,
    era: BenchEra,
    behind: Behind,
    work: Work,
    connections: usize,
    ratio_min: Option<f64>,
    gateway_cpu_us_max: Option<f64>,
}

pub(crate) const CASES: [Case; 6] = [
    Case {
        name: "small call, modern, 64 connections",
        era: BenchEra::Modern,
        behind: Behind::Both,
        work: Work::Echo,
        connections: 64,
        ratio_min: Some(0.45),
        gateway_cpu_us_max: Some(60.0),
    },
    Case {
        name: "small call, modern, 1 connection",
        era: BenchEra::Modern,
        behind: Behind::Both,
        work: Work::Echo,
        connections: 1,
        ratio_min: None,
        gateway_cpu_us_max: None,
    },
    Case {
        name: "small call, legacy sessions, 64 connections",
        era: BenchEra::Legacy,
        behind: Behind::Both,
        work: Work::Echo,
        connections: 64,
        ratio_min: Some(0.45),
        gateway_cpu_us_max: Some(60.0),
    },
    Case {
        name: "small call, modern to a legacy server, 64 connections",
        era: BenchEra::Modern,
        behind: Behind::Legacy,
        work: Work::Echo,
        connections: 64,
        ratio_min: None,
        gateway_cpu_us_max: None,
    },
    Case {
        name: "1 MiB result, decoded by the client, modern, 8 connections",
        era: BenchEra::Modern,
        behind: Behind::Both,
        work: Work::DecodedBlob { bytes: MIB },
        connections: 8,
        ratio_min: Some(0.6),
        gateway_cpu_us_max: None,
    },
    Case {
        name: "1 MiB result, thrown away unread, modern, 8 connections",
        era: BenchEra::Modern,
        behind: Behind::Both,
        work: Work::Blob { bytes: MIB },
        connections: 8,
        ratio_min: Some(0.6),
        gateway_cpu_us_max: None,
    },
];

/// The gateway as the load sees it.
pub(crate) struct Through<'a> {
    pub(crate) gateway: &'a BenchGateway,
    pub(crate) target: &'a BenchTarget,
}

pub(crate) struct Outcome {
    pub(crate) rows: Vec<Row>,
    pub(crate) rounds: Rounds,
    pub(crate) calls: u64,
    pub(crate) other_load_cores_max: f64,
}

/// Direct, gateway, direct, gateway, …, so that other load on the machine affects both alike.
pub(crate) async fn run(
    case: &Case,
    settings: &ReportSettings,
    servers: &Servers,
    through: Option<&Through<'_>>,
) -> anyhow::Result<Outcome> {
    let fast = servers.get(case.behind);
    let (mut direct, mut gateway) = (Vec::new(), Vec::new());
    for _ in 0..settings.rounds {
        // The direct server needs no token, but reading one more header belongs to both sides of the
        // comparison.
        let token = through.and_then(|through| through.target.token.clone());
        let target = BenchTarget { address: fast.address, token };
        let plan = case.plan(settings, target, case.behind.direct_era(case.era), case.work.tool().to_owned());
        direct.push(load::run(plan, &[fast.pid()]).await.with_context(|| format!("{}: direct", case.name))?);
        let Some(through) = through else { continue };
        let plan = case.plan(settings, through.target.clone(), case.era, case.behind.wire_name(case.work));
        let pids = [fast.pid(), through.gateway.pid()];
        gateway.push(load::run(plan, &pids).await.with_context(|| {
            format!("{}: through the gateway\n{}", case.name, through.gateway.last_words())
        })?);
    }
    Ok(case.outcome(&direct, &gateway))
}

impl Case {
    fn plan(&self, settings: &ReportSettings, target: BenchTarget, era: BenchEra, tool: String) -> Plan {
        Plan {
            target,
            era,
            work: self.work,
            tool,
            connections: self.connections,
            threads: settings.generator_threads,
            warm_up: Duration::from_secs_f64(settings.warm_up_seconds),
            window: Duration::from_secs_f64(settings.window_seconds),
            calls_max: settings.window_calls,
        }
    }

    fn outcome(&self, direct: &[Round], gateway: &[Round]) -> Outcome {
        let row = |what, unit, figure: fn(&Round) -> f64| {
            Row::new(self.name, what, unit).measured(median_of(direct, figure), median_of(gateway, figure))
        };
        let gateway_cpu = Row::new(self.name, "gateway CPU per call", "µs")
            .measured(None, median_of(gateway, |round| round.cpu_us[1]))
            .judged(self.gateway_cpu_us_max.map(ReportTarget::AtMost));
        let rows = vec![
            row("throughput", "calls/s", |round| round.calls_per_second)
                .judged(self.ratio_min.map(ReportTarget::RatioAtLeast)),
            row("p50", "µs", |round| round.p50_us),
            row("p99", "µs", |round| round.p99_us),
            gateway_cpu,
            row("server CPU per call", "µs", |round| round.cpu_us[0]),
            row("generator CPU per call", "µs", |round| round.generator_cpu_us),
        ];
        let throughputs = |rounds: &[Round]| rounds.iter().map(|round| round.calls_per_second).collect();
        let both = || direct.iter().chain(gateway);
        Outcome {
            rows,
            rounds: Rounds {
                case: self.name.to_owned(),
                direct: throughputs(direct),
                gateway: throughputs(gateway),
            },
            calls: both().map(|round| round.calls).sum(),
            other_load_cores_max: both().map(|round| round.other_load_cores).fold(0.0, f64::max),
        }
    }
}

fn median_of(rounds: &[Round], figure: impl Fn(&Round) -> f64) -> Option<f64> {
    if rounds.is_empty() { None } else { Some(median(rounds.iter().map(figure))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(calls_per_second: f64) -> Round {
        Round {
            calls: 1,
            calls_per_second,
            p50_us: 1.0,
            p99_us: 2.0,
            generator_cpu_us: 3.0,
            cpu_us: vec![4.0, 50.0],
            other_load_cores: 0.2,
        }
    }

    #[test]
    fn a_case_is_judged_on_the_medians_of_its_rounds() {
        let outcome = CASES[0].outcome(&[100.0, 90.0, 500.0].map(round), &[10.0, 45.0, 46.0].map(round));
        assert_eq!(outcome.rows[0].ratio, Some(0.45));
        assert_eq!(outcome.rows[0].pass, Some(true));
        assert_eq!(outcome.rows[3].gateway, Some(50.0));
        assert_eq!(outcome.rows[3].pass, Some(true));
        assert_eq!(outcome.rounds.direct, [100.0, 90.0, 500.0]);
    }

    #[test]
    fn without_a_gateway_only_the_direct_side_is_told() {
        let outcome = CASES[0].outcome(&[round(100.0)], &[]);
        assert!(outcome.rows.iter().all(|row| row.gateway.is_none() && row.pass.is_none()));
    }
}
