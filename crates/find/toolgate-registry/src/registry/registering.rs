//! Servers that register, stay by heartbeats, and leave.

use serde_json::json;
use toolgate_core::codes;
use toolgate_core::event::Event;
use toolgate_core::server::InstanceId;
use toolgate_core::{Principal, Refusal, Role, ServerName};
use toolgate_store::{JoinKind, JoinedInstance, NewInstance, RegisterError, StoredInstance};

use super::Registry;
use crate::alias;
use crate::events::RegistryEvent;
use crate::known::Lease;
use crate::records::down;
use crate::registration::{self, LIMITS, check_speaker, lease_lost};
use crate::settings::address;
use crate::source::{Registration, ServerSource};
use crate::state::RegistryState;

const SAID_GOODBYE: &str = "it said goodbye";

impl Registry {
    /// Adds an instance of a server, or renews its data. The same data again is a heartbeat.
    pub async fn register(&self, by: &Principal, registration: Registration) -> Result<Lease, Refusal> {
        check_speaker(by, &registration.name)?;
        let desk = &self.desk;
        let at_ms = desk.clock.now_ms();
        let _held = desk.registrations.lock().await;
        let (registering, aliases) = {
            let state = desk.state();
            let registering = registration::read(&registration, state.file.addresses)?;
            registration::check_name(&registering.server, &state.roster)?;
            let aliases = check_aliases(&state, &registering)?;
            (registering, aliases)
        };
        let telling = RegistryEvent { at_ms, by: &by.id };
        let events = |join: JoinKind| joining(&telling, &registering, join, aliases);
        let joined = desk.books.upsert_instance(&registering, LIMITS, events).await.map_err(refused)?;
        let lease = registration::lease(&registering.server, &registering.spec.id, registering.lease);
        self.joined(registering, joined, at_ms);
        Ok(lease)
    }

    fn joined(&self, registering: NewInstance, joined: JoinedInstance, at_ms: i64) {
        let now = self.desk.since_start();
        let mut state = self.desk.state();
        let NewInstance { server, spec, lease, .. } = registering;
        state.leases.heard((server.clone(), spec.id.clone()), joined.beat, lease, now);
        // Known elsewhere and unchanged does not mean known here.
        if joined.join == JoinKind::Unchanged && state.lease_of(&server, &spec.id).is_some() {
            return;
        }
        state.join(StoredInstance { server, spec, lease, registered_at_ms: at_ms, beat: joined.beat });
        self.desk.changed(state);
    }

    pub async fn heartbeat(&self, by: &Principal, server: &str, instance: &str) -> Result<Lease, Refusal> {
        check_speaker(by, server)?;
        let (name, id) = place(server, instance)?;
        let beat = self.desk.store.bump_beat(&name, &id).await.map_err(down)?;
        let beat = beat.ok_or_else(|| lease_lost(server, instance))?;
        if self.desk.state().lease_of(&name, &id).is_none() {
            // It registered with another gateway a moment ago.
            self.desk.load_registrations().await.map_err(down)?;
        }
        let now = self.desk.since_start();
        let mut state = self.desk.state();
        let lease = state.lease_of(&name, &id).ok_or_else(|| lease_lost(server, instance))?;
        state.leases.heard((name.clone(), id.clone()), beat, lease, now);
        Ok(registration::lease(&name, &id, lease))
    }

    pub async fn leave(&self, by: &Principal, server: &str, instance: &str) -> Result<(), Refusal> {
        check_speaker(by, server)?;
        let (name, id) = place(server, instance)?;
        let telling = RegistryEvent { at_ms: self.desk.clock.now_ms(), by: &by.id };
        let event = telling.instance_left(&name, instance, SAID_GOODBYE);
        let _held = self.desk.registrations.lock().await;
        let left = self.desk.books.remove_instance_if(&name, &id, None, vec![event]).await.map_err(down)?;
        if !left {
            return Err(lease_lost(server, instance));
        }
        let mut state = self.desk.state();
        state.leave(&name, &id);
        self.desk.changed(state);
        // Nothing is sent there after its removal was confirmed.
        self.desk.hand_out();
        Ok(())
    }

    /// Takes a server out that registered, with all its instances. Its tools retire.
    pub async fn forget(&self, by: &Principal, server: &str) -> Result<(), Refusal> {
        if !matches!(by.role, Role::Admin | Role::Operator) {
            let message = format!("a token of role {} cannot remove a server", by.role.as_str());
            return Err(Refusal::new(&codes::WRONG_ROLE, message));
        }
        let name = ServerName::new(server).map_err(|_| unknown_server(server))?;
        let telling = RegistryEvent { at_ms: self.desk.clock.now_ms(), by: &by.id };
        let event = telling.server_forgotten(&name);
        let _held = self.desk.registrations.lock().await;
        let removed = self.desk.books.remove_registered_server(&name, vec![event]).await.map_err(down)?;
        if !removed {
            return Err(self.not_registered(&name));
        }
        let mut state = self.desk.state();
        for instance in state.registered.remove(&name).unwrap_or_default() {
            state.leases.forget(&(name.clone(), instance.spec.id));
        }
        state.first_registered_ms.remove(&name);
        self.desk.changed(state);
        self.desk.hand_out();
        Ok(())
    }

