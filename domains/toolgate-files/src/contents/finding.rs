//! From an agent's id to its bytes: ids of this gateway, and ids of servers.

use bytes::Bytes;
use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::content::ContentHolder;
use toolgate_core::file::{FileName, Ref, RefOrigin};
use toolgate_core::id::{FileId, RefId};
use toolgate_core::{RawJson, Refusal, RefusalKind, ServerName, Tool};

use super::base64_run;
use super::kind::is_text;
use super::plan::{ContentSource, ExpansionPlan, LookupOutcome, PlannedItem, plan};
use super::render::preview;
use super::scan::{IdMention, MentionRole, scan};
use crate::access::ContentAccess;
use crate::files::{Files, FoundContent, StoredKind};
use crate::refusal::{self, UnknownContent, unknown};

const ARTIFACT_PREFIX: &str = "sha256:";

impl Files {
    /// The content of an agent's id, fetched from its server if it is still there.
    pub async fn find(&self, holder: &ContentHolder, id: &str) -> Result<FoundContent, Refusal> {
        let mention =
            IdMention { place: String::new(), id: id.to_owned(), role: MentionRole::Argument(String::new()) };
        let looked = self.look(holder, id).await?;
        let source = super::plan::source(None, &mention, looked);
        let source = source.map_err(|refusal| Refusal { field: None, ..refusal })?;
        self.fetched(holder, source).await
    }

    /// The use of each id in the arguments.
    pub(super) async fn planned(
        &self,
        holder: &ContentHolder,
        tool: &Tool,
        arguments: &Value,
    ) -> Result<ExpansionPlan, Refusal> {
        let mentions = scan(&tool.handling.files, arguments)?;
        let mut looked = Vec::with_capacity(mentions.len());
        for mention in &mentions {
            looked.push(self.look(holder, &mention.id).await?);
        }
        plan(tool, arguments, mentions, looked)
    }

    /// The bytes of an item, fetched from their server if they are still there.
    pub(super) async fn fetched_item(
        &self,
        holder: &ContentHolder,
        item: &PlannedItem,
    ) -> Result<FoundContent, Refusal> {
        self.fetched(holder, item.source.clone()).await
    }

    async fn fetched(&self, holder: &ContentHolder, source: ContentSource) -> Result<FoundContent, Refusal> {
        let newest = match source {
            ContentSource::Here(found) => return Ok(found),
            ContentSource::Server(refs) => refs.into_iter().next().expect("a server calls something so"),
        };
        match found(&newest) {
            Some(found) => Ok(found),
            None => self.fetch(holder, newest).await,
        }
    }

    async fn look(&self, holder: &ContentHolder, id: &str) -> Result<LookupOutcome, Refusal> {
        let is_ours = [FileId::PREFIX, RefId::PREFIX, ARTIFACT_PREFIX].iter().any(|own| id.starts_with(own));
        if is_ours && let Some(looked) = self.look_here(holder, id).await? {
            return Ok(looked);
        }
        let mut refs = self.called(holder, id).await?;
        // If several servers use the same id, agents put the server's name in front.
        if refs.is_empty()
            && let Some((server, own)) = id.split_once(':')
            && let Ok(server) = ServerName::new(server)
        {
            refs = self.called(holder, own).await?;
            refs.retain(|one| one.origin.as_ref().is_some_and(|origin| origin.server == server));
        }
        Ok(if refs.is_empty() { LookupOutcome::Nothing } else { LookupOutcome::AtServers(refs) })
    }

