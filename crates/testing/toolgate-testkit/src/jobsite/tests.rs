//! The site as a browser sees it.

use serde_json::Value;

use super::*;

struct Story {
    site: JobSite,
    http: reqwest::Client,
    cookie: Option<String>,
    folder: tempfile::TempDir,
}

impl Story {
    fn open() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let site = JobSite::start(&folder.path().join("received.jsonl")).expect("a free port");
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        Self { site, http: http.build().expect("a client"), cookie: None, folder }
    }

    async fn send(&mut self, request: reqwest::RequestBuilder) -> (u16, String) {
        let request = match &self.cookie {
            Some(cookie) => request.header("cookie", cookie.as_str()),
            None => request,
        };
        let answer = request.send().await.expect("an answer");
        if let Some(set) = answer.headers().get("set-cookie").and_then(|set| set.to_str().ok()) {
            self.cookie = set.split(';').next().map(str::to_owned);
        }
        (answer.status().as_u16(), answer.text().await.expect("text"))
    }

    async fn get(&mut self, path: &str) -> (u16, String) {
        let request = self.http.get(format!("{}{path}", self.site.origin()));
        self.send(request).await
    }

    async fn post(&mut self, path: &str, form: &str) -> (u16, String) {
        let request = self.http.post(format!("{}{path}", self.site.origin()));
        let request =
            request.header("content-type", "application/x-www-form-urlencoded").body(form.to_owned());
        self.send(request).await
    }

    fn jobs(&self) -> Vec<String> {
        self.site.received().into_iter().map(|one| one.job).collect()
    }
}

const ADA: &str = "name=Ada+Lovelace&email=ada%40example.com";

#[tokio::test]
async fn an_application_is_stored_once_and_survives_the_site() {
    let mut story = Story::open();
    let (status, page) = story.get("/jobs/form/1001").await;
    assert!(status == 200 && page.contains("id=\"submit-application\""), "{page}");
    let (_, page) = story.post("/jobs/form/1001/apply", ADA).await;
    assert!(page.contains("Application received") && page.contains("NW-1001"), "{page}");
    let (status, page) = story.post("/jobs/form/1001/apply", ADA).await;
    assert!(status == 409 && page.contains("already applied"), "{page}");
    for _ in 0..2 {
        story.post("/jobs/form/1002/apply?fault=duplicates", ADA).await;
    }
    assert_eq!(story.jobs(), ["form/1001", "form/1002", "form/1002"]);
    let books = story.folder.path().join("received.jsonl");
    std::fs::write(&books, std::fs::read_to_string(&books).expect("it is there") + "{\"job\":")
        .expect("written");
    let again = JobSite::start(&books).expect("a free port");
    assert_eq!(again.received(), story.site.received(), "half a line was never answered");
}

#[tokio::test]
async fn faults_before_the_store_store_nothing_and_those_after_it_do() {
    let mut story = Story::open();
    let (status, page) = story.post("/jobs/form/1001/apply?fault=error", ADA).await;
    assert!(status == 500 && page.contains("do not know"), "{page}");
    assert_eq!(story.jobs(), ["form/1001"]);
    for (path, says) in [
        ("/jobs/form/1002/apply?fault=invalid", "Repeat email"),
        ("/jobs/form/1003/apply?fault=expired", "session has expired"),
    ] {
        let (_, page) = story.post(path, ADA).await;
        assert!(page.contains(says), "{page}");
        assert_eq!(story.jobs(), ["form/1001"]);
    }
    let whole = format!("{ADA}&again=ada%40example.com");
    story.post("/jobs/form/1002/apply?fault=invalid", &whole).await;
    story.post("/jobs/form/1003/apply?fault=expired", ADA).await;
    let (status, _) = story.post("/jobs/form/1004/apply?fault=slow", ADA).await;
    assert_eq!(status, 303);
    let (_, page) = story.get("/jobs/form/1004/thanks?fault=slow").await;
    assert!(page.contains("processing"), "{page}");
    assert_eq!(story.jobs(), ["form/1001", "form/1002", "form/1003", "form/1004"]);
}

#[tokio::test]
async fn a_wizard_takes_three_steps_and_a_file() {
    let mut story = Story::open();
    let (_, page) = story.get("/jobs/wizard/1001").await;
    assert!(page.contains("<iframe") && page.contains("/jobs/wizard/1001/step/1"), "{page}");
    let (_, page) = story.post("/jobs/wizard/1001/step/2", ADA).await;
    assert!(page.contains("type=\"file\"") && page.contains("multipart/form-data"), "{page}");
    let body =
        "--b\r\nContent-Disposition: form-data; name=\"cv\"; filename=\"cv.pdf\"\r\n\r\n1234\r\n--b--\r\n";
    let request = story.http.post(format!("{}/jobs/wizard/1001/step/3", story.site.origin()));
    let request = request.header("content-type", "multipart/form-data; boundary=b").body(body);
    let (_, page) = story.send(request).await;
    assert!(page.contains("cv.pdf (4 bytes)"), "{page}");
    story.post("/jobs/wizard/1001/apply", "").await;
    assert_eq!(story.site.received()[0].document, Some(("cv.pdf".to_owned(), 4)));
}

#[tokio::test]
async fn a_portal_wants_a_password_and_a_code_and_a_captcha_wants_a_person() {
    let mut story = Story::open();
    let (status, _) = story.post("/jobs/portal/1001/apply", ADA).await;
    assert_eq!((status, story.jobs().len()), (403, 0));
    let (status, _) = story.post("/jobs/portal/1001/login", "username=ada&password=wrong").await;
    assert_eq!(status, 403);
    let login = "username=ada&password=correct+horse+7+battery";
    let (_, page) = story.post("/jobs/portal/1001/login", login).await;
    assert!(page.contains("One-time code"), "{page}");
    let (_, judged) = story.get("/judge").await;
    let judged: Value = serde_json::from_str(&judged).expect("JSON");
    let code = judged["code"].as_str().expect("a code was sent").to_owned();
    story.post("/jobs/portal/1001/code", &format!("code={code}")).await;
    let (_, page) = story.get("/jobs/portal/1001").await;
    assert!(page.contains("attachShadow") && !page.contains("<button type=\"submit\""), "{page}");
    story.post("/jobs/portal/1001/apply", ADA).await;
    let (_, page) = story.get("/jobs/form/1002?fault=captcha").await;
    assert!(page.contains("Letters in the picture") && !page.contains("submit-application"), "{page}");
    let (_, picture) = story.get("/jobs/form/1002/captcha.svg?fault=captcha").await;
    assert!(picture.starts_with("<svg"), "{picture}");
    let (_, judged) = story.get("/judge").await;
    let judged: Value = serde_json::from_str(&judged).expect("JSON");
    let letters = judged["letters"].as_str().expect("letters were shown").to_owned();
    story.post("/jobs/form/1002/captcha?fault=captcha", &format!("letters={letters}")).await;
    story.post("/jobs/form/1002/apply?fault=captcha", ADA).await;
    assert_eq!(story.jobs(), ["portal/1001", "form/1002"]);
}
