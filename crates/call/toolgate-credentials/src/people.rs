//! Logging people in by an identity provider: the code flow of OpenID Connect with PKCE, and what the provider's token says of
//! the person. Nothing of an unfinished login is kept here: the browser keeps a ticket, from which everything follows.

mod metadata;

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jsonwebtoken::Header;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;
use toolgate_core::governance::Clock;
use toolgate_core::server::ClientAuth;
use toolgate_core::{Principal, PrincipalKind, Role};
use url::Url;

use crate::bearer::{BearerAlgorithm, Jwks, claims, verified_claims};
use crate::clock::now_seconds;
use crate::oauth::{TokenClient, TokenEndpoint, TokenRefusal};
use crate::outbound::OutboundClient;
use crate::secret::{Secret, random_text};
use metadata::ProviderMetadata;

const TOKEN_BYTES_MAX: usize = 64 << 10;
/// The roles whose holders log in at the console, from the most powerful down.
const OPENING: [Role; 4] = [Role::Admin, Role::Operator, Role::Approver, Role::Auditor];

/// The operator's settings for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersonSettings {
    /// Exactly as in tokens.
    pub issuer: String,
    pub client_id: String,
    pub client_secret: Option<Secret>,
    pub scopes: Vec<String>,
    /// The claim that names the person.
    pub principal_claim: String,
    /// The claim whose values give roles: a list of texts, or one text.
    pub roles_claim: String,
    /// The role of each value. The most powerful one wins.
    pub roles: BTreeMap<String, Role>,
    pub groups_claim: Option<String>,
}

/// People log in by one provider. Clones share its keys and its metadata.
#[derive(Clone)]
pub struct PersonLogin {
    inner: Arc<PersonProvider>,
}

struct PersonProvider {
    settings: PersonSettings,
    keys: Arc<Jwks>,
    metadata: ProviderMetadata,
    outbound: OutboundClient,
}

/// A login that begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersonTicket {
    /// Where the browser goes.
    pub address: String,
    /// What only this browser may have, until it comes back.
    pub ticket: String,
}

/// What the browser brings back from the provider.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PersonAnswer {
    pub code: Option<String>,
    pub state: Option<String>,
    pub issuer: Option<String>,
    pub error: Option<String>,
}

/// The reason why nobody is logged in.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PersonRefused {
    /// The answer does not belong to a login of this browser, or is from another provider.
    #[error("this answer belongs to no login that was begun in this browser")]
    Stray,
    #[error("the identity provider said {0}")]
    Provider(String),
    #[error("{0}")]
    Token(String),
    /// The person has none of the values that give a role.
    #[error("{0}")]
    NoRole(String),
    #[error("{0}")]
    Away(String),
}

impl PersonLogin {
    pub fn new(settings: PersonSettings, egress: &Arc<Egress>, clock: Arc<dyn Clock>) -> Self {
        crate::bearer::install_provider();
        let keys = Arc::new(Jwks::new(&settings.issuer, None, egress));
        // The operator wrote the issuer down.
        let outbound = OutboundClient::new(Reach::Anywhere, egress);
        let metadata = ProviderMetadata::new(&settings.issuer, &outbound, clock);
        Self { inner: Arc::new(PersonProvider { settings, keys, metadata, outbound }) }
    }

    /// The host of the provider, as people know it.
    pub fn provider(&self) -> String {
        let issuer = &self.inner.settings.issuer;
        let host = Url::parse(issuer).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.unwrap_or_else(|| issuer.clone())
    }

    /// `redirect_uri` is the console's page that the browser comes back to.
    pub async fn begin(&self, redirect_uri: &str) -> Result<PersonTicket, PersonRefused> {
        let provider = &self.inner;
        let addresses = provider.metadata.addresses().await.map_err(away)?;
        let ticket = random_text().ok_or_else(|| away("this machine has no random numbers"))?;
        let unusable = |_| away(format!("{:?} is not an address", addresses.authorization));
        let mut address = Url::parse(&addresses.authorization).map_err(unusable)?;
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(part("verifier", &ticket)));
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &provider.settings.client_id)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("scope", &provider.settings.scopes.join(" "))
            .append_pair("state", &part("state", &ticket))
            .append_pair("nonce", &part("nonce", &ticket))
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(PersonTicket { address: address.into(), ticket })
    }

    pub async fn finish(
        &self,
        answer: PersonAnswer,
        ticket: &str,
        redirect_uri: &str,
    ) -> Result<Principal, PersonRefused> {
        let provider = &self.inner;
        let is_ours = is_of_ticket(answer.state.as_deref(), ticket);
        if !is_ours || answer.issuer.is_some_and(|issuer| issuer != provider.settings.issuer) {
            return Err(PersonRefused::Stray);
        }
        if let Some(error) = answer.error {
            return Err(PersonRefused::Provider(printable(&error)));
        }
        let code = answer.code.ok_or(PersonRefused::Stray)?;
        let token = provider.exchange(&code, ticket, redirect_uri).await?;
        let person = provider.person_of(&token, ticket).await;
        if matches!(person, Err(PersonRefused::Token(_))) {
            // Nobody but the provider gives tokens. Where they do not fit, it may have changed.
            provider.metadata.forget().await;
        }
        person
    }
}

