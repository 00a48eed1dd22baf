//! `toolgate ledger erase`: what is kept of a principal's calls.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::bail;
use toolgate_core::id::{CallId, SessionId};
use toolgate_core::{Principal, PrincipalId};
use toolgate_store::{ErasureReport, ErasureRequest, ErasureScope, Store};

use super::render::bodies_of;
use crate::cli::EraseArgs;
use crate::command::context::Context;
use crate::command::shown::several;
use crate::governance::COMMAND_STREAM;
use crate::output::{say, talk};
use crate::table::clean;

pub(super) async fn run(context: &Context, store: &Store, args: EraseArgs) -> anyhow::Result<ExitCode> {
    let scope = ErasureScope {
        principal: PrincipalId::new(&args.principal),
        session: args.session.map(SessionId::new),
        call: args.call.map(CallId::new),
    };
    let found = store.find_erasable(&scope).await?;
    if found.calls == 0 && found.erased.is_empty() {
        bail!(
            "the ledger has no such calls of {:?}\nhint: `toolgate ledger tail` shows the names of principals",
            clean(&args.principal)
        );
    }
    if args.dry_run || found.erased.is_empty() {
        if !args.dry_run {
            store.scrub_erased().await?;
        }
        tell(context, &found, Erasing::NotDone);
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !is_confirmed(context, &found)? {
        talk!("Nothing was erased.");
        return Ok(ExitCode::FAILURE);
    }
    let request = ErasureRequest { scope, by: Principal::local().id, reason: args.reason };
    let report = store.erase(COMMAND_STREAM, &request).await?;
    tell(context, &report, Erasing::Done);
    Ok(ExitCode::SUCCESS)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Erasing {
    Done,
    NotDone,
}

fn is_confirmed(context: &Context, found: &ErasureReport) -> anyhow::Result<bool> {
    if context.global.json || !std::io::stdin().is_terminal() {
        bail!("nothing was erased: there is no terminal to ask at\nhint: `--yes` erases without a question");
    }
    talk!("{}", kept_of(found, Erasing::NotDone));
    std::io::stderr().write_all(b"Erase this for good? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn tell(context: &Context, report: &ErasureReport, erasing: Erasing) {
    if context.global.json {
        let ErasureReport { calls, erased, shared, open_approvals } = report;
        let told = serde_json::json!({
            "erased": erasing == Erasing::Done,
            "calls": calls,
            "bodies": erased.bodies,
            "refs": erased.refs,
            "results": erased.results,
            "approvals": erased.approvals,
            "grants": erased.grants,
            "messages": erased.messages,
            "shared": shared,
            "open_approvals": open_approvals,
        });
        say!("{told}");
    } else {
        say!("{}", kept_of(report, erasing));
    }
    if report.shared > 0 {
        talk!("{} of earlier versions stay: calls of others name them too", bodies_of(report.shared));
    }
    if report.open_approvals > 0 {
        talk!("{} stay until they are decided; erase again then", several(report.open_approvals, "approval"));
    }
}

/// `erased 24 bodies, 3 refs, 0 kept results, 1 approval and 0 grants of 12 calls`
fn kept_of(report: &ErasureReport, erasing: Erasing) -> String {
    let begins = match erasing {
        Erasing::Done => "erased",
        Erasing::NotDone if report.erased.is_empty() => "nothing is left to erase:",
        Erasing::NotDone => "would erase",
    };
    let erased = &report.erased;
    let messages = match erased.messages {
        0 => String::new(),
        some => format!(", and {} of runs", several(some, "message")),
    };
    format!(
        "{begins} {}, {}, {}, {} and {} of {}{messages}",
        bodies_of(erased.bodies),
        several(erased.refs, "ref"),
        several(erased.results, "kept result"),
        several(erased.approvals, "approval"),
        several(erased.grants, "grant"),
        several(report.calls, "call"),
    )
}
