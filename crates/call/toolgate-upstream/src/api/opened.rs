//! An API whose description has been read: its book, and the origin that its requests go to.

use std::time::Duration;

use connector_file::{BadConnectorFile, ConnectorFile, shipped};
use openapi_tools::{ReadLimits, join_base};
use toolgate_core::server::ApiSpec;
use toolgate_outbound::OutboundSettings;
use url::Url;

use super::book::{ApiBook, BookSources};
use super::document::{self, ReadDocument, on_a_thread};
use super::origin::ApiOrigin;
use super::source::{SourcePlace, SourceReader, SourceStamp, SourceTrouble};
use crate::client::shown;
use crate::context::ServerContext;

/// The places of the descriptions of one API.
pub(super) struct ApiSources {
    spec: ApiSpec,
    reader: SourceReader,
}

pub(super) struct OpenedApi {
    pub(super) book: ApiBook,
    pub(super) origin: ApiOrigin,
    stamps: ReadStamps,
}

/// The versions that were read, of those that can change.
#[derive(Default)]
struct ReadStamps {
    file: Option<(SourcePlace, SourceStamp)>,
    document: Option<(SourcePlace, SourceStamp)>,
}

/// What a sign-in needs to know.
pub(super) struct SignInSources {
    pub(super) base: Url,
    pub(super) file: Option<ConnectorFile>,
}

/// A connector file, and its place if it does not ship.
struct ReadFile {
    file: ConnectorFile,
    place: Option<(SourcePlace, SourceStamp)>,
}

impl ApiSources {
    pub(super) fn new(way: &OutboundSettings, limit: Duration, spec: &ApiSpec) -> Self {
        let reader = SourceReader::new(way, limit, ReadLimits::default().bytes_max);
        Self { spec: spec.clone(), reader }
    }

    /// Reads what a sign-in needs: the connector file, and the document only if nothing else tells the address of the API.
    pub(super) async fn sign_in(&self) -> Result<SignInSources, SourceTrouble> {
        let file = self.file().await?;
        let names_base = |read: &ReadFile| read.file.base_url().is_some();
        let document = match self.spec.base_url.is_some() || file.as_ref().is_some_and(names_base) {
            true => None,
            false => self.any_document(file.as_ref()).await?,
        };
        let base = self.base(file.as_ref().map(|read| &read.file), document.as_ref())?;
        Ok(SignInSources { base, file: file.map(|read| read.file) })
    }

    async fn any_document(&self, file: Option<&ReadFile>) -> Result<Option<ReadDocument>, SourceTrouble> {
        let named = file.and_then(|read| read.file.document());
        let folder = file.and_then(|read| read.place.as_ref()).map(|(place, _)| place);
        Ok(match (&self.spec.document, named) {
            (Some(own), _) => Some(self.document(SourcePlace::of(own, None)?).await?),
            (None, Some(named)) => Some(self.document(SourcePlace::of(named, folder)?).await?),
            (None, None) => None,
        })
    }

    /// Reads everything.
    pub(super) async fn read(&self, ctx: &ServerContext) -> Result<OpenedApi, SourceTrouble> {
        let file = self.file().await?;
        let document = self.any_document(file.as_ref()).await?;
        let base = self.base(file.as_ref().map(|read| &read.file), document.as_ref())?;
        let stamps = ReadStamps {
            file: file.as_ref().and_then(|read| read.place.clone()),
            document: document.as_ref().map(|read| (read.place.clone(), read.stamp.clone())),
        };
        let document_url = document.as_ref().and_then(|read| read.place.url().cloned());
        let sources = BookSources {
            file: file.map(|read| read.file),
            document: document.map(|read| read.document),
            lists_operations: self.spec.document.is_some(),
        };
        let has_own_base = self.spec.base_url.is_some();
        let at = base.clone();
        let book = on_a_thread(move || {
            let mut book = ApiBook::of(&sources)?;
            match has_own_base {
                true => book.forget_servers(),
                false => book.settle_servers(&at, document_url.as_ref()),
            }
            Ok::<_, String>(book)
        });
        let book = book
            .await?
            .map_err(|bad: String| SourceTrouble::Bad(format!("the connector file cannot be used: {bad}")))?;
        let origin = ApiOrigin::new(ctx, &base, &self.spec, &book.auth);
        let origin = origin.map_err(|bad| SourceTrouble::Bad(bad.to_string()))?;
        Ok(OpenedApi { book, origin, stamps })
    }

