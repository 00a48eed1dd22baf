//! The principal behind an access to bytes: a session's token stands for that session, any other for its
//! principal.

use toolgate_core::Principal;
use toolgate_core::content::ContentHolder;
use toolgate_core::scope::{Credential, SessionRoute};
use toolgate_files::ContentAccess;

use crate::ApiContext;
use crate::problem::ApiResult;

pub(super) enum ContentCaller {
    Session(Box<ContentHolder>),
    Person(Principal),
}

impl ContentCaller {
    pub(super) async fn of(context: &ApiContext, credential: &Credential) -> ApiResult<Self> {
        match credential.session {
            None => Ok(ContentCaller::Person(credential.principal.clone())),
            Some(_) => {
                let seat = context.sessions.seat(credential, &SessionRoute::Default).await?;
                Ok(ContentCaller::Session(Box::new(ContentHolder::of(&seat))))
            }
        }
    }

    pub(super) fn access(&self) -> ContentAccess<'_> {
        match self {
            ContentCaller::Session(holder) => ContentAccess::Session(holder),
            ContentCaller::Person(principal) => ContentAccess::Person(principal),
        }
    }
}
