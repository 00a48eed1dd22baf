//! The common parts of stories about files.

use bytes::Bytes;
use http::{Method, Request};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use toolgate_core::content::ContentHolder;
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::scope::Credential;
use toolgate_core::{Principal, Role};

use super::gate::{Gate, Read, introduce, request, somebody};

pub(super) fn agent() -> Principal {
    somebody("agent-7", Role::Agent)
}

pub(super) fn operator() -> Principal {
    somebody("ops", Role::Operator)
}

/// A request with a raw body.
pub(super) fn raw(
    method: Method,
    path: &str,
    who: Option<&Principal>,
    body: impl Into<Bytes>,
) -> Request<Full<Bytes>> {
    let mut request = request(method, path, who, "");
    request.headers_mut().remove("content-type");
    request.map(|_| Full::new(body.into()))
}

pub(super) fn with(
    mut request: Request<Full<Bytes>>,
    headers: &[(&'static str, &str)],
) -> Request<Full<Bytes>> {
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().expect("a value"));
    }
    request
}

/// One part of a form: `(field, file name, content)`.
pub(super) type Part<'a> = (&'a str, Option<&'a str>, &'a str);

pub(super) fn form(parts: &[Part<'_>]) -> String {
    let mut text = String::new();
    for (field, file, content) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        text +=
            &format!("--XX\r\nContent-Disposition: form-data; name=\"{field}\"{file}\r\n\r\n{content}\r\n");
    }
    text + "--XX--\r\n"
}

pub(super) const FORM: (&str, &str) = ("content-type", "multipart/form-data; boundary=XX");

impl Gate {
    pub(super) async fn send_form(&self, who: &Principal, parts: &[Part<'_>]) -> Read {
        self.send(with(raw(Method::POST, "/files", Some(who), form(parts)), &[FORM])).await
    }

    /// Keeps a file, and tells its id.
    pub(super) async fn keep(&self, who: &Principal, name: &str, content: &str) -> String {
        let stored = self.send_form(who, &[("file", Some(name), content)]).await;
        assert_eq!(stored.status, 201, "{stored:?}");
        stored.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Sends a body that breaks off.
    pub(super) async fn send_broken(&self, request: Request<Full<Bytes>>) -> Read {
        let (parts, body) = request.into_parts();
        let start = body.collect().await.expect("it is there").to_bytes();
        let broken = futures_util::stream::iter([
            Ok(Frame::data(start)),
            Err(std::io::Error::other("the connection was reset")),
        ]);
        let answer = self.api.serve(Request::from_parts(parts, StreamBody::new(broken))).await;
        read(answer).await
    }

    /// Files in the storage, or on their way there.
    pub(super) fn objects(&self) -> usize {
        count(&self.folder.path().join("files"))
    }
}

async fn read(answer: http::Response<crate::ApiBody>) -> Read {
    let (parts, body) = answer.into_parts();
    let bytes = body.collect().await.expect("it never fails").to_bytes();
    let text = String::from_utf8(bytes.to_vec()).expect("text");
    Read { status: parts.status, headers: parts.headers, text }
}

fn count(folder: &std::path::Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| if path.is_dir() { count(&path) } else { 1 })
        .sum()
}

/// The token of a session in a run, as the edge has it.
pub(super) fn holder(who: &Principal, session: &str, run: Option<&str>) -> ContentHolder {
    ContentHolder {
        principal: who.clone(),
        session: SessionId::new(session),
        opened_by: None,
        run: run.map(RunId::new),
        call: None,
    }
}

/// The same request with the token of a session.
pub(super) fn with_token(mut request: Request<Full<Bytes>>, credential: &Credential) -> Request<Full<Bytes>> {
    introduce(&mut request, credential.clone());
    request
}
