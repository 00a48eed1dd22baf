//! `toolgate approvals`: the waiting approvals, and decisions on them. It works on the store itself, with or
//! without a running gateway; a running one notices.

mod refusal;
mod render;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::{Approval, ApprovalState, Grant};
use toolgate_core::decision::Policy as _;
use toolgate_core::id::{ApprovalId, GrantId};
use toolgate_core::{Digest, Principal};
use toolgate_pipeline::desk::{ApproverDecision, DecideRequest, GrantRequest};
use toolgate_policy::PolicyEngine;
use toolgate_store::{APPROVALS_PAGE_MAX, ApprovalFilter, GrantFilter, Store};

use super::context::Context;
use super::pick::pick;
use super::policy::PoliciesInForce;
use super::shown;
use crate::cli::{ApprovalsArgs, ApprovalsCommand, NewArguments, RememberArgs, StateArg};
use crate::config::Config;
use crate::governance::{COMMAND_STREAM, CatalogTools, Governance, books_settings, written_sources};
use crate::local::open_store;
use crate::output::{put, say, talk};
use crate::stored;
use crate::table::json;

/// The recorded channel of a vote.
const VIA: &str = "cli";
/// The newest approvals among which part of an id is looked up.
const LOOKED_THROUGH_MAX: usize = 10_000;
/// Arguments from a file or from standard input.
const ARGUMENTS_BYTES_MAX: u64 = 16 << 20;

pub(super) async fn run(context: &Context, args: ApprovalsArgs) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    let room = ApprovalsContext { context, config, store };
    let outcome = room.run(args).await;
    room.store.close().await;
    outcome
}

/// The common needs of all verbs.
struct ApprovalsContext<'a> {
    context: &'a Context,
    config: Config,
    store: Store,
}

