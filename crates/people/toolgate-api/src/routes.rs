//! Every route with its roles. Router, document and the check of roles are made from this table; a route's path
//! stands at its handler alone.

// The table, and what every route needs.
mod answer;
mod caller;
mod seat;
mod table;
mod tag;
mod views;

// Tools: what there is, what it costs, calling it.
mod aliases;
mod cost;
mod preview;
mod search;
mod tool_view;
mod tools;
mod typed_call;

// Agents, capabilities and sessions.
mod agents;
mod capabilities;
mod definitions;
mod driven_seats;
mod explain;
mod session_view;
mod sessions;
mod template_name;

// Tasks, automations, runs and questions.
mod automation_fires;
mod automation_view;
mod automations;
mod batch;
mod chat;
mod driven;
mod driven_view;
mod inputs;
mod pictures;
mod plan;
mod run_access;
mod run_events;
mod run_files;
mod run_seat;
mod run_start;
mod run_view;
mod runs;
mod spend;
mod tasks;
mod turns;

// Files, refs, artifacts, citations, claims, and what the platform keeps: pointers, manifests, schemas, knowledge bases.
mod artifacts;
mod citations;
mod claim_view;
mod claims;
mod content;
mod file_view;
mod files;
mod knowledge;
mod knowledge_view;
mod manifests;
mod pointer_view;
mod pointers;
mod refs;
mod schema_view;
mod schemas;
mod signed;
mod uploads;

// Servers, models, settings, secrets and credentials.
mod connectors;
mod credentials;
mod instances;
mod models;
mod published;
mod quotas;
mod registry;
mod secrets;
mod servers;
mod settings;

// Approvals and grants.
mod approvals;
mod attachments;
mod earlier_calls;
mod grants;
mod inbox;

// The ledger, events and receivers.
mod call_counts;
mod calls;
mod calls_export;
mod events;
mod export;
mod figures;
mod ledger;
mod ledger_erase;
mod ledger_filter;
mod ledger_proofs;
mod mail;
mod outbound;
mod overview;
mod saved_views;
mod webhooks;

// Policy, filters and tokens.
mod filters;
mod past_calls;
mod policy;
mod policy_advice;
mod policy_trial;
mod shadow;
mod tokens;

use std::sync::{Arc, LazyLock, OnceLock};

use axum::Extension;
use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use toolgate_core::codes;
use toolgate_core::platform::PlatformTool;
use utoipa_axum::routes;

use crate::access::{
    ADMITTING, ANSWERING, AUDITING, AccessTable, CALLING, DECIDING, EVERYONE, GRANTING, INBOX,
    PEOPLE_AND_AGENTS, REGISTERING, RUNNING, RouteCallers, SITTING, WATCHING,
};
use crate::problem::Problem;
use crate::{ApiContext, access, document};
use answer::whole;
use table::RouteTable;
pub(crate) use turns::{run_halt, run_starter, turn_player};

pub(crate) fn router(context: ApiContext) -> axum::Router {
    let (router, _) = described().router.split_for_parts();
    let document = OpenApiDocument { text: Arc::default(), platform: context.platform.as_slice().into() };
    router
        .route_layer(axum::middleware::from_fn_with_state(access_table(), access::check))
        .layer(Extension(document))
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_allowed)
        .with_state(context)
}

/// The document as it is served.
pub(crate) fn api_document() -> utoipa::openapi::OpenApi {
    let table = described();
    let (_, mut api) = table.router.split_for_parts();
    document::complete(&mut api, &table.access);
    api
}

/// The roles of every route.
pub(crate) fn access_table() -> &'static AccessTable {
    static TABLE: LazyLock<AccessTable> = LazyLock::new(|| described().access);
    &TABLE
}

/// Every route with its roles. Handlers of one path with the same roles share a line.
fn described() -> RouteTable {
    RouteTable::start().with(tools).with(work).with(servers_and_registry).with(governance)
}

/// Tools, and the agents that see them.
fn tools(table: RouteTable) -> RouteTable {
    table
        .route(EVERYONE, routes!(openapi))
        .route(CALLING, routes!(tools::call))
        .route(CALLING, routes!(tools::list))
        .route(CALLING, routes!(search::search))
        .route(CALLING, routes!(cost::of_tools))
        .route(CALLING, routes!(preview::of_tools))
        .route(CALLING, routes!(tools::show, typed_call::call))
        .route(WATCHING, routes!(aliases::list))
        .route(AUDITING, routes!(agents::list))
        .route(AUDITING, routes!(agents::show))
        .route(RUNNING, routes!(agents::put, agents::remove))
        .route(AUDITING, routes!(agents::versions))
        .route(AUDITING, routes!(capabilities::list))
        .route(AUDITING, routes!(capabilities::show))
        .route(RUNNING, routes!(capabilities::put, capabilities::remove))
}