impl PersonProvider {
    /// The ID token for a code.
    async fn exchange(&self, code: &str, ticket: &str, redirect_uri: &str) -> Result<String, PersonRefused> {
        let addresses = self.metadata.addresses().await.map_err(away)?;
        let secret = self.settings.client_secret.as_ref().map(Secret::expose);
        let client = TokenClient { id: &self.settings.client_id, secret, auth: ClientAuth::Header };
        let endpoint = TokenEndpoint { outbound: &self.outbound, url: &addresses.token, client };
        let verifier = part("verifier", ticket);
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", &verifier),
        ];
        let members = endpoint.ask(&form).await.map_err(|refusal| match refusal {
            TokenRefusal::Refused { said, .. } => PersonRefused::Provider(said),
            TokenRefusal::Later(said) | TokenRefusal::Unusable(said) => away(said),
        })?;
        let token = members["id_token"].as_str().filter(|token| token.len() <= TOKEN_BYTES_MAX);
        let missing = || refused("the identity provider gave no ID token: is `openid` among the scopes?");
        token.map(str::to_owned).ok_or_else(missing)
    }

    async fn person_of(&self, token: &str, ticket: &str) -> Result<Principal, PersonRefused> {
        let claims = self.verified(token).await?;
        person(&self.settings, &claims, &part("nonce", ticket), now_seconds() as f64)
    }

    async fn verified(&self, token: &str) -> Result<Map<String, Value>, PersonRefused> {
        let header =
            jsonwebtoken::decode_header(token).map_err(|_| refused("the ID token is not a signed JWT"))?;
        check_header(&header)?;
        let fitting = self.keys.fitting(header.kid.as_deref(), header.alg).await;
        let fitting = fitting.map_err(|why| away(why.description))?;
        let claims = fitting.keys.iter().find_map(|key| verified_claims(token, key, header.alg));
        claims.ok_or_else(|| refused("the signature of the ID token is not good"))
    }
}

fn check_header(header: &Header) -> Result<(), PersonRefused> {
    let usual = BearerAlgorithm::of(header.alg).is_some_and(|one| BearerAlgorithm::USUAL.contains(&one));
    // An access token of the same provider is no proof of who came.
    let is_id = header.typ.as_deref().is_none_or(|typ| typ.eq_ignore_ascii_case("jwt"));
    match (usual, is_id, &header.crit) {
        (false, _, _) => Err(refused("the ID token is signed with an algorithm that is not accepted")),
        (_, false, _) => Err(refused("the identity provider gave another token in place of an ID token")),
        (_, _, Some(_)) => Err(refused("the ID token demands an extension that is not known here")),
        _ => Ok(()),
    }
}

/// From the claims of a correctly signed ID token to a person. Pure.
fn person(
    settings: &PersonSettings,
    claims: &Map<String, Value>,
    nonce: &str,
    now: f64,
) -> Result<Principal, PersonRefused> {
    let judged = |result: Result<(), crate::BearerRefused>| result.map_err(|why| refused(why.description));
    judged(claims::check_times(claims, now).map(drop))?;
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    if text("iss") != Some(&settings.issuer) {
        return Err(refused("the ID token is from another issuer"));
    }
    let audiences: Vec<&str> = claims::texts(claims.get("aud")).collect();
    let is_ours = audiences.contains(&settings.client_id.as_str());
    // A token for several is good for whom it was issued to.
    let other_party = text("azp").is_some_and(|party| party != settings.client_id);
    if !is_ours || other_party || (audiences.len() > 1 && text("azp").is_none()) {
        return Err(refused("the ID token is for another client"));
    }
    if text("nonce") != Some(nonce) {
        return Err(PersonRefused::Stray);
    }
    let id =
        claims::principal_id(&settings.principal_claim, claims).map_err(|why| refused(why.description))?;
    let groups =
        claims::groups(settings.groups_claim.as_deref(), claims).map_err(|why| refused(why.description))?;
    let values: Vec<&str> = claims::texts(claims.get(&settings.roles_claim)).collect();
    let given: Vec<Role> = values.iter().filter_map(|value| settings.roles.get(*value).copied()).collect();
    let role = OPENING.into_iter().find(|role| given.contains(role)).ok_or_else(|| {
        PersonRefused::NoRole(format!(
            "{} may not log in here: no value of the claim {} gives a role",
            printable(id.as_str()),
            settings.roles_claim
        ))
    })?;
    Ok(Principal { id, kind: PrincipalKind::Human, role, groups })
}

/// True if a login that began with this ticket sent this state along. A browser without a ticket has begun none: what follows from
/// an empty one, everybody knows.
fn is_of_ticket(state: Option<&str>, ticket: &str) -> bool {
    !ticket.is_empty() && state == Some(&part("state", ticket))
}

/// What follows from a ticket, and says nothing about it.
fn part(label: &str, ticket: &str) -> String {
    let digest = Sha256::new().chain_update(label).chain_update([0]).chain_update(ticket).finalize();
    BASE64_URL_SAFE_NO_PAD.encode(digest)
}

fn printable(text: &str) -> String {
    text.chars().filter(|one| !one.is_control()).take(200).collect()
}

fn refused(why: impl Into<String>) -> PersonRefused {
    PersonRefused::Token(why.into())
}

fn away(why: impl Into<String>) -> PersonRefused {
    PersonRefused::Away(why.into())
}

#[cfg(test)]
mod tests;
