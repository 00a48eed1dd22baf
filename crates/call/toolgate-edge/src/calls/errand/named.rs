//! The files, refs and credentials that the arguments of a call name: looked up before people decide, looked at again once
//! they have, and written into the request.

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::content::{AttachedContents, Attachment, ContentHolder, ExpandedArguments};
use toolgate_core::credential::{CredentialHolder, CredentialUse, FilledArguments};
use toolgate_core::id::CallId;
use toolgate_core::{RawJson, Refusal};
use toolgate_pipeline::DeliveryError;
use toolgate_pipeline::redact::SecretMask;

use super::{Errand, LoadedRequest};
use crate::calls::tool_call::{METHOD, ToolCall};

impl Errand<'_> {
    /// True if the tool has arguments that take handles of credentials.
    pub(super) fn takes_secrets(&self) -> bool {
        !self.call.tool().handling.secrets.is_empty()
    }

    fn credential_holder(&self, call: Option<&CallId>) -> CredentialHolder {
        CredentialHolder { call: call.cloned(), ..CredentialHolder::of(&self.call.caller.client.seat()) }
    }

    pub(super) async fn look_up(&self, arguments: &Value) -> Result<AttachedContents, Refusal> {
        let attached = match &self.own {
            Some(own) => {
                let seat = self.call.caller.client.seat();
                self.own_call(own, &self.holder, &seat.scope).prepare(arguments).await?
            }
            None => self.look_up_named(arguments).await?,
        };
        let mut state = self.state.lock();
        state.attachments.clone_from(&attached.attachments);
        state.credentials.clone_from(&attached.credentials);
        drop(state);
        Ok(attached)
    }

    /// The files and the credentials that the arguments name.
    async fn look_up_named(&self, arguments: &Value) -> Result<AttachedContents, Refusal> {
        let (gateway, tool) = (&self.call.gateway, self.call.tool());
        let mut attached = gateway.contents.attach(&self.holder, tool, arguments).await?;
        if self.takes_secrets() {
            let holder = self.credential_holder(None);
            attached.credentials = gateway.handles.look_up(&holder, tool, arguments).await?;
        }
        Ok(attached)
    }

    /// People may have taken their time: what they agreed to must still be there, and the same.
    pub(super) async fn look_again(&self, arguments: &RawJson) -> Result<(), Refusal> {
        let (before, judged) = {
            let state = self.state.lock();
            (state.attachments.clone(), state.credentials.clone())
        };
        let AttachedContents { attachments: now, credentials, .. } =
            self.look_up(&arguments.decode().unwrap_or_default()).await?;
        let is_judged =
            |one: &CredentialUse| judged.iter().any(|it| it.id == one.id && it.field == one.field);
        if let Some(other) = credentials.iter().find(|one| !is_judged(one)) {
            let message = format!("{} was not in the call when it was judged", other.handle());
            return Err(Refusal::new(&codes::CREDENTIAL_CHANGED, message));
        }
        // An approver may have taken one out.
        let is_named = |one: &Attachment| match &self.own {
            Some(_) => now.iter().any(|it| it.id == one.id),
            None => arguments.as_str().contains(&one.id),
        };
        let is_same = |one: &Attachment| now.iter().any(|it| it.id == one.id && it.digest == one.digest);
        match before.iter().find(|one| is_named(one) && !is_same(one)) {
            None => Ok(()),
            Some(changed) => Err(Refusal::new(
                &codes::FILE_CHANGED,
                format!("{} is not what was agreed to any more", changed.id),
            )
            .hint("call again, which asks the approvers again")),
        }
    }

    /// The request with what its server wants of files in place of their ids, and of credentials in place of handles.
    pub(super) async fn loaded_request(
        &self,
        holder: &ContentHolder,
        changed: Option<RawJson>,
    ) -> Result<LoadedRequest, DeliveryError> {
        let attachments = self.state.lock().attachments.clone();
        let ToolCall { gateway, entry, request, .. } = self.call;
        let given = changed.clone().unwrap_or_else(|| self.given());
        let FilledArguments { arguments: filled, sent: values } =
            self.fill(holder, given.decode().unwrap_or_default()).await.map_err(DeliveryError::Refused)?;
        if values.is_empty() && !gateway.contents.concerns(self.call.tool(), &given) {
            // A tool that takes secrets was given none: its server gets what the caller wrote, byte for byte.
            return Ok(LoadedRequest { request: self.server_request(changed), sent: Vec::new(), mask: None });
        }
        let expanding = gateway.contents.expand(holder, self.call.tool(), &filled, &attachments);
        let ExpandedArguments { arguments, mut inserts, secrets: sent } =
            expanding.await.map_err(DeliveryError::Refused)?;
        let (params, start) = request.parts.params_with(METHOD, &entry.own, &arguments);
        // No header repeats the value of a credential.
        let seen = if values.is_empty() { RawJson::from_composed(arguments) } else { given };
        let mut upstream = self.request_with(params, Some(&seen));
        inserts.iter_mut().for_each(|insert| insert.at += start);
        upstream.inserts = inserts;
        Ok(LoadedRequest { request: upstream, sent, mask: SecretMask::new(values).map(Arc::new) })
    }

    /// The arguments with values in place of handles.
    async fn fill(&self, holder: &ContentHolder, arguments: Value) -> Result<FilledArguments, Refusal> {
        if !self.takes_secrets() {
            return Ok(FilledArguments { arguments, sent: Vec::new() });
        }
        let judged = self.state.lock().credentials.clone();
        let holder = self.credential_holder(holder.call.as_ref());
        self.call.gateway.handles.fill(&holder, self.call.tool(), arguments, &judged).await
    }
}