    /// Reads everything again if something has changed.
    pub(super) async fn read_again(
        &self,
        ctx: &ServerContext,
        before: &OpenedApi,
    ) -> Result<Option<OpenedApi>, SourceTrouble> {
        for read in [&before.stamps.file, &before.stamps.document] {
            let Some((place, stamp)) = read else { continue };
            if self.reader.read(place, Some(stamp)).await?.is_some() {
                return self.read(ctx).await.map(Some);
            }
        }
        Ok(None)
    }

    async fn file(&self) -> Result<Option<ReadFile>, SourceTrouble> {
        let Some(named) = &self.spec.connector else { return Ok(None) };
        let refused = |bad: BadConnectorFile| {
            SourceTrouble::Bad(format!("the connector file {named} cannot be used: {bad}"))
        };
        if let Some(file) = shipped(named) {
            return Ok(Some(ReadFile { file: file.map_err(refused)?, place: None }));
        }
        let place = SourcePlace::of(named, None)?;
        let Some(found) = self.reader.read(&place, None).await? else { return Ok(None) };
        let not_text = |_| SourceTrouble::Bad(format!("{} is not UTF-8", place.shown()));
        let text = String::from_utf8(found.bytes.to_vec()).map_err(not_text)?;
        let file = ConnectorFile::read(&text).map_err(refused)?;
        Ok(Some(ReadFile { file, place: Some((place, found.stamp)) }))
    }

    async fn document(&self, place: SourcePlace) -> Result<ReadDocument, SourceTrouble> {
        let read = document::read(&self.reader, &place, None).await?;
        read.ok_or_else(|| SourceTrouble::Away(format!("{} did not say anything", place.shown())))
    }

    /// The address of the API: the configured one, that of the connector file, or that of the document.
    fn base(
        &self,
        file: Option<&ConnectorFile>,
        document: Option<&ReadDocument>,
    ) -> Result<Url, SourceTrouble> {
        let said = self.spec.base_url.as_deref().or_else(|| file.and_then(ConnectorFile::base_url));
        if let Some(said) = said {
            let bad = |_| SourceTrouble::Bad(format!("`base_url` is {:?}, which is no address", shown(said)));
            return Url::parse(said).map_err(bad);
        }
        let Some(read) = document else {
            let words = "the connector file names no address, since each customer of the provider has one; set `base_url`";
            return Err(SourceTrouble::Bad(words.to_owned()));
        };
        base_of_document(read)
    }
}

/// A document that was fetched may name its own origin only: whoever changes it must not choose who is shown credentials.
fn base_of_document(read: &ReadDocument) -> Result<Url, SourceTrouble> {
    let own = read.place.url();
    let servers = read.document.servers();
    let server = servers.first().map_or("/", |server| server.url.as_str());
    let joined = join_base(own.map(Url::as_str), server, "/");
    let unusable = |why: String| {
        let place = read.place.shown();
        SourceTrouble::Bad(format!("{place} does not tell the address of its API ({why}); set `base_url`"))
    };
    let joined = joined.map_err(|bad| unusable(bad.to_string()))?;
    let base =
        Url::parse(joined.trim_end_matches('/')).map_err(|_| unusable(format!("it says {server:?}")))?;
    match own.filter(|own| own.origin() != base.origin()) {
        None => Ok(base),
        Some(_) => Err(SourceTrouble::Bad(format!(
            "{} says that its API is at {}, which is another origin; set `base_url` to the address if it is right",
            read.place.shown(),
            shown(base.as_str())
        ))),
    }
}