/// Sessions, tasks, runs, questions and files.
fn work(table: RouteTable) -> RouteTable {
    table
        .route(SITTING, routes!(sessions::list))
        // The sessions themselves decide the permissions for a session, and the token to use.
        .route(CALLING, routes!(sessions::open))
        .route(SITTING, routes!(sessions::show))
        .route(CALLING, routes!(sessions::change, sessions::close))
        .route(SITTING, routes!(explain::explain))
        .route(SITTING, routes!(cost::of_session))
        .route(SITTING, routes!(preview::of_session))
        .route(SITTING, routes!(tasks::list))
        .route(RUNNING, routes!(tasks::create))
        .route(SITTING, routes!(tasks::show))
        .route(RUNNING, routes!(tasks::put, tasks::remove))
        .route(SITTING, routes!(automations::list))
        .route(RUNNING, routes!(automations::create))
        .route(SITTING, routes!(automations::show))
        .route(RUNNING, routes!(automations::put, automations::remove))
        .route(RUNNING, routes!(automations::pause))
        .route(RUNNING, routes!(automations::resume))
        .route(SITTING, routes!(automation_fires::list))
        .route(SITTING, routes!(automation_fires::next))
        .route(RUNNING, routes!(automation_fires::backfill))
        .route(RouteCallers::Signed, routes!(automation_fires::fire))
        .route(AUDITING, routes!(spend::show))
        // The lookup of a run decides who sees and controls it.
        .route(SITTING, routes!(runs::list))
        .route(CALLING, routes!(run_start::create))
        .route(SITTING, routes!(runs::show))
        .route(CALLING, routes!(runs::pause))
        .route(CALLING, routes!(runs::resume))
        .route(CALLING, routes!(runs::cancel))
        .route(SITTING, routes!(runs::children))
        .route(SITTING, routes!(runs::calls))
        .route(SITTING, routes!(run_events::follow))
        .route(SITTING, routes!(chat::messages))
        .route(SITTING, routes!(chat::turns))
        .route(CALLING, routes!(driven::retry))
        .route(CALLING, routes!(batch::call))
        .route(SITTING, routes!(tasks::versions))
        // The sessions decide the rights of a run that the gateway drives.
        .route(CALLING, routes!(driven::start))
        .route(INBOX, routes!(inputs::list))
        // Agents see the questions of their own runs; the handler omits the others.
        .route(PEOPLE_AND_AGENTS, routes!(inputs::show))
        .route(ANSWERING, routes!(inputs::answer))
        // Whoever may answer sees what is asked about.
        .route(ANSWERING, routes!(pictures::show))
        .route(INBOX, routes!(inbox::inbox))
        // The files crate decides who may use files, refs and artifacts.
        .route(PEOPLE_AND_AGENTS, routes!(files::list, files::upload))
        .route(PEOPLE_AND_AGENTS, routes!(files::show, files::delete))
        .route(PEOPLE_AND_AGENTS, routes!(files::content))
        .route(CALLING, routes!(refs::show))
        .route(CALLING, routes!(refs::content))
        // Auditors may see that artifacts exist, but not read them.
        .route(SITTING, routes!(artifacts::list))
        .route(SITTING, routes!(artifacts::show))
        .route(CALLING, routes!(artifacts::content))
        .route(CALLING, routes!(artifacts::link))
        // Whoever may read a document may see it, and what is cited of it.
        .route(CALLING, routes!(citations::picture))
        .route(PEOPLE_AND_AGENTS, routes!(citations::file_page))
        .route(CALLING, routes!(citations::ref_page))
        .route(CALLING, routes!(citations::show))
        // Those who judge a claim see it; the handler leaves out quotations for auditors.
        .route(INBOX, routes!(claims::list))
        .route(INBOX, routes!(claims::show))
        // Approvers read a change in the approval itself.
        .route(AUDITING, routes!(pointers::list))
        .route(AUDITING, routes!(pointers::show))
        .route(AUDITING, routes!(pointers::moves))
        .route(AUDITING, routes!(manifests::show))
        .route(AUDITING, routes!(manifests::entries))
        .route(AUDITING, routes!(manifests::changes))
        .route(AUDITING, routes!(schemas::list))
        .route(AUDITING, routes!(schemas::show))
        .route(AUDITING, routes!(knowledge::list))
        .route(AUDITING, routes!(knowledge::show))
        .route(RouteCallers::Addressed, routes!(uploads::put, uploads::post))
        .route(RouteCallers::Addressed, routes!(signed::get))
}

