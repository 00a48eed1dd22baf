//! The console without a browser: one request, and its answer.

use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderMap, SET_COOKIE};
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient};

use super::links::{attribute, attributes};

/// A logged-in user, as their cookie.
#[derive(Clone)]
pub(crate) struct Visitor {
    http: reqwest::Client,
    base: String,
    pub(crate) cookie: String,
}

/// Follows no redirects and keeps no cookies.
pub(crate) fn client() -> reqwest::Client {
    let redirects = reqwest::redirect::Policy::none();
    reqwest::Client::builder().no_proxy().redirect(redirects).build().expect("a client")
}

pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// Sends the form of the login page.
pub(crate) async fn try_login(gateway: &Gateway, token: &str) -> HttpAnswer {
    let request = client().post(gateway.url("/console/login"));
    let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    HttpClient::finish(request.body(form(&[("token", token)]))).await
}

pub(crate) fn cookies(headers: &HeaderMap) -> Vec<String> {
    let set = headers.get_all(SET_COOKIE).iter();
    set.map(|cookie| cookie.to_str().expect("cookies are ASCII").to_owned()).collect()
}

impl Visitor {
    pub(crate) async fn enters(gateway: &Gateway, token: &str) -> Self {
        let answer = try_login(gateway, token).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        let cookie = cookies(&answer.headers).pop().expect("a login sets a cookie");
        let cookie = cookie.split(';').next().expect("a cookie has a value").to_owned();
        Self { http: client(), base: gateway.url(""), cookie }
    }

    pub(crate) async fn get(&self, path: &str) -> HttpAnswer {
        let request = self.http.get(format!("{}{path}", self.base)).header(COOKIE, &self.cookie);
        HttpClient::finish(request).await
    }

    /// The events, as they arrive, until the gateway ends them.
    pub(crate) async fn listens(&self) -> reqwest::Response {
        let request = self.http.get(format!("{}/console/events", self.base)).header(COOKIE, &self.cookie);
        request.send().await.expect("an answer")
    }

    /// The secret of every form of this user.
    pub(crate) async fn csrf(&self) -> String {
        let page = self.get("/").await.text;
        let inputs = page.split('<').filter(|tag| tag.contains("name=\"csrf\""));
        inputs.filter_map(|tag| attribute(tag, "value")).next().expect("a page has a form")
    }

    /// Sends a form, with exactly these fields and headers.
    pub(crate) async fn post(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> HttpAnswer {
        let mut request = self.http.post(format!("{}{path}", self.base)).header(COOKIE, &self.cookie);
        request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        HttpClient::finish(request.body(form(fields))).await
    }

    /// The targets of a page's links.
    pub(crate) async fn links(&self, path: &str) -> Vec<String> {
        attributes(&self.get(path).await.text, "href")
    }
}
