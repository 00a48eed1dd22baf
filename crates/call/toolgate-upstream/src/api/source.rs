//! The bytes of a description: a file, or an address that is asked as any other of this server is.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode, header};
use toolgate_core::Digest;
use toolgate_core::address::Reach;
use toolgate_core::server::is_web_address;
use toolgate_outbound::{Client, OutboundAnswer, OutboundSettings, Resolver};
use url::Url;

use crate::client::shown;

const REDIRECTS_MAX: usize = 5;

/// The place of a description.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SourcePlace {
    File(PathBuf),
    Url(Url),
}

/// The reason why a description could not be read, in words for the person who configured it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum SourceTrouble {
    /// It may be there a moment later.
    #[error("{0}")]
    Away(String),
    #[error("{0}")]
    Bad(String),
}

/// A sign of the version that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SourceStamp {
    File {
        bytes: u64,
        modified: Option<SystemTime>,
    },
    /// Not every server has a tag for its documents, so the bytes count too.
    Url {
        tag: Option<HeaderValue>,
        digest: Digest,
    },
}

pub(super) struct SourceBytes {
    pub(super) bytes: Bytes,
    pub(super) stamp: SourceStamp,
}

/// Reads descriptions.
pub(super) struct SourceReader {
    client: Client,
    reach: Reach,
    limit: Duration,
    bytes_max: usize,
}

impl SourcePlace {
    /// A path is absolute, or relative to `folder`.
    pub(super) fn of(text: &str, folder: Option<&SourcePlace>) -> Result<Self, SourceTrouble> {
        if is_web_address(text) {
            let bad = |_| SourceTrouble::Bad(format!("{:?} is not an address", shown(text)));
            return Url::parse(text).map(Self::Url).map_err(bad);
        }
        match folder {
            Some(Self::Url(base)) => {
                let bad =
                    |_| SourceTrouble::Bad(format!("{text:?} leads nowhere from {}", shown(base.as_str())));
                base.join(text).map(Self::Url).map_err(bad)
            }
            Some(Self::File(file)) => Ok(Self::File(file.parent().unwrap_or(Path::new("")).join(text))),
            None => Ok(Self::File(PathBuf::from(text))),
        }
    }

    /// The place as people read it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Url(url) => shown(url.as_str()),
        }
    }

    pub(super) fn url(&self) -> Option<&Url> {
        match self {
            Self::File(_) => None,
            Self::Url(url) => Some(url),
        }
    }

    /// True if a description at this place may have the other one read: of the same origin, or beside it or below.
    pub(super) fn may_lead_to(&self, other: &SourcePlace) -> bool {
        match (self, other) {
            (Self::Url(own), Self::Url(other)) => own.origin() == other.origin(),
            (Self::File(own), Self::File(other)) => {
                let (Ok(own), Ok(other)) = (own.canonicalize(), other.canonicalize()) else { return false };
                own.parent().is_some_and(|folder| other.starts_with(folder))
            }
            _ => false,
        }
    }
}

impl SourceReader {
    pub(super) fn new(way: &OutboundSettings, limit: Duration, bytes_max: usize) -> Self {
        Self { client: Client::within(way.reach, &way.egress), reach: way.reach, limit, bytes_max }
    }

    /// Reads a description. `None` if it is still the one that `before` marks.
    pub(super) async fn read(
        &self,
        place: &SourcePlace,
        before: Option<&SourceStamp>,
    ) -> Result<Option<SourceBytes>, SourceTrouble> {
        match place {
            SourcePlace::File(path) => self.file(path, before).await,
            SourcePlace::Url(url) => self.fetched(url, before).await,
        }
    }

    async fn file(
        &self,
        path: &Path,
        before: Option<&SourceStamp>,
    ) -> Result<Option<SourceBytes>, SourceTrouble> {
        let away = |error: std::io::Error| {
            SourceTrouble::Away(format!(
                "{} could not be read: {error}; check `openapi` and `connector` of this server",
                path.display()
            ))
        };
        let about = tokio::fs::metadata(path).await.map_err(away)?;
        let stamp = SourceStamp::File { bytes: about.len(), modified: about.modified().ok() };
        if before == Some(&stamp) {
            return Ok(None);
        }
        if about.len() > self.bytes_max as u64 {
            return Err(self.too_large(&path.display().to_string()));
        }
        let bytes = tokio::fs::read(path).await.map_err(away)?;
        Ok(Some(SourceBytes { bytes: bytes.into(), stamp }))
    }

