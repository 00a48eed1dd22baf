//! Hearing of tasks: each at the instance that made it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::DropGuard;
use toolgate_core::RawJson;
use toolgate_core::port::ServerError;
use toolgate_core::server::{Era, InstanceId};

use super::Fleet;
use crate::backoff::Backoff;
use crate::link::LiveLink;
use crate::pending::NotificationListener;
use crate::watching;

type OnChange = Arc<dyn Fn(RawJson) + Send + Sync>;

impl Fleet {
    /// Hears of tasks until the guard is dropped.
    pub(crate) fn watch_tasks(self: &Arc<Self>, task_ids: Vec<String>, on_change: OnChange) -> DropGuard {
        let stop = self.stop.child_token();
        let guard = stop.clone().drop_guard();
        let mut by_home: BTreeMap<Option<InstanceId>, Vec<String>> = BTreeMap::new();
        for task in task_ids {
            by_home.entry(self.task_homes.get(&task)).or_default().push(task);
        }
        for (home, tasks) in by_home {
            let (fleet, stop, on_change) = (self.clone(), stop.clone(), on_change.clone());
            self.tasks.spawn(async move {
                tokio::select! {
                    () = fleet.hear_tasks(home, &tasks, on_change) => {}
                    () = stop.cancelled() => {}
                }
            });
        }
        guard
    }

    /// An interrupted subscription is opened again.
    async fn hear_tasks(&self, home: Option<InstanceId>, task_ids: &[String], on_change: OnChange) {
        let listener: NotificationListener = Arc::new(move |method, params| {
            if method.starts_with("notifications/tasks") {
                on_change(params);
            }
        });
        let mut backoff = Backoff::default();
        loop {
            if let Some(live) = self.live_at(home.as_ref()) {
                if live.era() == Era::Legacy {
                    return;
                }
                let heard = watching::hear_tasks(&live, task_ids, listener.clone()).await;
                if let Err(ServerError::Rpc(error)) = heard {
                    tracing::debug!(server = %self.name, %error, "tasks cannot be watched");
                    return;
                }
            }
            tokio::time::sleep(backoff.next()).await;
        }
    }

    /// A connection to the home of a task, or to any member if that is unknown or has left.
    fn live_at(&self, home: Option<&InstanceId>) -> Option<Arc<LiveLink>> {
        let roll = self.roll.load_full();
        let at_home = roll.members.iter().find(|member| Some(&member.id) == home);
        match at_home {
            Some(member) => member.live().ok(),
            None => roll.members.iter().find_map(|member| member.live().ok()),
        }
    }
}
