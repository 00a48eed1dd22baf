//! The names of tasks, for pages that show tasks by more than their ids.

use maud::{Markup, html};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::parts::{links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The number of tasks whose names a page knows.
const TASKS_MAX: usize = 200;

#[derive(Default, Deserialize)]
pub(crate) struct TaskNames {
    tasks: Vec<NamedTaskData>,
}

#[derive(Deserialize)]
struct NamedTaskData {
    id: String,
    name: String,
}

impl TaskNames {
    /// None for those who may not see tasks.
    pub(crate) async fn read(visit: &PageVisit) -> PageResult<Self> {
        let found = visit.find(PageAddress::of(["tasks"]).with("limit", TASKS_MAX)).await?;
        Ok(found.unwrap_or_default())
    }

    /// The page of a task, by its name where that is known.
    pub(crate) fn link(&self, id: &str) -> Markup {
        match self.tasks.iter().find(|task| task.id == id) {
            Some(task) => {
                html! { a href=(PageAddress::of(["console", "tasks", id])) title=(id) { (text::short(&task.name)) } }
            }
            None => links::id(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_called_by_its_name_where_that_is_known() {
        let read = serde_json::from_str(r#"{"tasks":[{"id":"task_1","name":"<b>Tailor"}]}"#);
        let names: TaskNames = read.expect("tasks");
        let shown = names.link("task_1").into_string();
        assert!(shown.contains("/console/tasks/task_1") && shown.contains("&lt;b&gt;Tailor"), "{shown}");
        assert!(names.link("task_2").into_string().contains("<bdi>task_2</bdi>"));
    }
}
