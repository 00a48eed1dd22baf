//! WebDriver, as far as these tests need it: a session of a running driver, the page in it, elements of that
//! page, and the driver's errors. Everything is JSON over HTTP, one request after the other.
//!
//! Starting and ending programs is in `browser`, and finding elements by their visible text is in `person`. A
//! session is not closed: it ends with the driver. Written by hand because it is a dozen requests, and a
//! crate for it (fantoccini) brings nineteen packages, fourteen of them second versions of others. The
//! standard is <https://www.w3.org/TR/webdriver2/>.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use url::Url;

/// A page, or a script on it, that takes longer hangs; the driver reports it.
const PAGE_WAIT: Duration = Duration::from_secs(90);
/// Longer than the driver waits for a page, so that its own error about the page comes first.
const ANSWER_WAIT: Duration = Duration::from_secs(120);
/// The longest answers are pictures of whole pages.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// The key of an element reference.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Keys without a letter, in WebDriver's encoding.
pub(crate) mod key {
    pub(crate) const TAB: &str = "\u{e004}";
    pub(crate) const ENTER: &str = "\u{e007}";
    pub(crate) const ESCAPE: &str = "\u{e00c}";
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{asked}: the driver refused: {error}: {message}")]
    Refused { asked: String, error: String, message: String },
    /// The error of reqwest keeps its reason to itself unless it is printed in full.
    #[error("{asked}: the driver did not answer: {source:?}")]
    Unanswered { asked: String, source: reqwest::Error },
    #[error("{asked}: the driver answered more than {ANSWER_BYTES_MAX} bytes")]
    TooLong { asked: String },
    #[error("{asked}: the driver answered with status {status} what is not WebDriver: {answer}")]
    NotWebDriver { asked: String, status: u16, answer: String },
    #[error("{asked}: the driver answered something else than {wanted}: {answer}")]
    Unexpected { asked: &'static str, wanted: &'static str, answer: Value },
}

/// A session of the driver.
pub(crate) struct WebDriverClient {
    http: reqwest::Client,
    /// The address that all commands of the session begin with.
    base: String,
}

impl WebDriverClient {
    /// Opens a session with the driver at this address, in a browser that is as these capabilities say.
    pub(crate) async fn open(driver: &str, capabilities: Value) -> Result<Self, Error> {
        let http = reqwest::Client::builder().no_proxy().timeout(ANSWER_WAIT).build();
        let http = http.expect("a client without TLS can always be made");
        let mut client = Self { http, base: driver.to_owned() };
        let wish = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let opened = client.post("/session", wish).await?;
        let Some(id) = opened["sessionId"].as_str() else {
            return Err(Error::Unexpected { asked: "open a session", wanted: "its id", answer: opened });
        };
        client.base = format!("{driver}/session/{id}");
        let page_ms = PAGE_WAIT.as_millis();
        // Searches are repeated by the caller; the driver does not wait for elements to appear.
        client.post("/timeouts", json!({ "script": page_ms, "pageLoad": page_ms, "implicit": 0 })).await?;
        Ok(client)
    }

    /// Opens a page and waits until it is loaded.
    pub(crate) async fn goto(&self, address: &str) -> Result<(), Error> {
        self.post("/url", json!({ "url": address })).await.map(drop)
    }

    pub(crate) async fn current_url(&self) -> Result<Url, Error> {
        let said = self.get("/url").await?;
        let address = match said.as_str() {
            // A tab without an opened page.
            Some("") => Url::parse("about:blank").ok(),
            address => address.and_then(|address| Url::parse(address).ok()),
        };
        address.ok_or(Error::Unexpected { asked: "where the page is", wanted: "an address", answer: said })
    }

    /// Runs a script on the page; returns its result, or that of its promise.
    pub(crate) async fn execute(&self, script: &str, arguments: Vec<Value>) -> Result<Value, Error> {
        self.post("/execute/sync", json!({ "script": script, "args": arguments })).await
    }

