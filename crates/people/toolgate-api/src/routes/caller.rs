//! The principal behind an access to bytes: a session's token stands for that session, any other for its
//! principal.

use toolgate_core::Principal;
use toolgate_core::content::Holder;
use toolgate_core::scope::{Credential, Route};
use toolgate_files::Access;

use crate::Context;
use crate::problem::Answered;

pub(super) enum Caller {
    Session(Box<Holder>),
    Person(Principal),
}

impl Caller {
    pub(super) async fn of(context: &Context, credential: &Credential) -> Answered<Self> {
        match credential.session {
            None => Ok(Caller::Person(credential.principal.clone())),
            Some(_) => {
                let seat = context.sessions.seat(credential, &Route::Default).await?;
                Ok(Caller::Session(Box::new(Holder::of(&seat))))
            }
        }
    }

    pub(super) fn access(&self) -> Access<'_> {
        match self {
            Caller::Session(holder) => Access::Session(holder),
            Caller::Person(principal) => Access::Person(principal),
        }
    }
}
