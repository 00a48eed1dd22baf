//! A user of the console. They open pages, read, click, type and press keys; they name things by their
//! visible text. Every wait is for something visible, with a limit.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, until_async};

use super::browser::{Browser, Chromium};
use super::webdriver::{Error, WebDriverClient};

/// The maximum wait on one page.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);
const FIND: &str = include_str!("find.js");
/// The width of the test phone, and of a desktop.
pub(crate) const PHONE: Screen = Screen { name: "phone", width: 360, height: 740 };
pub(crate) const DESK: Screen = Screen { name: "desk", width: 1280, height: 720 };

#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) name: &'static str,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

pub(crate) struct Person {
    pub(super) browser: Browser,
    base: String,
    has_left: bool,
}

impl Person {
    /// A user with a fresh browser at a desktop, without an open page.
    pub(crate) async fn at(gateway: &Gateway) -> Self {
        Self::with(Chromium::Shell, gateway).await
    }

    async fn with(what: Chromium, gateway: &Gateway) -> Self {
        let base = gateway.url("");
        let person = Self { browser: Browser::start(what).await, base, has_left: false };
        person.sits_at(DESK).await;
        person.prefers(Theme::Light).await;
        person
    }

    /// The same, already logged in.
    pub(crate) async fn logged_in(gateway: &Gateway, token: &str) -> Self {
        Self::at(gateway).await.and_logs_in(token).await
    }

    /// The same with a browser that can notify them.
    pub(crate) async fn logged_in_to_be_notified(gateway: &Gateway, token: &str) -> Self {
        let person = Self::with(Chromium::Whole, gateway).await.and_logs_in(token).await;
        person.lets_notify().await;
        person
    }

    async fn and_logs_in(self, token: &str) -> Self {
        self.log_in(token).await;
        // An earlier navigation would be undone by the answer.
        self.sees("Log out").await;
        self
    }

    /// The gateway has moved: another process, or a proxy in between.
    pub(crate) fn goes_to(&mut self, base: &str) {
        base.clone_into(&mut self.base);
    }

    fn client(&self) -> &WebDriverClient {
        &self.browser.client
    }

    // ------------------------------------------------------------------------------------------------------ going

    pub(crate) async fn open(&self, path: &str) {
        let address = format!("{}{path}", self.base);
        self.client().goto(&address).await.unwrap_or_else(|error| panic!("{path} did not open: {error}"));
    }

    pub(crate) async fn open_address(&self, address: &str) {
        self.client().goto(address).await.unwrap_or_else(|error| panic!("{address} did not open: {error}"));
    }

    /// The current path, without the host.
    pub(crate) async fn path(&self) -> String {
        let address = self.client().current_url().await.expect("a page has an address");
        let query = address.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{}{query}", address.path())
    }

    /// Waits until they are at an address that begins like this.
    pub(crate) async fn gets_to(&self, path: &str) {
        let there = until_async(PATIENCE, || async { self.path().await.starts_with(path).then_some(()) });
        if there.await.is_none() {
            panic!("never got to {path} but to {}, which says: {}", self.path().await, self.text().await);
        }
    }

    pub(crate) async fn log_in(&self, token: &str) {
        self.open("/console/login").await;
        self.fill("token", token).await;
        self.click("log in").await;
    }

    // ---------------------------------------------------------------------------------------------------- reading

    /// The status of the page.
    pub(crate) async fn status(&self) -> u64 {
        let script = "return performance.getEntriesByType('navigation')[0].responseStatus";
        self.run(script, vec![]).await.as_u64().expect("a page has a status")
    }

    /// All they can read on the page.
    pub(crate) async fn text(&self) -> String {
        let text = self.run("return document.body ? document.body.innerText : ''", vec![]).await;
        text.as_str().unwrap_or_default().to_owned()
    }

    async fn says(&self, text: &str) -> bool {
        let script =
            "return document.body !== null && plain(document.body.innerText).includes(plain(arguments[0]))";
        self.try_run(script, vec![json!(text)]).await.is_ok_and(|said| said == true)
    }

    /// Waits until this text is on the page.
    pub(crate) async fn sees(&self, text: &str) {
        let there = until_async(PATIENCE, || async { self.says(text).await.then_some(()) });
        if there.await.is_none() {
            panic!("never saw {text:?} at {} but: {}", self.path().await, self.text().await);
        }
    }

