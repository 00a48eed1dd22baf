//! The places where checkpoints are kept: a folder, a bucket, or another server.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use toolgate_files::NamedObjects;
use toolgate_outbound::{Client, Scheme, excerpt};

use super::folder;
use crate::config::{CheckpointSettings, Config};

/// The time that a receiver has to answer.
const ANSWER_WAIT: Duration = Duration::from_secs(20);
const ANSWER_BYTES_MAX: usize = 64 * 1024;
const EXCERPT_CHARS_MAX: usize = 200;
const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

pub(super) enum CheckpointAnchor {
    Folder(PathBuf),
    Bucket { prefix: String, objects: NamedObjects },
    Url { url: String, client: Box<Client> },
}

impl CheckpointAnchor {
    /// All that the configuration names.
    pub(super) fn all(settings: &CheckpointSettings, config: &Config) -> anyhow::Result<Vec<Self>> {
        let mut anchors: Vec<Self> = settings.folder.clone().map(Self::Folder).into_iter().collect();
        if let Some(prefix) = settings.object_prefix.clone() {
            let objects =
                NamedObjects::open(&config.files, &prefix).map_err(|refused| anyhow!(refused.message))?;
            let objects = objects.context("checkpoints are to be objects, and the files are in no bucket")?;
            anchors.push(Self::Bucket { prefix, objects });
        }
        for url in &settings.urls {
            let scheme = Scheme::of(url.split(':').next().unwrap_or_default());
            let scheme = scheme.with_context(|| format!("{url} is not an http or https address"))?;
            let client = Client::to(scheme, &config.egress)
                .with_context(|| format!("no connection to {url} can be made"))?;
            anchors.push(Self::Url { url: url.clone(), client: Box::new(client) });
        }
        Ok(anchors)
    }

    /// As messages and metrics name it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Folder(folder) => folder.display().to_string(),
            Self::Bucket { prefix, .. } => format!("bucket {prefix}"),
            // What follows a question mark may be secret.
            Self::Url { url, .. } => url.split('?').next().unwrap_or_default().to_owned(),
        }
    }

    pub(super) async fn keep(&self, name: &str, text: &str) -> anyhow::Result<()> {
        match self {
            Self::Folder(folder) => {
                let (folder, name, text) = (folder.clone(), name.to_owned(), text.to_owned());
                let writing = tokio::task::spawn_blocking(move || folder::keep(&folder, &name, &text));
                writing.await.context("writing a checkpoint was broken off")?
            }
            Self::Bucket { objects, .. } => {
                let put = objects.put(name, Bytes::from(text.to_owned())).await;
                put.map_err(|refused| anyhow!(refused.message))
            }
            Self::Url { url, client } => send(client, url, text).await,
        }
    }
}

async fn send(client: &Client, url: &str, text: &str) -> anyhow::Result<()> {
    let request = Request::builder().method(Method::POST).uri(url).header(CONTENT_TYPE, PLAIN_TEXT);
    let request = request.body(Bytes::from(text.to_owned())).context("a request cannot be made")?;
    let answer = client.send(request, ANSWER_WAIT, ANSWER_BYTES_MAX).await?;
    let status = answer.status();
    if !status.is_success() {
        let said = answer.into_body().unwrap_or_default();
        bail!("it answered {status}: {}", excerpt(&said, EXCERPT_CHARS_MAX));
    }
    Ok(())
}
