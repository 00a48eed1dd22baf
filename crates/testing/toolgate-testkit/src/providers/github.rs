//! A small GitHub: one repository `acme/site` with issues, pull requests and files, `Link` headers, and limits in headers.

mod contents;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::exchange::{Provider, ProviderAnswer, ProviderRequest, SignedOut};
use super::pages::{PageManner, cut};

const REPOSITORY: [&str; 3] = ["repos", "acme", "site"];

pub struct GitHub {
    /// Issues and pull requests by number; a pull request has a member `pull_request`.
    pub issues: BTreeMap<u64, Value>,
    /// Comments: the number they belong to, and the text.
    pub comments: Vec<(u64, String)>,
    pub files: BTreeMap<String, Vec<u8>>,
    /// A page has no more items than this.
    pub page_max: usize,
    /// Every change is a second later than the one before.
    changes: u64,
}

impl Default for GitHub {
    fn default() -> Self {
        let mut github = Self {
            issues: BTreeMap::new(),
            comments: Vec::new(),
            files: BTreeMap::new(),
            page_max: 100,
            changes: 0,
        };
        github.add_issue("The light is out", false);
        github.add_issue("The door squeaks", false);
        github.add_issue("Oil the door", true);
        github.files.insert("README.md".to_owned(), b"# Site\n".to_vec());
        github.files.insert("src/main.rs".to_owned(), b"fn main() {}\n".to_vec());
        github
    }
}

impl GitHub {
    /// A repository with so many issues.
    pub fn with_issues(count: usize) -> Self {
        let mut github = Self { issues: BTreeMap::new(), ..Self::default() };
        (1..=count).for_each(|at| {
            github.add_issue(&format!("Issue {at}"), false);
        });
        github
    }

    /// Opens an issue or a pull request as a person would, and says its number.
    pub fn add_issue(&mut self, title: &str, is_pull_request: bool) -> u64 {
        let number = self.issues.keys().next_back().map_or(1, |last| last + 1);
        let mut issue = json!({
            "id": 9000 + number, "number": number, "title": title, "state": "open", "body": null, "labels": [],
            "updated_at": self.tick(),
        });
        if is_pull_request {
            issue["pull_request"] =
                json!({ "url": format!("https://api.github.com/repos/acme/site/pulls/{number}") });
        }
        self.issues.insert(number, issue);
        number
    }

    fn tick(&mut self) -> String {
        self.changes += 1;
        let (minute, second) = (self.changes / 60, self.changes % 60);
        format!("2026-01-01T{:02}:{:02}:{second:02}Z", minute / 60, minute % 60)
    }