/// Servers, models, settings, definitions, secrets and credentials.
fn servers_and_registry(table: RouteTable) -> RouteTable {
    table
        .route(AUDITING, routes!(servers::list))
        // Auditors do not read a server's output; the handler omits it.
        .route(AUDITING, routes!(servers::show))
        .route(RUNNING, routes!(servers::forget))
        .route(RUNNING, routes!(servers::restart))
        .route(RUNNING, routes!(servers::disable))
        .route(RUNNING, routes!(servers::enable))
        .route(AUDITING, routes!(connectors::list))
        .route(REGISTERING, routes!(instances::register))
        .route(REGISTERING, routes!(instances::heartbeat))
        .route(REGISTERING, routes!(instances::leave))
        // Each asks a registry outside.
        .route(RUNNING, routes!(published::search))
        .route(RUNNING, routes!(published::show))
        .route(AUDITING, routes!(models::list))
        .route(AUDITING, routes!(models::show))
        .route(RUNNING, routes!(models::test))
        .route(AUDITING, routes!(settings::list))
        .route(AUDITING, routes!(settings::show))
        .route(AUDITING, routes!(settings::versions))
        .route(RUNNING, routes!(settings::change))
        .route(WATCHING, routes!(registry::list))
        .route(WATCHING, routes!(registry::show))
        .route(WATCHING, routes!(registry::diff))
        .route(WATCHING, routes!(registry::versions))
        .route(WATCHING, routes!(registry::compare))
        .route(RUNNING, routes!(registry::review))
        .route(RUNNING, routes!(secrets::list))
        .route(RUNNING, routes!(secrets::store, secrets::remove))
        .route(AUDITING, routes!(credentials::list))
        .route(RUNNING, routes!(credentials::create))
        .route(AUDITING, routes!(credentials::show))
        .route(RUNNING, routes!(credentials::erase))
        .route(RUNNING, routes!(credentials::rotate))
        // Operators set the addresses of servers: others decide which secrets go there.
        .route(ADMITTING, routes!(secrets::allow))
}

/// Approvals, the ledger, policy and tokens.
fn governance(table: RouteTable) -> RouteTable {
    table
        .route(INBOX, routes!(approvals::list))
        // Agents see their own requests; the handler omits the others.
        .route(PEOPLE_AND_AGENTS, routes!(approvals::show))
        .route(DECIDING, routes!(approvals::decide))
        // An approver sees the content to approve. Auditors may see that it exists, but not read it.
        .route(GRANTING, routes!(attachments::content))
        .route(INBOX, routes!(grants::list))
        .route(GRANTING, routes!(grants::revoke))
        // Approvers see what waits for people; the handler omits the rest.
        .route(WATCHING, routes!(overview::show))
        .route(AUDITING, routes!(figures::show))
        .route(AUDITING, routes!(calls::list))
        .route(AUDITING, routes!(call_counts::count))
        .route(AUDITING, routes!(calls_export::export))
        // Each person's own.
        .route(AUDITING, routes!(saved_views::list))
        .route(AUDITING, routes!(saved_views::save, saved_views::remove))
        .route(AUDITING, routes!(ledger::list))
        .route(AUDITING, routes!(export::export))
        .route(AUDITING, routes!(ledger::verify))
        // What is erased is gone: no role that only runs the gateway may do it.
        .route(ADMITTING, routes!(ledger_erase::erase))
        .route(AUDITING, routes!(ledger::body))
        // Approvers read the calls that asked people; the handler omits the others, and results.
        .route(INBOX, routes!(ledger::call))
        .route(AUDITING, routes!(ledger_proofs::checkpoints))
        .route(AUDITING, routes!(ledger_proofs::prove))
        .route(RouteCallers::Signed, routes!(webhooks::decide))
        .route(AUDITING, routes!(outbound::list))
        .route(RUNNING, routes!(outbound::test))
        .route(AUDITING, routes!(outbound::retention))
        .route(AUDITING, routes!(mail::show))
        .route(RUNNING, routes!(mail::test))
        .route(AUDITING, routes!(quotas::show))
        .route(AUDITING, routes!(policy::show))
        .route(AUDITING, routes!(policy::table))
        .route(AUDITING, routes!(policy::explain))
        // A trial reads recorded arguments and tells decisions alone.
        .route(AUDITING, routes!(policy_trial::check))
        .route(AUDITING, routes!(policy_trial::trial))
        .route(AUDITING, routes!(policy_advice::list))
        .route(AUDITING, routes!(shadow::list))
        .route(AUDITING, routes!(shadow::counts))
        .route(AUDITING, routes!(filters::list))
        .route(AUDITING, routes!(filters::test))
        .route(ADMITTING, routes!(tokens::list, tokens::create))
        .route(ADMITTING, routes!(tokens::revoke))
        // Approvers see events about approvals and questions; the handler omits the rest.
        .route(WATCHING, routes!(events::follow))
}

/// Written when somebody asks for it first: most gateways are never asked, and it takes a sixth of a start.
#[derive(Clone)]
struct OpenApiDocument {
    text: Arc<OnceLock<Bytes>>,
    platform: Arc<[Arc<PlatformTool>]>,
}

impl OpenApiDocument {
    fn text(&self) -> Bytes {
        let write = || Bytes::from(document::text(&api_document(), access_table(), &self.platform));
        self.text.get_or_init(write).clone()
    }
}

/// This document
#[utoipa::path(get, path = "/openapi.json", tag = "api", responses((status = 200, description = "OpenAPI 3.1", body = Object)))]
async fn openapi(document: Extension<OpenApiDocument>) -> Response {
    whole(StatusCode::OK, document.text())
}

async fn nothing_here() -> Box<Problem> {
    Problem::not_found("there is nothing here").hint("/openapi.json lists the routes")
}

async fn not_allowed() -> Box<Problem> {
    Problem::new(&codes::METHOD_NOT_ALLOWED, "this path does not allow this method")
}
