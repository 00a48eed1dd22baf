//! rmcp's requests, sent by our own client: the addresses are checked, whatever a server's metadata says.

use bytes::Bytes;
use http::Response;
use http::header::LOCATION;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};

use crate::outbound::OutboundClient;

const REDIRECTS_MAX: usize = 3;

impl OAuthHttpClient for OutboundClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let follow = request.redirect_policy == OAuthHttpRedirectPolicy::Follow;
            let hops = if follow { REDIRECTS_MAX } else { 0 };
            let answer = exchange(self, request.request.map(Bytes::from), hops).await?;
            Ok(answer.map(|body| body.to_vec()))
        })
    }
}

/// Follows only redirects that repeat the request unchanged, and only within one origin: no secret goes
/// elsewhere because of a redirect.
async fn exchange(
    outbound: &OutboundClient,
    mut request: http::Request<Bytes>,
    hops: usize,
) -> Result<Response<Bytes>, OAuthHttpClientError> {
    for _ in 0..hops {
        let answer = outbound.send(request.clone()).await?;
        match next(request.uri(), &answer) {
            Some(uri) => *request.uri_mut() = uri,
            None => return Ok(answer),
        }
    }
    Ok(outbound.send(request).await?)
}

fn next(from: &http::Uri, answer: &Response<Bytes>) -> Option<http::Uri> {
    if !matches!(answer.status().as_u16(), 307 | 308) {
        return None;
    }
    let base = url::Url::parse(&from.to_string()).ok()?;
    let to = base.join(answer.headers().get(LOCATION)?.to_str().ok()?).ok()?;
    (to.origin() == base.origin()).then(|| to.as_str().parse().ok()).flatten()
}