    fn not_registered(&self, name: &ServerName) -> Refusal {
        let state = self.desk.state();
        let source = state.roster.get(name).map(|entry| entry.source);
        let Some(source) = source.filter(|source| *source != ServerSource::Registered) else {
            return unknown_server(name.as_str());
        };
        let place = source.place();
        let message = format!("the server {name:?} did not register: it is configured in {place}");
        Refusal::new(&codes::CONFIGURED, message)
    }
}

fn unknown_server(server: &str) -> Refusal {
    Refusal::new(&codes::UNKNOWN_SERVER, format!("there is no server {server:?}"))
        .hint("`toolgate servers list` shows all")
}

fn place(server: &str, instance: &str) -> Result<(ServerName, InstanceId), Refusal> {
    let lost = || lease_lost(server, instance);
    Ok((ServerName::new(server).map_err(|_| lost())?, InstanceId::new(instance).map_err(|_| lost())?))
}

/// A name in another server's namespace is that server's, whether or not it has such a tool yet.
fn refuse_intruders(
    state: &RegistryState,
    registering: &NewInstance,
    candidates: &[toolgate_catalog::Alias],
) -> Result<(), Refusal> {
    let servers = || state.roster.entries.iter().map(|entry| &entry.spec.name);
    let intruder = candidates
        .iter()
        .find_map(|alias| Some((alias, alias::intruded(&alias.name, &registering.server, servers())?)));
    let Some((alias, server)) = intruder else { return Ok(()) };
    let message = format!(
        "the alias {:?} of server {:?} lies in the namespace of server {:?}",
        alias.name,
        registering.server.as_str(),
        server.as_str()
    );
    Err(Refusal::new(&codes::ALIAS_TAKEN, message)
        .field("tools")
        .hint("choose a name that begins with something else"))
}

/// The aliases before and after, if the new ones are available.
fn check_aliases(
    state: &RegistryState,
    registering: &NewInstance,
) -> Result<(Vec<toolgate_catalog::Alias>, Vec<toolgate_catalog::Alias>), Refusal> {
    let owner = alias::owner_of(&registering.server);
    let candidates = alias::of_extras(&registering.server, &registering.spec.extras);
    let others: Vec<_> = state.aliases.iter().filter(|alias| alias.owner != owner).cloned().collect();
    refuse_intruders(state, registering, &candidates)?;
    alias::check(state.tools(), &others, &candidates).map_err(|collision| {
        Refusal::new(&codes::ALIAS_TAKEN, collision.to_string())
            .field("tools")
            .hint("choose another name for it")
    })?;
    // The data of its other instances stays until they change it.
    let instances = state.registered.get(&registering.server).into_iter().flatten();
    let rest = instances
        .filter(|other| other.spec.id != registering.spec.id)
        .flat_map(|other| alias::of_extras(&registering.server, &other.spec.extras));
    let own = alias::each_once(candidates.into_iter().chain(rest));
    let after = others.into_iter().chain(own).collect();
    Ok((state.aliases.clone(), after))
}

fn joining(
    telling: &RegistryEvent<'_>,
    registering: &NewInstance,
    join: JoinKind,
    aliases: (Vec<toolgate_catalog::Alias>, Vec<toolgate_catalog::Alias>),
) -> Vec<Event> {
    let NewInstance { server, spec, lease, .. } = registering;
    let detail = json!({
        "instance": spec.id,
        "url": address::shown(&spec.url),
        "version": spec.version,
        "lease_seconds": lease.as_secs_f64(),
        "again": join == JoinKind::Changed,
    });
    let mut events = Vec::new();
    if join == JoinKind::FirstOfServer {
        events.push(telling.server_joined(server));
    }
    events.push(telling.instance_joined(server, detail));
    events.extend(telling.aliases(&aliases.0, &aliases.1));
    events
}

fn refused(error: RegisterError) -> Refusal {
    let message = error.to_string();
    match error {
        RegisterError::TooManyServers { .. } => Refusal::new(&codes::TOO_MANY_SERVERS, message),
        RegisterError::TooManyInstances { .. } => Refusal::new(&codes::TOO_MANY_INSTANCES, message),
        RegisterError::Store(error) => down(error),
    }
}