    fn create(
        &mut self,
        request: &ProviderRequest,
        is_pull: bool,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer {
        let Some(title) = request.parameter("title").filter(|title| !title.is_empty()) else {
            return failed(422, "Validation Failed");
        };
        let number = self.add_issue(&title, is_pull);
        let kind = if is_pull { "pulls" } else { "issues" };
        effects.push(format!("{kind}.create {number} {title}"));
        let content = request.content();
        let issue = self.issues.entry(number).or_default();
        for member in ["body", "head", "base", "draft"] {
            if !content[member].is_null() {
                issue[member] = content[member].clone();
            }
        }
        ProviderAnswer::json(201, issue)
    }

    fn update(
        &mut self,
        number: &str,
        request: &ProviderRequest,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer {
        let changed = self.tick();
        let Some(issue) = number.parse().ok().and_then(|number: u64| self.issues.get_mut(&number)) else {
            return missing();
        };
        let content = request.content();
        for member in ["title", "body", "state", "state_reason"] {
            if !content[member].is_null() {
                issue[member] = content[member].clone();
            }
        }
        issue["updated_at"] = Value::from(changed);
        effects.push(format!("issues.update {number} {content}"));
        ProviderAnswer::json(200, issue)
    }

    fn comment(
        &mut self,
        number: &str,
        request: &ProviderRequest,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer {
        let number = number.parse::<u64>().unwrap_or_default();
        let Some(text) = request.parameter("body").filter(|_| self.issues.contains_key(&number)) else {
            return missing();
        };
        effects.push(format!("issues.comment {number} {text}"));
        self.comments.push((number, text.clone()));
        ProviderAnswer::json(201, &json!({ "id": 70_000 + self.comments.len(), "body": text }))
    }

    fn issue(&self, number: &str, is_pull: bool) -> ProviderAnswer {
        let found = number.parse().ok().and_then(|number: u64| self.issues.get(&number));
        match found.filter(|issue| !is_pull || issue.get("pull_request").is_some()) {
            Some(issue) => limits(ProviderAnswer::json(200, issue)),
            None => missing(),
        }
    }

    /// Issues of the repository, or of all repositories, in the order of their last change.
    fn issues(&self, request: &ProviderRequest, is_pull: bool, manner: PageManner) -> ProviderAnswer {
        let state = request.parameter("state").unwrap_or("open".to_owned());
        let since = request.parameter("since").unwrap_or_default();
        let is_asked = |issue: &&Value| {
            let is_state = state == "all" || issue["state"] == state.as_str();
            let is_later = issue["updated_at"].as_str().unwrap_or_default() >= since.as_str();
            is_state && is_later && (!is_pull || issue.get("pull_request").is_some())
        };
        let mut found: Vec<Value> = self.issues.values().filter(is_asked).cloned().collect();
        found.sort_by_key(|issue| issue["updated_at"].to_string());
        self.list(&found, request, manner)
    }

    fn list(&self, all: &[Value], request: &ProviderRequest, manner: PageManner) -> ProviderAnswer {
        let size = request.number("per_page").unwrap_or(30).min(self.page_max).max(1);
        let page = request.number("page").unwrap_or(1).max(1);
        let (items, next) = cut(all, (page - 1) * size, size, manner);
        let answer = limits(ProviderAnswer::json(200, &Value::Array(items)));
        match next {
            Some(next) => {
                // GitHub names the repository by its number there.
                let address = format!(
                    "{}/repositories/1/issues?per_page={size}&page={}",
                    request.origin,
                    next / size + 1
                );
                answer.with("link", format!("<{address}>; rel=\"next\""))
            }
            None => answer,
        }
    }
}

impl Provider for GitHub {
    const BASE_PATH: &'static str = "";

    fn answer(
        &mut self,
        request: &ProviderRequest,
        manner: PageManner,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer {
        if request.header("user-agent").is_none() {
            return failed(
                403,
                "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
            );
        }
        let steps: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
        let method = request.method.as_str();
        match (method, steps.as_slice()) {
            ("GET", ["user"]) => {
                return limits(ProviderAnswer::json(200, &json!({ "login": "ann", "id": 1 })));
            }
            ("GET", ["issues"]) => return self.issues(request, false, manner),
            ("GET", ["user", "repos"]) => {
                let repository =
                    json!({ "id": 1, "name": "site", "full_name": "acme/site", "private": true });
                return self.list(&[repository], request, manner);
            }
            _ => {}
        }
        let Some(rest) = steps.strip_prefix(REPOSITORY.as_slice()) else { return missing() };
        match (method, rest) {
            ("GET", ["issues"]) => self.issues(request, false, manner),
            ("POST", ["issues"]) => self.create(request, false, effects),
            ("GET", ["issues", number]) => self.issue(number, false),
            ("PATCH", ["issues", number]) => self.update(number, request, effects),
            ("POST", ["issues", number, "comments"]) => self.comment(number, request, effects),
            ("GET", ["pulls"]) => self.issues(request, true, manner),
            ("POST", ["pulls"]) => self.create(request, true, effects),
            ("GET", ["pulls", number]) => self.issue(number, true),
            ("GET", ["pulls", _, "files"]) => {
                let file = json!({ "filename": "src/main.rs", "status": "modified", "patch": "@@ -1 +1 @@" });
                self.list(&[file], request, manner)
            }
            ("GET", ["contents", path @ ..]) => contents::read(&self.files, &path.join("/"), request),
            ("PUT", ["contents", path @ ..]) => {
                contents::write(&mut self.files, &path.join("/"), request, effects)
            }
            ("DELETE", ["contents", path @ ..]) => {
                contents::delete(&mut self.files, &path.join("/"), request, effects)
            }
            _ => missing(),
        }
    }

    fn signed_out(&self, _how: SignedOut) -> ProviderAnswer {
        failed(401, "Bad credentials")
    }

    /// GitHub's limits answer 403 as well as 429; this one says 403, which is the harder of the two to recognise.
    fn limited(&self) -> ProviderAnswer {
        failed(403, "API rate limit exceeded for user ID 1.").with("x-ratelimit-remaining", 0)
    }
}

fn limits(answer: ProviderAnswer) -> ProviderAnswer {
    answer.with("x-ratelimit-limit", 5000).with("x-ratelimit-remaining", 4987)
}

fn missing() -> ProviderAnswer {
    failed(404, "Not Found")
}

fn failed(status: u16, message: &str) -> ProviderAnswer {
    ProviderAnswer::json(
        status,
        &json!({ "message": message, "documentation_url": "https://docs.github.com/rest" }),
    )
}