    /// Waits until this text is gone.
    pub(crate) async fn sees_no(&self, text: &str) {
        let gone = until_async(PATIENCE, || async { (!self.says(text).await).then_some(()) });
        if gone.await.is_none() {
            panic!("still sees {text:?} at {}: {}", self.path().await, self.text().await);
        }
    }

    /// True if there is such a control.
    pub(crate) async fn can_click(&self, name: &str) -> bool {
        self.run("return control(arguments[0]) !== null", vec![json!(name)]).await == true
    }

    /// Waits until a script on the page returns true.
    pub(crate) async fn until(&self, what: &str, script: &str) {
        let yes = until_async(PATIENCE, || async {
            self.try_run(script, vec![]).await.is_ok_and(|said| said == true).then_some(())
        });
        if yes.await.is_none() {
            panic!("never: {what}, at {}: {}", self.path().await, self.text().await);
        }
    }

    /// Waits until the page receives live events.
    pub(crate) async fn is_live(&self) {
        self.until("the page is live", "return document.getElementById('live').dataset.state === 'on'").await;
    }

    /// Leaves a mark that is gone after a reload.
    pub(crate) async fn marks_the_page(&self) {
        self.run("window.stayed = true", vec![]).await;
    }

    /// Fails if the page was reloaded since.
    pub(crate) async fn stayed(&self) {
        let stayed = self.run("return window.stayed === true", vec![]).await;
        assert_eq!(stayed, true, "somebody loaded the page again");
    }

    // ------------------------------------------------------------------------------------------------------ doing

    /// Clicks the control of this name: a link, a button.
    pub(crate) async fn click(&self, name: &str) {
        self.act(&format!("click {name:?}"), "return control(arguments[0])", vec![json!(name)], Act::Click)
            .await;
    }

    /// Clicks the control of this name in the part of the page with this text.
    pub(crate) async fn click_in(&self, said: &str, name: &str) {
        let script = "const found = part(arguments[0], (one) => control(arguments[1], one)); \
            return found && control(arguments[1], found)";
        let arguments = vec![json!(said), json!(name)];
        self.act(&format!("click {name:?} at {said:?}"), script, arguments, Act::Click).await;
    }

    /// Types into the field with this label, replacing its content.
    pub(crate) async fn fill(&self, label: &str, value: &str) {
        let act = Act::Fill(value.to_owned());
        self.act(&format!("fill {label:?}"), "return field(arguments[0])", vec![json!(label)], act).await;
    }

    /// Chooses an option of the list with this label.
    pub(crate) async fn choose(&self, label: &str, option: &str) {
        let act = Act::Choose(option.to_owned());
        self.act(&format!("choose at {label:?}"), "return field(arguments[0])", vec![json!(label)], act)
            .await;
    }

    /// Toggles the box with this label.
    pub(crate) async fn tick(&self, label: &str) {
        let script = "return field(arguments[0])";
        self.act(&format!("tick {label:?}"), script, vec![json!(label)], Act::Click).await;
    }

    /// Toggles the box in the part of the page with this text.
    pub(crate) async fn tick_in(&self, said: &str) {
        let script = "const boxes = (one) => one.querySelector('input[type=checkbox]'); \
            const found = part(arguments[0], boxes); return found && boxes(found)";
        self.act(&format!("tick at {said:?}"), script, vec![json!(said)], Act::Click).await;
    }

    /// The content of the field with this label.
    pub(crate) async fn value(&self, label: &str) -> String {
        let value = self.run("return field(arguments[0])?.value ?? null", vec![json!(label)]).await;
        value.as_str().unwrap_or_else(|| panic!("no field {label:?}")).to_owned()
    }

    /// Confirms the page's question.
    pub(crate) async fn agrees(&self) {
        let asked = until_async(PATIENCE, || async { self.client().accept_alert().await.ok() });
        asked.await.expect("the page asks");
    }

    /// Presses keys wherever the focus is.
    pub(crate) async fn press(&self, keys: &str) {
        let focused = self.client().active_element().await.expect("something has the focus");
        focused.send_keys(keys).await.expect("keys can be pressed");
    }

