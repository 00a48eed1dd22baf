//! Applications as people and agents look at them, page by page.

use capability_kit::Trouble;

use super::caller::CallerTransaction;
use crate::db::row::row;
use crate::state::ApplicationState;

const LIST: &str = "SELECT a.id AS application, a.user_id, a.job, a.state, a.version, a.lease_until_ms, a.reason,
        a.evidence_url, a.evidence_text, a.evidence_screenshot, a.updated_at_ms, j.title, j.company, j.place, j.url
    FROM applications a JOIN jobs j ON j.id = a.job
    WHERE ($1 = '' OR a.user_id = $1) AND ($2 = '' OR a.state = $2) AND ($3 = '' OR a.id = $3)
        AND ($4 = '' OR a.job = $4) AND a.id > $5
    ORDER BY a.id LIMIT $6";
const EVENTS: &str = "SELECT version, at_ms, kind, from_state, to_state, session, run, reason, evidence
    FROM events WHERE application = $1 ORDER BY version DESC LIMIT 100";

/// Empty texts choose everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ApplicationFilter {
    pub(crate) user: String,
    pub(crate) state: Option<ApplicationState>,
    pub(crate) application: String,
    pub(crate) job: String,
    /// The last id of the page before.
    pub(crate) after: String,
}

row! {
    pub(crate) struct ListedApplication {
        pub(crate) application: String,
        pub(crate) user_id: String,
        pub(crate) job: String,
        pub(crate) state: String,
        pub(crate) version: i64,
        pub(crate) lease_until_ms: i64,
        pub(crate) reason: Option<String>,
        pub(crate) evidence_url: Option<String>,
        pub(crate) evidence_text: Option<String>,
        pub(crate) evidence_screenshot: Option<String>,
        pub(crate) updated_at_ms: i64,
        pub(crate) title: String,
        pub(crate) company: String,
        pub(crate) place: String,
        pub(crate) url: String,
    }
}

row! {
    pub(crate) struct ApplicationEvent {
        pub(crate) version: i64,
        pub(crate) at_ms: i64,
        pub(crate) kind: String,
        pub(crate) from_state: Option<String>,
        pub(crate) to_state: String,
        pub(crate) session: Option<String>,
        pub(crate) run: Option<String>,
        pub(crate) reason: Option<String>,
        pub(crate) evidence: Option<String>,
    }
}

impl CallerTransaction {
    pub(crate) async fn list(
        &mut self,
        filter: &ApplicationFilter,
        limit: usize,
    ) -> Result<Vec<ListedApplication>, Trouble> {
        let state = filter.state.map_or("", ApplicationState::as_str);
        let list = self.tx.sql(LIST).bind(&filter.user).bind(state).bind(&filter.application);
        let list = list.bind(&filter.job).bind(&filter.after);
        list.bind(i64::try_from(limit).unwrap_or(i64::MAX)).fetch_all().await
    }

    /// The last hundred, oldest first.
    pub(crate) async fn events(&mut self, application: &str) -> Result<Vec<ApplicationEvent>, Trouble> {
        let mut events: Vec<ApplicationEvent> = self.tx.sql(EVENTS).bind(application).fetch_all().await?;
        events.reverse();
        Ok(events)
    }
}