    async fn fetched(
        &self,
        url: &Url,
        before: Option<&SourceStamp>,
    ) -> Result<Option<SourceBytes>, SourceTrouble> {
        let tag = before.and_then(|stamp| match stamp {
            SourceStamp::Url { tag, .. } => tag.clone(),
            SourceStamp::File { .. } => None,
        });
        let mut at = url.clone();
        for _ in 0..=REDIRECTS_MAX {
            let answer = self.get(&at, tag.as_ref()).await?;
            if answer.status() == StatusCode::NOT_MODIFIED && tag.is_some() {
                return Ok(None);
            }
            match answer.headers().get(header::LOCATION).filter(|_| answer.status().is_redirection()) {
                Some(location) => at = next(&at, location)?,
                None => return Ok(Some(taken(&at, answer)?).filter(|found| !is_same(found, before))),
            }
        }
        Err(SourceTrouble::Bad(format!("{} redirects more than {REDIRECTS_MAX} times", shown(url.as_str()))))
    }

    async fn get(&self, url: &Url, tag: Option<&HeaderValue>) -> Result<OutboundAnswer, SourceTrouble> {
        let place = shown(url.as_str());
        let literal = Resolver::system(self.reach).check_literal(url);
        literal.map_err(|forbidden| SourceTrouble::Bad(forbidden.to_string()))?;
        let mut request = Request::new(Bytes::new());
        let bad = |_| SourceTrouble::Bad(format!("{place:?} is not an address"));
        *request.uri_mut() = url.as_str().parse::<http::Uri>().map_err(bad)?;
        let accept = HeaderValue::from_static("application/json, application/yaml, */*;q=0.8");
        request.headers_mut().insert(header::ACCEPT, accept);
        if let Some(tag) = tag {
            request.headers_mut().insert(header::IF_NONE_MATCH, tag.clone());
        }
        let answer = self.client.send(request, self.limit, self.bytes_max).await;
        answer.map_err(|error| SourceTrouble::Away(format!("{place} could not be read: {error}")))
    }

    fn too_large(&self, place: &str) -> SourceTrouble {
        SourceTrouble::Bad(format!(
            "{place} has more than {} bytes, which are the most that are read",
            self.bytes_max
        ))
    }
}

fn next(at: &Url, location: &HeaderValue) -> Result<Url, SourceTrouble> {
    let location = location.to_str().unwrap_or_default();
    let next = at.join(location).ok().filter(|next| next.origin() == at.origin());
    next.ok_or_else(|| {
        SourceTrouble::Bad(format!(
            "{} redirects to {}, which is another origin; give the address where the document really is",
            shown(at.as_str()),
            shown(location)
        ))
    })
}

fn taken(at: &Url, answer: OutboundAnswer) -> Result<SourceBytes, SourceTrouble> {
    let (head, body) = answer.into_parts();
    let place = shown(at.as_str());
    if !head.status.is_success() {
        let says = format!("{place} answered HTTP {} instead of a document", head.status.as_u16());
        return Err(match head.status.is_server_error() || head.status == StatusCode::TOO_MANY_REQUESTS {
            true => SourceTrouble::Away(says),
            false => SourceTrouble::Bad(says),
        });
    }
    let bytes = body.map_err(|error| SourceTrouble::Away(format!("{place} could not be read: {error}")))?;
    let stamp = SourceStamp::Url { tag: head.headers.get(header::ETAG).cloned(), digest: Digest::of(&bytes) };
    Ok(SourceBytes { bytes, stamp })
}

fn is_same(found: &SourceBytes, before: Option<&SourceStamp>) -> bool {
    match (&found.stamp, before) {
        (SourceStamp::Url { digest, .. }, Some(SourceStamp::Url { digest: known, .. })) => digest == known,
        _ => false,
    }
}
