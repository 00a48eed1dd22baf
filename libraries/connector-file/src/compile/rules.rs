//! Rules of the whole provider.

use std::time::Duration;

use crate::auth::{AuthRule, KeyPlace, OAuthFlowRule, OAuthRule};
use crate::error::BadConnectorFile;
use crate::form::{
    AuthForm, AuthWord, ClientAuthWord, ErrorForm, FileForm, FlowWord, PageWord, PaginationForm, RetryForm,
};
use crate::pages::{PAGES_MAX, PageKind, PageRule};
use crate::rules::{AFTER, ErrorRule, OkRule, ProviderRules, RateRule, RetryRule, STATUSES, TRIES_MAX};
use crate::words::{Marked, RequestPlace};

const WAIT_S_DEFAULT: u64 = 60;

pub(crate) fn rules(form: &FileForm) -> ProviderRules {
    let ok = form.ok.as_ref();
    ProviderRules {
        ok: ok.map(|ok| OkRule { pointer: ok.pointer.get_ref().clone(), equals: ok.equals.clone() }),
        error: error(&form.error),
        retry: retry(&form.retry),
        rate: RateRule { remaining: form.rate.remaining.clone(), reset: form.rate.reset.clone() },
        headers: form.headers.iter().map(|(name, value)| (name.get_ref().clone(), value.clone())).collect(),
        hosts: form.hosts.iter().map(|host| host.get_ref().to_ascii_lowercase()).collect(),
    }
}

fn error(form: &ErrorForm) -> ErrorRule {
    let pointer = |one: &Option<Marked>| one.as_ref().map(|one| one.get_ref().clone());
    ErrorRule {
        says: pointer(&form.says),
        code: pointer(&form.code),
        sign_in: form.sign_in.clone(),
        again: form.again.clone(),
        unsure: form.unsure.clone(),
    }
}

fn retry(form: &RetryForm) -> RetryRule {
    RetryRule {
        statuses: form.statuses.clone().unwrap_or(STATUSES.to_vec()),
        statuses_if_limited: form.statuses_if_limited.clone(),
        after: form.after.clone().unwrap_or(AFTER.to_owned()),
        reset: form.reset.clone(),
        tries: form.tries.as_ref().map_or(TRIES_MAX, |tries| *tries.get_ref()),
        wait_max: Duration::from_secs(
            form.wait_s_max.as_ref().map_or(WAIT_S_DEFAULT, |wait| *wait.get_ref()),
        ),
    }
}

/// A page rule of a checked form.
pub(super) fn pages(form: &PaginationForm) -> PageRule {
    let parameter = form.parameter.clone().unwrap_or_default();
    let pointer = |one: &Option<Marked>| one.as_ref().map(|one| one.get_ref().clone());
    let kind = match form.kind.get_ref() {
        PageWord::Cursor => PageKind::Cursor {
            next: pointer(&form.next).unwrap_or_default(),
            more: pointer(&form.more),
            parameter,
        },
        PageWord::Link => PageKind::Link { parameters: form.parameters.clone() },
        PageWord::Offset => PageKind::Offset { parameter, first: form.first.unwrap_or(0) },
        PageWord::Page => PageKind::Number { parameter, first: form.first.unwrap_or(1) },
    };
    PageRule {
        kind,
        place: form.place.as_ref().map_or(RequestPlace::Query, |place| *place.get_ref()),
        size: form.size_parameter.clone().zip(form.size),
        pages_max: form.pages_max.as_ref().map_or(PAGES_MAX, |pages| *pages.get_ref()),
    }
}

pub(crate) fn auth(text: &str, form: Option<&AuthForm>) -> Result<AuthRule, BadConnectorFile> {
    let Some(form) = form else { return Ok(AuthRule::Open) };
    let extra = extra(form);
    match (made(form), extra) {
        (Some(rule), None) => Ok(rule),
        (Some(_), Some(extra)) => {
            let says = format!("`{extra}` is none of this kind of `auth`");
            Err(BadConnectorFile::of(text, &form.kind, says))
        }
        (None, _) => Err(BadConnectorFile::of(text, &form.kind, needs(form))),
    }
}

