//! The whole gateway in one answer: the data of an overview.

mod view;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use toolgate_core::scope::Credential;
use toolgate_core::{Principal, PrincipalId, Role};
use toolgate_sessions::{SessionQuery, SessionState};
use toolgate_store::SpendBy;

use self::view::{LedgerView, OverviewServer, OverviewView, TokensView, TrafficView};
use super::answer::json;
use super::servers::statuses;
use super::spend::{DAY_MS, SpendSums, spent};
use crate::ApiContext;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::pulse::{CurrentTime, ListTokens};

/// The maximum number of sessions whose lists are counted; the answer includes the total number.
const SESSIONS_MAX: usize = 100;

/// Show the overview
///
/// Servers, the traffic of the last hour, what waits for people, the savings by scoping, the cost of models
/// today, and the state of the ledger. Approvers get only what waits for people.
#[utoipa::path(get, path = "/overview", tag = "overview",
    responses((status = 200, description = "The overview", body = OverviewView)))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
) -> ApiResult<Response> {
    let now = context.now();
    let waiting = context.store.count_waiting().await?;
    let mut view = OverviewView::of(now.ms, waiting, context.registry.refused_config());
    if principal.role != Role::Approver {
        let traffic = context.0.pulse.read_hour(&context.store, now, TrafficView::of).await?;
        view.traffic = Some(traffic);
        view.servers = Some(servers(&context).await?);
        view.tokens = Some(tokens(&context, now).await?);
        view.spend_today = Some(spend_today(&context, now).await?);
        let events = context.store.ledger_size().await?;
        view.ledger = Some(LedgerView::of(events, context.archive.as_ref(), context.0.pulse.verification()));
    }
    Ok(json(StatusCode::OK, &view))
}

impl ApiContext {
    fn now(&self) -> CurrentTime {
        CurrentTime { ms: self.clock.now_ms(), monotonic_us: self.clock.monotonic_us() }
    }
}

async fn servers(context: &ApiContext) -> ApiResult<Vec<OverviewServer>> {
    let mut statuses = statuses(context).await?;
    let known = context.registry.servers().into_iter();
    let servers = known.map(|server| {
        let status = statuses.remove(&server.name);
        OverviewServer::of(server, status)
    });
    Ok(servers.collect())
}

async fn tokens(context: &ApiContext, now: CurrentTime) -> ApiResult<TokensView> {
    // Few requests come here; a box keeps the future of all others small.
    let counted = context.0.pulse.read_tokens(now, Box::pin(count_tokens(context))).await?;
    Ok(TokensView::from(counted))
}

async fn spend_today(context: &ApiContext, now: CurrentTime) -> ApiResult<SpendSums> {
    let midnight_ms = now.ms - now.ms.rem_euclid(DAY_MS);
    let rows = context.store.spend(&spent(SpendBy::Agent, midnight_ms, now.ms)).await?;
    Ok(SpendSums::of_all(&rows))
}

/// The cost of the lists of the sessions in use, compared with a list of everything for each of them.
async fn count_tokens(context: &ApiContext) -> ApiResult<ListTokens> {
    let gateway = Credential::of(Principal::new(PrincipalId::gateway(), Role::Admin));
    let in_use = SessionQuery {
        agent: None,
        principal: None,
        state: Some(SessionState::Active),
        cursor: None,
        limit: SESSIONS_MAX,
    };
    let sessions = context.sessions.list(&gateway, &in_use).await?.sessions;
    let discovery = context.discovery.clone();
    let counting = move || {
        let listed = |session: &toolgate_sessions::SessionView| {
            discovery.tally(&discovery.view(&session.seat())).listed
        };
        let listed = sessions.iter().map(listed).sum();
        ListTokens { catalogue: discovery.catalogue_tokens(), sessions: sessions.len(), listed }
    };
    Ok(run_blocking(counting).await)
}