    /// The focused element, by its name.
    pub(crate) async fn focus(&self) -> String {
        let name = self.run("return plain(labelled(document.activeElement))", vec![]).await;
        name.as_str().unwrap_or_default().to_owned()
    }

    async fn act(&self, what: &str, script: &str, arguments: Vec<Value>, act: Act) {
        let last = std::cell::RefCell::new(String::from("it is not there"));
        let done = until_async(PATIENCE, || async {
            match self.try_act(script, arguments.clone(), &act).await {
                Ok(done) => done,
                // A part of the page was replaced between finding and clicking, or is still covered.
                Err(error) => {
                    *last.borrow_mut() = error.to_string();
                    None
                }
            }
        });
        if done.await.is_none() {
            let why = last.into_inner();
            panic!("cannot {what} at {}: {why}; the page says: {}", self.path().await, self.text().await);
        }
    }

    async fn try_act(&self, script: &str, arguments: Vec<Value>, act: &Act) -> Result<Option<()>, Error> {
        let found = self.try_run(script, arguments).await?;
        let Some(element) = self.client().element(&found) else { return Ok(None) };
        match act {
            Act::Click => element.click().await?,
            Act::Choose(option) => element.select_by_label(option).await?,
            Act::Fill(value) => {
                element.clear().await?;
                element.send_keys(value).await?;
            }
        }
        Ok(Some(()))
    }

    // ------------------------------------------------------------------------------------------------ the browser

    /// Runs a script on the page, with the words of `find.js`.
    pub(crate) async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.try_run(script, arguments).await.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    async fn try_run(&self, script: &str, arguments: Vec<Value>) -> Result<Value, Error> {
        self.client().execute(&format!("{FIND}\n{script}"), arguments).await
    }

    /// From the next page on, the browser gets no live events.
    pub(crate) async fn hears_nothing(&self) {
        self.browser.devtools("Network.enable", json!({})).await;
        self.browser.devtools("Network.setBlockedURLs", json!({ "urls": ["*/console/events*"] })).await;
    }

    /// From the next page on, notifications are allowed, and noted in `window.notified`.
    async fn lets_notify(&self) {
        let wish = json!({ "origin": self.base, "permissions": ["notifications"] });
        self.browser.devtools("Browser.grantPermissions", wish).await;
        let source = "window.notified = []; window.Notification = class extends Notification { \
            constructor(title, options) { super(title, options); window.notified.push([title, options.body]); } };";
        self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await;
    }

    pub(crate) async fn sits_at(&self, screen: Screen) {
        let size = json!({ "width": screen.width, "height": screen.height, "deviceScaleFactor": 1, "mobile": false });
        self.browser.devtools("Emulation.setDeviceMetricsOverride", size).await;
    }

    pub(crate) async fn prefers(&self, theme: Theme) {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme.word() }]);
        self.browser.devtools("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// The element that makes the page wider than the screen: a phone user would have to scroll sideways.
    pub(crate) async fn sticks_out(&self) -> Option<String> {
        let script = "const page = document.documentElement; const wide = [...document.body.querySelectorAll('*')] \
            .filter((one) => one.getBoundingClientRect().right > page.clientWidth + 1) \
            .slice(0, 5).map((one) => one.outerHTML.slice(0, 160)); \
            return [page.scrollWidth, page.clientWidth, wide]";
        let said = self.run(script, vec![]).await;
        let (content, screen) = (said[0].as_u64(), said[1].as_u64());
        (content > screen).then(|| format!("wider than the screen: {said}"))
    }

    /// Ends the visit. Fails if the browser complained of anything.
    pub(crate) async fn leaves(self) {
        self.leaves_forgiving(&[]).await;
    }

    /// The same, but complaints with one of these words are expected.
    pub(crate) async fn leaves_forgiving(mut self, expected: &[&str]) {
        let complaints = self.browser.complaints().await;
        let unexpected = complaints.iter().filter(|said| !expected.iter().any(|word| said.contains(word)));
        let unexpected: Vec<&String> = unexpected.collect();
        assert!(unexpected.is_empty(), "the browser complained: {unexpected:#?}");
        self.has_left = true;
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // Otherwise the browser's complaints would go unread.
        let read = self.has_left || std::thread::panicking();
        assert!(read, "a test ends with `leaves`");
    }
}

/// The action on the found element.
enum Act {
    Click,
    Fill(String),
    Choose(String),
}