    /// Runs a script that hands its answer to a function: the last of its arguments.
    pub(crate) async fn execute_async(&self, script: &str, arguments: Vec<Value>) -> Result<Value, Error> {
        self.post("/execute/async", json!({ "script": script, "args": arguments })).await
    }

    /// Accepts a dialog of the page.
    pub(crate) async fn accept_alert(&self) -> Result<(), Error> {
        self.post("/alert/accept", json!({})).await.map(drop)
    }

    pub(crate) async fn active_element(&self) -> Result<Element<'_>, Error> {
        self.found("what has the focus", self.get("/element/active").await?)
    }

    /// The element that a script has returned, if it is one.
    pub(crate) fn element(&self, returned: &Value) -> Option<Element<'_>> {
        let id = returned[ELEMENT].as_str()?;
        Some(Element { client: self, path: format!("/element/{id}") })
    }

    fn found(&self, asked: &'static str, answer: Value) -> Result<Element<'_>, Error> {
        self.element(&answer).ok_or(Error::Unexpected { asked, wanted: "an element", answer })
    }

    async fn get(&self, path: &str) -> Result<Value, Error> {
        let request = self.http.get(format!("{}{path}", self.base));
        finish(format!("GET {path}"), request).await
    }

    /// A command of the session by its path: of the standard, or of a specific driver.
    pub(crate) async fn post(&self, path: &str, body: Value) -> Result<Value, Error> {
        let request = self.http.post(format!("{}{path}", self.base));
        let request = request.header(CONTENT_TYPE, "application/json; charset=utf-8").body(body.to_string());
        finish(format!("POST {path}"), request).await
    }
}

/// An element of the page. It is gone when the page is.
pub(crate) struct Element<'a> {
    client: &'a WebDriverClient,
    path: String,
}

impl Element<'_> {
    pub(crate) async fn click(&self) -> Result<(), Error> {
        self.does("click", json!({})).await.map(drop)
    }

    pub(crate) async fn clear(&self) -> Result<(), Error> {
        self.does("clear", json!({})).await.map(drop)
    }

    pub(crate) async fn send_keys(&self, keys: &str) -> Result<(), Error> {
        self.does("value", json!({ "text": keys })).await.map(drop)
    }

    /// Clicks the option with this text. XPath cannot escape an apostrophe, so there is none in the label.
    pub(crate) async fn select_by_label(&self, label: &str) -> Result<(), Error> {
        let wish = json!({ "using": "xpath", "value": format!(".//option[.='{label}']") });
        let answer = self.does("element", wish).await?;
        self.client.found("find an option", answer)?.click().await
    }

    async fn does(&self, verb: &str, body: Value) -> Result<Value, Error> {
        self.client.post(&format!("{}/{verb}", self.path), body).await
    }
}

async fn finish(asked: String, request: RequestBuilder) -> Result<Value, Error> {
    let response = match request.send().await {
        Ok(response) => response,
        Err(source) => return Err(Error::Unanswered { asked, source }),
    };
    let status = response.status();
    let answer = read(&asked, response).await?;
    let parsed = serde_json::from_slice::<Value>(&answer).ok();
    let value = parsed.and_then(|mut answer| answer.get_mut("value").map(Value::take));
    match value {
        Some(value) if status.is_success() => Ok(value),
        Some(value) if value["error"].is_string() => Err(refused(asked, &value)),
        _ => {
            let answer = String::from_utf8_lossy(&answer).into_owned();
            Err(Error::NotWebDriver { asked, status: status.as_u16(), answer })
        }
    }
}

async fn read(asked: &str, mut response: Response) -> Result<Vec<u8>, Error> {
    let mut answer = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(part)) if answer.len() + part.len() > ANSWER_BYTES_MAX => {
                return Err(Error::TooLong { asked: asked.to_owned() });
            }
            Ok(Some(part)) => answer.extend_from_slice(&part),
            Ok(None) => return Ok(answer),
            Err(source) => return Err(Error::Unanswered { asked: asked.to_owned(), source }),
        }
    }
}

fn refused(asked: String, value: &Value) -> Error {
    let said = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
    Error::Refused { asked, error: said("error"), message: said("message") }
}