    async fn look_here(&self, holder: &ContentHolder, id: &str) -> Result<Option<LookupOutcome>, Refusal> {
        let access = ContentAccess::Session(holder);
        let looked = if id.starts_with(RefId::PREFIX) {
            let one = self.reference(&access, &RefId::new(id)).await;
            one.map(|one| {
                found(&one).map_or_else(|| LookupOutcome::AtServers(vec![one]), LookupOutcome::Here)
            })
        } else {
            self.resolve(&access, id).await.map(LookupOutcome::Here)
        };
        match looked {
            Ok(looked) => Ok(Some(looked)),
            Err(refusal) if refusal.kind == RefusalKind::NotFound => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }

    /// The contents under this id of a server, as far as the holder may use them.
    async fn called(&self, holder: &ContentHolder, own: &str) -> Result<Vec<Ref>, Refusal> {
        let refs = self.store().refs_by_own(own, &holder.session, holder.run.as_ref()).await;
        let mut refs = refs.map_err(refusal::down)?;
        let access = ContentAccess::Session(holder);
        refs.retain(|one| one.expires_at_ms > self.clock().now_ms() && access.may_use_ref(one));
        Ok(refs)
    }

    /// Fetches content from its server, and stores it here too.
    async fn fetch(&self, holder: &ContentHolder, one: Ref) -> Result<FoundContent, Refusal> {
        let origin = one.origin.as_ref().ok_or_else(|| unknown(UnknownContent::Ref, one.id.as_str()))?;
        let suppliers = self.suppliers().ok_or_else(|| not_supplied(origin))?;
        let read = suppliers.fetch(holder, &origin.server, &origin.own, origin.uri.as_deref()).await?;
        let bytes = contents_of(&read, origin).ok_or_else(|| nothing_there(origin))?;
        let bytes_max = self.settings().upload_bytes_max;
        if u64::try_from(bytes.len()).is_ok_and(|bytes| bytes > bytes_max) {
            return Err(refusal::too_large(bytes_max));
        }
        let text = std::str::from_utf8(&bytes).map(preview).unwrap_or_default();
        let put = self.blobs().put_bytes(bytes).await?;
        let media_type = self.media_type(&put, name_of(origin).as_ref()).await;
        let preview = if is_text(&media_type) { text } else { String::new() };
        let filled = self.store().fill_ref(&one.id, &put.digest, put.bytes, &media_type, &preview).await;
        if !filled.map_err(refusal::down)? {
            return Err(unknown(UnknownContent::Ref, &origin.own));
        }
        Ok(FoundContent {
            what: StoredKind::Ref,
            digest: put.digest,
            bytes: put.bytes,
            media_type,
            name: name_of(origin),
        })
    }
}

/// The bytes of a ref, if they are here.
pub(super) fn found(one: &Ref) -> Option<FoundContent> {
    Some(FoundContent {
        what: StoredKind::Ref,
        digest: one.digest?,
        bytes: one.bytes,
        media_type: one.media_type.clone(),
        name: one.origin.as_ref().and_then(name_of),
    })
}

/// The last step of the address that a server reads it under.
fn name_of(origin: &RefOrigin) -> Option<FileName> {
    let uri = origin.uri.as_deref()?;
    let path = uri.split(['?', '#']).next().unwrap_or(uri);
    let (_, last) = path.rsplit_once('/')?;
    FileName::new(last).ok().filter(|name| name.as_str().contains('.'))
}

/// The bytes in a result of `resources/read`: those of the address that was asked for, or the first.
fn contents_of(read: &RawJson, origin: &RefOrigin) -> Option<Bytes> {
    let read: Value = read.decode().ok()?;
    let contents = read.get("contents")?.as_array()?;
    let is_asked = |one: &&Value| one.get("uri").and_then(Value::as_str) == origin.uri.as_deref();
    let one = contents.iter().find(is_asked).or(contents.first())?;
    match (one.get("blob"), one.get("text")) {
        (Some(Value::String(blob)), _) => base64_run::decode(blob).map(Bytes::from),
        (_, Some(Value::String(text))) => Some(Bytes::from(text.clone())),
        _ => None,
    }
}

fn not_supplied(origin: &RefOrigin) -> Refusal {
    let message = format!("{} is still with its server {}", origin.own, origin.server);
    Refusal::new(&codes::REF_NOT_FETCHED, message).kind(RefusalKind::Down).hint("try again later")
}

fn nothing_there(origin: &RefOrigin) -> Refusal {
    let message = format!("server {} answered without the content of {}", origin.server, origin.own);
    Refusal::new(&codes::UNKNOWN_REF, message)
        .hint("the server may have forgotten it; call the tool that made it again")
}