impl ApprovalsContext<'_> {
    async fn run(&self, args: ApprovalsArgs) -> anyhow::Result<ExitCode> {
        let person = self.person(args.token.as_deref()).await?;
        let (on, decision, reason, grant) = match args.command {
            ApprovalsCommand::List { state, limit } => return self.list(state, limit).await,
            ApprovalsCommand::Show(which) => return self.show(&which.id).await,
            ApprovalsCommand::Grants { all } => {
                return self.grants(if all { GrantFilter::All } else { GrantFilter::Live }).await;
            }
            ApprovalsCommand::RevokeGrant { id } => return self.revoke(&id, &person).await,
            ApprovalsCommand::Approve { on, reason, remember } => {
                (on, ApproverDecision::Approve, reason, grant_request(remember))
            }
            ApprovalsCommand::Deny { on, reason } => (on, ApproverDecision::Deny, reason, None),
            ApprovalsCommand::Edit { on, arguments, reason } => {
                (on, ApproverDecision::Edit(read_arguments(arguments)?), reason, None)
            }
            ApprovalsCommand::RequestChanges { on, reason } => {
                (on, ApproverDecision::RequestChanges, Some(reason), None)
            }
        };
        if matches!(decision, ApproverDecision::Approve | ApproverDecision::Edit(_)) {
            self.check_rules().await?;
        }
        let approval = self.find(&on.which.id).await?;
        let shown = self.shown(&approval, &decision, on.digest).await?;
        self.decide(DecideRequest {
            id: approval.id,
            voter: person,
            decision,
            reason,
            grant,
            shown: Some(shown),
            counts_as: None,
            via: VIA.to_owned(),
        })
        .await
    }

    /// A yes is judged by the files and the setting. Fails where the running gateway refuses them, and says so where it has
    /// others in force.
    async fn check_rules(&self) -> anyhow::Result<()> {
        let in_force = PoliciesInForce::of(&self.config).await;
        if let Some(places) = in_force.config_refused() {
            bail!(
                "nothing was decided: the running gateway refused the configuration file ({places}) and decides by what it said before\nhint: mend the file, which it takes up within a second, or decide in the console"
            );
        }
        let sources = written_sources(&self.config, &self.store).await?;
        let written = PolicyEngine::load(sources)?.version();
        if in_force.version().is_some() && !in_force.is_by(written) {
            talk!("{}", in_force.told(Some(written)));
        }
        Ok(())
    }

    /// The digest of the arguments that the decider has seen: named by them, or shown now. Showing them now
    /// is too late for approving another person's edit.
    async fn shown(
        &self,
        approval: &Approval,
        decision: &ApproverDecision,
        given: Option<Digest>,
    ) -> anyhow::Result<Digest> {
        if let Some(digest) = given {
            // The one that this command shows, or the name that REST and webhooks have.
            let names = self.store.argument_names().await?;
            let is_name = names.name(&approval.id, approval.effective) == digest;
            return Ok(if is_name { approval.effective } else { digest });
        }
        if !self.context.global.json {
            talk!("{}", self.described(approval).await?);
        }
        let is_yes = matches!(decision, ApproverDecision::Approve | ApproverDecision::Edit(_));
        let is_edited = approval.state == ApprovalState::Pending && approval.proposed_arguments.is_some();
        if is_yes && is_edited {
            bail!(
                "the arguments of {} were changed, and nothing was decided\nhint: if you agree to them as they are now, say so with --digest {}",
                approval.id,
                approval.effective
            );
        }
        Ok(approval.effective)
    }

    /// The decider: the holder of the token, or the user who can read the data folder.
    async fn person(&self, token: Option<&str>) -> anyhow::Result<Principal> {
        let Some(token) = token else { return Ok(Principal::local()) };
        match self.store.verify(token).await? {
            Some(credential) => Ok(credential.principal),
            None => bail!(
                "the token is unknown or revoked\nhint: `toolgate token create --role approver` makes one; without --token and TOOLGATE_TOKEN you decide as the owner of the data folder"
            ),
        }
    }

    async fn list(&self, state: StateArg, limit: usize) -> anyhow::Result<ExitCode> {
        let state = match state {
            StateArg::All => None,
            StateArg::Only(state) => Some(state),
        };
        let filter = ApprovalFilter { state, ..ApprovalFilter::default() };
        let approvals = self.newest(&filter, limit).await?;
        let table = render::list(&approvals, shown::now_ms());
        put!("{}", table.render(self.context.reader(), &approvals));
        if approvals.len() == limit {
            talk!("the newest {limit} of them; --limit shows more");
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn show(&self, id: &str) -> anyhow::Result<ExitCode> {
        let approval = self.find(id).await?;
        if self.context.global.json {
            put!("{}", json(&approval));
            return Ok(ExitCode::SUCCESS);
        }
        put!("{}", self.described(&approval).await?);
        Ok(ExitCode::SUCCESS)
    }

    async fn described(&self, approval: &Approval) -> anyhow::Result<String> {
        let catalog = stored::catalog(&self.config, &self.store).await?;
        let tool = catalog
            .snapshot()
            .tools
            .find(approval.binding.tool.as_str())
            .and_then(|entry| entry.tool.clone());
        Ok(render::show(approval, tool.map(|tool| tool.effects), shown::now_ms()))
    }

    async fn decide(&self, request: DecideRequest) -> anyhow::Result<ExitCode> {
        let governance = self.governance().await?;
        let decided = governance.desk.decide(request).await;
        governance.stop().await;
        let decided = decided.map_err(|error| refusal::told(&error))?;
        if self.context.global.json {
            put!("{}", json(&DecisionOutput { approval: &decided.approval, grant: decided.grant.as_ref() }));
        } else {
            say!("{}", render::decided(&decided.approval, decided.grant.as_ref(), shown::now_ms()));
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn grants(&self, which: GrantFilter) -> anyhow::Result<ExitCode> {
        let grants = self.store.list_grants(which).await?;
        put!("{}", render::grants(&grants, shown::now_ms()).render(self.context.reader(), &grants));
        Ok(ExitCode::SUCCESS)
    }

    async fn revoke(&self, given: &str, person: &Principal) -> anyhow::Result<ExitCode> {
        if !person.role.may_approve() {
            bail!("{} may not revoke grants\nhint: a token made with `--role approver` may", person.id);
        }
        let grants = self.store.list_grants(GrantFilter::All).await?;
        let ids = grants.iter().map(|grant| grant.id.as_str());
        let id = GrantId::new(pick(given, ids, "grant", "toolgate approvals grants --all")?);
        let governance = self.governance().await?;
        let revoked = governance.books.revoke_grant(&id, &person.id).await;
        governance.stop().await;
        if !revoked? {
            bail!(
                "grant {id} was used up, revoked or has expired already\nhint: `toolgate approvals grants` shows those that hold"
            );
        }
        if self.context.global.json {
            put!("{}", json(&serde_json::json!({ "revoked": id })));
        } else {
            say!("revoked {id}");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Everything that a decision passes, as in a gateway.
    async fn governance(&self) -> anyhow::Result<Governance> {
        let catalog = stored::catalog(&self.config, &self.store).await?;
        let books = self.store.books(books_settings(&self.config, COMMAND_STREAM)).await?;
        let never = CancellationToken::new();
        Governance::start(&self.config, Arc::new(books), CatalogTools::Listed(catalog), None, &never).await
    }

    /// The approval with this id, or the one whose id begins or ends with it.
    async fn find(&self, given: &str) -> anyhow::Result<Approval> {
        if let Some(approval) = self.store.get_approval(&ApprovalId::new(given)).await? {
            return Ok(approval);
        }
        let mut approvals = self.newest(&ApprovalFilter::default(), LOOKED_THROUGH_MAX).await?;
        let ids = approvals.iter().map(|approval| approval.id.as_str());
        let id = pick(given, ids, "approval", "toolgate approvals list --state all")?.to_owned();
        let place = approvals.iter().position(|approval| approval.id.as_str() == id);
        Ok(approvals.swap_remove(place.expect("it was picked from among them")))
    }

    async fn newest(&self, filter: &ApprovalFilter, limit: usize) -> anyhow::Result<Vec<Approval>> {
        let mut all = Vec::new();
        let mut cursor = None;
        loop {
            let wanted = APPROVALS_PAGE_MAX.min(limit - all.len());
            let (page, next) = self.store.list_approvals(filter, cursor.as_deref(), wanted).await?;
            all.extend(page);
            cursor = next;
            if cursor.is_none() || all.len() >= limit {
                return Ok(all);
            }
        }
    }
}

/// A decision for programs.
#[derive(serde::Serialize)]
struct DecisionOutput<'a> {
    approval: &'a Approval,
    grant: Option<&'a Grant>,
}

fn grant_request(remember: RememberArgs) -> Option<GrantRequest> {
    remember.remember.then(|| GrantRequest {
        pins: (!remember.pins.is_empty()).then_some(remember.pins),
        uses: remember.uses,
        expires_in_seconds: remember.time.map(|time| time.as_secs()),
    })
}

fn read_arguments(given: NewArguments) -> anyhow::Result<Value> {
    let text = match (given.args, given.args_file) {
        (Some(text), _) => text,
        (None, Some(file)) if file.as_os_str() == "-" => {
            read_limited(std::io::stdin().lock(), "standard input")?
        }
        (None, Some(file)) => {
            let name = file.display().to_string();
            let opened = std::fs::File::open(&file).with_context(|| format!("could not read {name}"))?;
            read_limited(opened, &name)?
        }
        (None, None) => bail!("there are no arguments\nhint: give them with --args or --args-file"),
    };
    serde_json::from_str(&text)
        .context("the arguments are not valid JSON\nhint: give a JSON object: '{\"amount\": 50}'")
}

fn read_limited(from: impl std::io::Read, name: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let read =
        std::io::Read::read_to_string(&mut std::io::Read::take(from, ARGUMENTS_BYTES_MAX + 1), &mut text);
    let read = read.with_context(|| format!("could not read {name}"))?;
    if read as u64 > ARGUMENTS_BYTES_MAX {
        bail!("{name} holds more than {ARGUMENTS_BYTES_MAX} bytes");
    }
    Ok(text)
}
