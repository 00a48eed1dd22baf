//! The tools: their descriptions for agents, and their functions. Arguments are written like `job_id`, answers like `jobId`.

mod import;
mod list;
mod pending;
mod person;
mod record;
mod resolve;
mod shared;
mod update;

use std::sync::Arc;

use capability_kit::{Caller, Capability, Residence, ResidentFuture, Tool};

use crate::clock::JobClock;
use crate::options::JobAppOptions;
use crate::records::{JobRecords, nowhere};

const INSTRUCTIONS: &str = "Keeps job applications so that each is sent once. get_pending_jobs leases jobs to this run; \
    get_user_profile and get_credentials have what forms ask for. Write the status submitting with \
    update_application_status right before the click that sends, and record_application right after it. If it is not \
    clear whether it was sent, record needs_person and go on with the next job: never send again.";

/// The server as configured. Nothing is opened before the first call.
pub fn capability(options: &JobAppOptions) -> Capability {
    let place = options.place.place();
    let is_off = place.is_none();
    let records = Arc::new(JobRecords::new(place, JobClock::wall(), options.lease()));
    let server = Capability::new("job-app-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS);
    let server = server.residence(Arc::new(LeaseResidence(Arc::clone(&records))));
    tools(&records).into_iter().fold(server, |server, tool| {
        let tool = tool.capabilities(&["job-applications"]);
        server.tool(if is_off { tool.off(nowhere()) } else { tool })
    })
}

fn tools(records: &Arc<JobRecords>) -> [Tool; 10] {
    [
        pending::tool(records),
        update::tool(records),
        record::tool(records),
        person::profile_tool(records),
        person::credentials_tool(records),
        person::answers_tool(records),
        list::tool(records),
        import::tool(records),
        resolve::withdraw_tool(records),
        resolve::resolve_tool(records),
    ]
}

/// Ends the leases of runs and sessions that have ended.
struct LeaseResidence(Arc<JobRecords>);

impl Residence for LeaseResidence {
    fn ended(&self, caller: Caller) -> ResidentFuture<()> {
        let records = Arc::clone(&self.0);
        Box::pin(async move {
            if let Err(trouble) = records.release(&caller).await {
                tracing::warn!(%trouble, "the leases of an ended caller go on until they run out");
            }
        })
    }

    fn close(&self) -> ResidentFuture<()> {
        let records = Arc::clone(&self.0);
        Box::pin(async move { records.close().await })
    }
}
