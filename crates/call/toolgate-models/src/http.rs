//! The connection to one model: its address, its place among the requests at the same time, and one request. Addresses are
//! checked whenever they are dialled; redirects are not followed.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::sync::{Semaphore, SemaphorePermit};
use toolgate_core::model::{KnownModel, ModelFault, ModelFaultKind};
use toolgate_outbound::{Pool, Resolver, Scheme, connector, pool, told};
use url::Url;

use crate::formats::WireRequest;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const PRODUCT: HeaderValue = HeaderValue::from_static(concat!("toolgate/", env!("CARGO_PKG_VERSION")));
/// The words of every refusal by the address rules.
const FORBIDDEN: &str = "may not be dialled";

pub(crate) struct ModelConnection {
    pub(crate) known: KnownModel,
    pool: Pool<Full<Bytes>>,
    places: Semaphore,
}

impl ModelConnection {
    /// Dials nothing yet. The error says why the address cannot be used.
    pub(crate) fn open(known: KnownModel) -> Result<Self, String> {
        let url = Url::parse(&known.definition.url).map_err(|error| error.to_string())?;
        let scheme = Scheme::of(url.scheme()).filter(|_| url.has_host());
        let scheme = scheme.ok_or("only http and https can be dialled")?;
        let resolver = Resolver::system(known.reach);
        resolver.check_literal(&url).map_err(|forbidden| forbidden.to_string())?;
        let connector = connector(scheme, &known.egress, resolver, CONNECT_TIMEOUT);
        let connector = connector.map_err(|error| error.to_string())?;
        let places = Semaphore::new(known.definition.limits.parallel_max);
        Ok(Self { known, pool: pool(connector), places })
    }

    /// A place among the requests at the same time.
    pub(crate) async fn place(&self) -> Result<SemaphorePermit<'_>, ModelFault> {
        let limits = self.known.definition.limits;
        if let Ok(Ok(place)) = tokio::time::timeout(limits.silence, self.places.acquire()).await {
            return Ok(place);
        }
        let message = format!(
            "model \"{}\" has {} requests under way, and none of them ended within {} s",
            self.known.definition.name,
            limits.parallel_max,
            limits.silence.as_secs_f64()
        );
        Err(ModelFault::new(ModelFaultKind::Busy, message))
    }

    /// Sends a request and waits for the head of its answer.
    pub(crate) async fn send(&self, wire: WireRequest) -> Result<Response<Incoming>, ModelFault> {
        let request = self.request(wire)?;
        let limit = self.known.definition.limits.silence;
        match tokio::time::timeout(limit, self.pool.request(request)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.away(&told(&error))),
            Err(_) => Err(self.away(&format!("no answer within {} s", limit.as_secs_f64()))),
        }
    }

    fn request(&self, wire: WireRequest) -> Result<Request<Full<Bytes>>, ModelFault> {
        let definition = &self.known.definition;
        let unusable = |what: &str| {
            let message = format!("model \"{}\" cannot be asked: {what}", definition.name);
            ModelFault::new(ModelFaultKind::Unusable, message)
        };
        let address = format!("{}{}", definition.url.trim_end_matches('/'), wire.path);
        let address = address.parse::<Uri>().map_err(|_| unusable("its address is not one"))?;
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        headers.insert(USER_AGENT, PRODUCT);
        for (name, value) in wire.headers {
            let name = HeaderName::from_bytes(name.as_bytes());
            let value = HeaderValue::from_str(&value);
            let (Ok(name), Ok(mut value)) = (name, value) else {
                return Err(unusable("its key has characters that no header allows"));
            };
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let mut request = Request::new(Full::new(wire.body.into_bytes()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = address;
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// The fault of a connection that could not be made, or that broke.
    pub(crate) fn away(&self, why: &str) -> ModelFault {
        let kind = if why.contains(FORBIDDEN) { ModelFaultKind::Unusable } else { ModelFaultKind::Away };
        ModelFault::new(kind, format!("model \"{}\" is away: {why}", self.known.definition.name))
    }

    /// The fault of an answer that makes no sense.
    pub(crate) fn nonsense(&self, why: &str) -> ModelFault {
        let message = format!("model \"{}\" answered nonsense: {why}", self.known.definition.name);
        ModelFault::new(ModelFaultKind::Nonsense, message)
    }
}