fn made(form: &AuthForm) -> Option<AuthRule> {
    Some(match form.kind.get_ref() {
        AuthWord::Key => {
            let place = match form.place? {
                RequestPlace::Header => KeyPlace::Header,
                RequestPlace::Query => KeyPlace::Query,
                _ => return None,
            };
            AuthRule::Key { place, name: form.name.clone()?, secret: form.secret.clone()? }
        }
        AuthWord::Basic => AuthRule::Basic { user: form.user.clone()?, password: form.password.clone()? },
        AuthWord::Bearer => AuthRule::Bearer { secret: form.secret.clone()? },
        AuthWord::Oauth2 => AuthRule::OAuth2(oauth(form)?),
        AuthWord::Signature => AuthRule::Signature { secret: form.secret.clone()? },
        AuthWord::None => AuthRule::Open,
    })
}

fn oauth(form: &AuthForm) -> Option<OAuthRule> {
    let flow = match form.flow.unwrap_or(FlowWord::Code) {
        FlowWord::Code => OAuthFlowRule::Code { authorization_url: address(&form.authorization_url)? },
        FlowWord::ClientCredentials => {
            let is_whole =
                form.authorization_url.is_none() && form.client_id.is_some() && form.client_secret.is_some();
            is_whole.then_some(OAuthFlowRule::ClientCredentials)?
        }
    };
    Some(OAuthRule {
        flow,
        token_url: address(&form.token_url)?,
        scopes: form.scopes.clone(),
        client_id: form.client_id.clone(),
        client_secret: form.client_secret.clone(),
        client_in_body: form.client_auth == Some(ClientAuthWord::Body),
    })
}

/// An address with a host, and without a password.
fn address(text: &Option<String>) -> Option<String> {
    let text = text.as_ref()?;
    let after = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme))?;
    let host = after.split(['/', '?']).next().unwrap_or_default();
    let fits = !host.is_empty() && !host.contains('@') && !text.contains(['#', ' ']);
    fits.then(|| text.clone())
}

fn needs(form: &AuthForm) -> &'static str {
    match form.kind.get_ref() {
        AuthWord::Key => {
            "`key` needs `place` (header or query), `name` and `secret`, the name of a secret in the vault"
        }
        AuthWord::Basic => "`basic` needs `user` and `password`, names of secrets in the vault",
        AuthWord::Bearer => "`bearer` needs `secret`, the name of a secret in the vault",
        AuthWord::Oauth2 if form.flow == Some(FlowWord::ClientCredentials) => {
            "`oauth2` with the flow `client_credentials` needs `token_url`, an address, and `client_id` and `client_secret`, names of secrets in the vault. Nobody signs in, so it has no `authorization_url`"
        }
        AuthWord::Oauth2 => "`oauth2` needs `authorization_url` and `token_url`, addresses",
        AuthWord::Signature => "`signature` needs `secret`, the name of a secret in the vault",
        AuthWord::None => "`none` needs nothing",
    }
}

/// A key that stands there and that nobody reads.
fn extra(form: &AuthForm) -> Option<&'static str> {
    let kind = *form.kind.get_ref();
    let is_key = kind == AuthWord::Key;
    let has_secret = matches!(kind, AuthWord::Key | AuthWord::Bearer | AuthWord::Signature);
    let (is_basic, is_oauth) = (kind == AuthWord::Basic, kind == AuthWord::Oauth2);
    let keys = [
        ("place", form.place.is_some() && !is_key),
        ("name", form.name.is_some() && !is_key),
        ("secret", form.secret.is_some() && !has_secret),
        ("user", form.user.is_some() && !is_basic),
        ("password", form.password.is_some() && !is_basic),
        ("authorization_url", form.authorization_url.is_some() && !is_oauth),
        ("token_url", form.token_url.is_some() && !is_oauth),
        ("scopes", !form.scopes.is_empty() && !is_oauth),
        ("flow", form.flow.is_some() && !is_oauth),
        ("client_id", form.client_id.is_some() && !is_oauth),
        ("client_secret", form.client_secret.is_some() && !is_oauth),
        ("client_auth", form.client_auth.is_some() && !is_oauth),
    ];
    keys.into_iter().find(|(_, is_extra)| *is_extra).map(|(name, _)| name)
}
