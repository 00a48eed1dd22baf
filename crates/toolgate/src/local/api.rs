//! The REST API for commands: that of the running gateway, through its private socket, or that of a gateway of the
//! command's own. Whoever may open the data folder is the person at the command line.

use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Body;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::UnixStream;
use toolgate_api::Api;
use toolgate_core::scope::Credential;
use toolgate_store::Store;
use url::{Position, Url};

use super::{Problem, Socket, open_store};
use crate::config::Config;
use crate::wiring::{self, House, Record};

/// How long the gateway may take to begin its answer.
const ANSWER_WAIT: Duration = Duration::from_secs(60);
/// More than any list of a gateway within its limits.
const ANSWER_BYTES_MAX: usize = 256 << 20;
/// Addresses are made from this one; only what stands after its host is sent.
const BASE: &str = "http://toolgate/";

/// Whether a command needs to know which servers and tools there are. A gateway of its own has to ask them first, and
/// starts none where nobody wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Catalogue {
    Needed,
    NotNeeded,
}

pub(crate) struct LocalApi(Way);

enum Way {
    Running(SendRequest<Full<Bytes>>),
    Own(Box<Own>),
}

/// A gateway that lives as long as the command.
struct Own {
    house: House,
    store: Store,
}

impl LocalApi {
    pub(crate) async fn open(mut config: Config, catalogue: Catalogue) -> anyhow::Result<Self> {
        if let Some(api) = Self::running(&config).await? {
            return Ok(api);
        }
        let store = open_store(&config).await?;
        if catalogue == Catalogue::NotNeeded {
            config.servers.clear();
        }
        let house = wiring::start(&config, &store, config.listen, Record::No).await?;
        if catalogue == Catalogue::Needed {
            house.settle(config.limits.start_wait).await;
        }
        Ok(Self(Way::Own(Box::new(Own { house, store }))))
    }

    /// That of the gateway that runs on the data folder, if one does.
    pub(crate) async fn running(config: &Config) -> anyhow::Result<Option<Self>> {
        let Some(stream) = Socket::Api.connect(&config.data).await else { return Ok(None) };
        connected(stream).await.map(|sender| Some(Self(Way::Running(sender))))
    }

    pub(crate) async fn get(&mut self, path: &[&str], query: &[(&str, String)]) -> anyhow::Result<Value> {
        self.ask(Method::GET, path, query, None).await
    }

    pub(crate) async fn post(&mut self, path: &[&str], body: &Value) -> anyhow::Result<Value> {
        self.ask(Method::POST, path, &[], Some(body)).await
    }

    pub(crate) async fn delete(&mut self, path: &[&str]) -> anyhow::Result<Value> {
        self.ask(Method::DELETE, path, &[], None).await
    }

    pub(crate) async fn close(self) {
        if let Way::Own(own) = self.0 {
            own.house.stop().await;
            own.store.close().await;
        }
    }

    async fn ask(
        &mut self,
        method: Method,
        path: &[&str],
        query: &[(&str, String)],
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let request = request(method, path, query, body);
        let (status, bytes) = match &mut self.0 {
            Way::Running(sender) => {
                sender.ready().await.context("the gateway has gone")?;
                let answer = tokio::time::timeout(ANSWER_WAIT, sender.send_request(request)).await;
                let answer = answer.context("the gateway does not answer")?;
                read(answer.context("the gateway ended the connection")?).await?
            }
            Way::Own(own) => read(serve(&own.house.api, request).await).await?,
        };
        answered(status, &bytes)
    }
}

/// Hands a request to the API as one of the person at the command line.
pub(crate) async fn serve<B>(api: &Api, mut request: Request<B>) -> Response<toolgate_api::ApiBody>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Credential { principal, .. } = Socket::Api.credential();
    request.extensions_mut().insert(principal);
    request.extensions_mut().insert(Socket::Api.credential());
    api.serve(request).await
}

async fn connected(stream: UnixStream) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let shaken = http1::handshake(TokioIo::new(stream)).await;
    let (sender, connection) = shaken.context("the gateway does not speak HTTP on its socket")?;
    tokio::spawn(async move {
        // Whoever waits for an answer is told of it.
        drop(connection.await);
    });
    Ok(sender)
}

fn request(
    method: Method,
    path: &[&str],
    query: &[(&str, String)],
    body: Option<&Value>,
) -> Request<Full<Bytes>> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let request = Request::builder().method(method).uri(target(path, query));
    let request = request.header("host", "toolgate").header(CONTENT_TYPE, "application/json");
    request.body(Full::from(body)).expect("an address of encoded parts is one")
}

/// The parts of a path may hold anything.
fn target(path: &[&str], query: &[(&str, String)]) -> String {
    let mut url = Url::parse(BASE).expect("it is written above");
    url.path_segments_mut().expect("it has a host").clear().extend(path);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url[Position::BeforePath..].to_owned()
}

async fn read<B>(answer: Response<B>) -> anyhow::Result<(u16, Bytes)>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let status = answer.status().as_u16();
    match Limited::new(answer.into_body(), ANSWER_BYTES_MAX).collect().await {
        Ok(body) => Ok((status, body.to_bytes())),
        Err(error) => bail!("the answer of the gateway could not be read: {error}"),
    }
}

fn answered(status: u16, bytes: &[u8]) -> anyhow::Result<Value> {
    let body = match bytes {
        [] => Ok(Value::Null),
        _ => serde_json::from_slice(bytes),
    };
    if !(200..300).contains(&status) {
        return Err(Problem::read(status, &body.unwrap_or_default()).into());
    }
    body.context("the gateway sent something that is not JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_of_an_address_stay_parts_of_it() {
        let query = [("query", "a&b=c d".to_owned())];
        assert_eq!(target(&["tools", "search"], &query), "/tools/search?query=a%26b%3Dc+d");
        assert_eq!(target(&["agents", "a/b?ü"], &[]), "/agents/a%2Fb%3F%C3%BC");
    }

    #[test]
    fn what_is_no_success_is_a_problem() {
        assert_eq!(answered(204, b"").expect("nothing to say"), Value::Null);
        assert_eq!(answered(200, b"{\"a\":1}").expect("JSON"), json!({ "a": 1 }));
        let refused = answered(404, b"{\"detail\":\"there is none\",\"code\":\"x\"}").expect_err("a problem");
        let problem = refused.downcast_ref::<Problem>().expect("a problem");
        assert_eq!((problem.status, problem.code.as_str()), (404, "x"));
        assert!(answered(502, b"<html>").is_err_and(|error| error.to_string().contains("502")));
        assert!(answered(200, b"<html>").is_err());
    }
}
