//! One client: who it is, in which session, and what it declared that it can do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use toolgate_core::port::{AskKind, ClientKey};
use toolgate_core::scope::Seat;
use toolgate_core::server::Era;
use toolgate_core::{Principal, PrincipalId, Raw, RawJson};
use toolgate_wire::{ObjectMembers, ProtocolVersion, meta};

/// The capability of those that are asked by forms alone.
const FORMS: &str = r#"{"elicitation":{"form":{}}}"#;

/// The caller and its capabilities: fixed for a session of the older era, read from each request of the newer.
pub(crate) struct Client {
    pub(crate) key: ClientKey,
    pub(crate) principal: Principal,
    /// Its session, which decides what exists for it. It is found again for each request.
    seat: ArcSwap<Seat>,
    pub(crate) version: ProtocolVersion,
    pub(crate) capabilities: RawJson,
    pub(crate) info: Option<RawJson>,
    pub(crate) abilities: ClientAbilities,
    /// True for an agent of the gateways' own: people answer questions to it later.
    is_driven: bool,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct ClientAbilities {
    pub(crate) elicitation_form: bool,
    pub(crate) elicitation_url: bool,
    pub(crate) sampling: bool,
    pub(crate) roots: bool,
    pub(crate) tasks: bool,
}

impl ClientAbilities {
    pub(crate) fn of(capabilities: &RawJson) -> Self {
        // Most clients of tools declare nothing.
        if capabilities.as_bytes() == b"{}" {
            return Self::default();
        }
        let Ok(members) = ObjectMembers::of(capabilities) else {
            return Self::default();
        };
        let has = |object: Option<Raw<'_>>, key: &str| {
            object
                .is_some_and(|raw| ObjectMembers::parse(raw).is_ok_and(|members| members.get(key).is_some()))
        };
        let elicitation = members.get("elicitation");
        let url = has(elicitation, "url");
        Self {
            // An empty object is how clients declared forms before there was anything else.
            elicitation_form: elicitation.is_some() && (!url || has(elicitation, "form")),
            elicitation_url: url,
            sampling: members.get("sampling").is_some(),
            roots: members.get("roots").is_some(),
            tasks: has(members.get("extensions"), meta::TASKS_EXTENSION),
        }
    }

    pub(crate) fn can_answer(self, kind: AskKind) -> bool {
        match kind {
            AskKind::Elicitation => self.elicitation_form || self.elicitation_url,
            AskKind::Sampling => self.sampling,
            AskKind::Roots => self.roots,
        }
    }
}

impl Client {
    pub(crate) fn new(seat: Arc<Seat>, version: ProtocolVersion, capabilities: RawJson) -> Self {
        Self {
            key: next_key(),
            principal: seat.principal.clone(),
            seat: ArcSwap::new(seat),
            version,
            abilities: ClientAbilities::of(&capabilities),
            capabilities,
            info: None,
            is_driven: false,
        }
    }

    /// An agent of the gateways' own. Servers of the newer era hear that it takes questions. It answers none while a call is under
    /// way, so servers of the older era do not ask it.
    pub(crate) fn driven(seat: Arc<Seat>) -> Self {
        let client = Self::new(seat, ProtocolVersion::LATEST_MODERN, RawJson::EMPTY);
        let capabilities = RawJson::from_composed(FORMS.to_owned());
        Self { capabilities, is_driven: true, ..client }
    }

    /// True if somebody answers questions to it, now or later.
    pub(crate) fn takes_questions(&self) -> bool {
        let kinds = [AskKind::Elicitation, AskKind::Sampling];
        self.is_driven || kinds.into_iter().any(|kind| self.abilities.can_answer(kind))
    }

    /// The same client as it calls itself.
    pub(crate) fn called(self, info: Option<RawJson>) -> Self {
        Self { info, ..self }
    }

    pub(crate) fn seat(&self) -> Arc<Seat> {
        self.seat.load_full()
    }

    /// The owner of handles: a session cannot use those of another one. A driven run may have several sessions, one after another.
    pub(crate) fn owner(&self) -> PrincipalId {
        let seat = self.seat.load();
        match seat.run.as_ref().filter(|_| self.is_driven) {
            Some(run) => PrincipalId::new(&format!("{} {run}", self.principal.id)),
            None => PrincipalId::new(&format!("{} {}", self.principal.id, seat.session)),
        }
    }

    /// Takes the seat that was found for the next request. One of another session or principal is refused.
    pub(crate) fn sit(&self, seat: &Arc<Seat>) -> bool {
        let now = self.seat.load();
        if Arc::ptr_eq(&now, seat) {
            return true;
        }
        let same = now.session == seat.session && now.principal == seat.principal;
        if same {
            self.seat.store(seat.clone());
        }
        same
    }

    pub(crate) fn era(&self) -> Era {
        self.version.era()
    }
}

/// A key no other client has. A client of the newer era has nothing to be recognised by, so each of its calls counts as
/// one: agents that share a token must not be asked each other's questions.
pub(crate) fn next_key() -> ClientKey {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    ClientKey(NEXT.fetch_add(1, Ordering::Relaxed))
}
