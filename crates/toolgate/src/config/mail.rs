//! `[mail]`: the server that takes mails, whom they come from and go to, and what they tell of.

use std::net::IpAddr;

use toolgate_core::egress::is_here;
use toolgate_courier::{BadDigestTime, DigestTime, MailAddress, MailEncryption, MailLogin, MailNotice};
use url::Url;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located, require};
use super::value::ReadContext;

pub(super) const KEYS: &[&str] =
    &["smtp", "tls", "user", "password", "from", "to", "notices", "digest_at", "timezone"];

/// Each address is delivered to by itself.
const RECIPIENTS_MAX: usize = 20;
/// For TLS from the start (RFC 8314), and for mails that programs hand in (RFC 6409).
const TLS_PORT: u16 = 465;
const PORT: u16 = 587;
const UTC: &str = "UTC";
const SMTP_EXPECTED: &str = "a host with or without a port, such as `smtp.example.com:587`";
const ADDRESS_EXPECTED: &str = "an address such as `gate@example.com` or `Toolgate <gate@example.com>`";

/// Where mails go, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MailSettings {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) encryption: MailEncryption,
    pub(crate) login: Option<MailLogin>,
    pub(crate) from: MailAddress,
    pub(crate) to: Vec<MailAddress>,
    pub(crate) notices: Vec<MailNotice>,
    pub(crate) digest_at: Option<DigestTime>,
}

/// `None` if a problem was added.
pub(super) fn read(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<MailSettings> {
    section.refuse_unknown_keys(KEYS, &[], problems);
    for (key, example) in NEEDED {
        require(section, key, example, problems);
    }
    let place = server(section, problems);
    let login = login(section, ctx, problems);
    let from = section.string("from", problems).and_then(|from| address("from", &from, problems));
    let to = recipients(section, problems);
    let words = MailNotice::ALL.map(|notice| (notice.as_str(), notice));
    let notices = section.words("notices", &words, "`toolgate.example.toml` shows them", problems);
    let digest_at = digest(section, problems);
    let (host, port, encryption) = place?;
    let notices = notices.unwrap_or_else(|| MailNotice::ALL.to_vec());
    Some(MailSettings { host, port, encryption, login, from: from?, to, notices, digest_at })
}

const NEEDED: [(&str, &str); 3] = [
    ("smtp", "\"smtp.example.com:587\""),
    ("from", "\"gate@example.com\""),
    ("to", "[\"approvers@example.com\"]"),
];

const ENCRYPTIONS: [(&str, MailEncryption); 3] = [
    ("required", MailEncryption::FromTheStart),
    ("starttls", MailEncryption::Upgraded),
    ("none", MailEncryption::Never),
];

fn server(
    section: &ConfigSection<'_>,
    problems: &mut ConfigProblems,
) -> Option<(String, u16, MailEncryption)> {
    let tls = section.word("tls", &ENCRYPTIONS, "leave the key out to have it by the port", problems);
    let smtp = section.string("smtp", problems)?;
    let Some(url) = smtp_url(smtp.value) else {
        let what = format!("`smtp` in `[mail]` cannot be {:?}", smtp.value);
        let hint = "or as a URL, `smtp://` or `smtps://`, without a path; `user` and `password` have keys of their own";
        problems.add(smtp.span, what, SMTP_EXPECTED, hint);
        return None;
    };
    let at_once = url.scheme() == "smtps" || url.port() == Some(TLS_PORT);
    let usual = if at_once { MailEncryption::FromTheStart } else { MailEncryption::Upgraded };
    let encryption = tls.unwrap_or(usual);
    let host = url.host_str()?.trim_start_matches('[').trim_end_matches(']').to_owned();
    if url.scheme() == "smtps" && encryption != MailEncryption::FromTheStart {
        let hint = "write `smtp://`, or leave `tls` out";
        problems.add(smtp.span, "`smtps://` in `[mail]` beside another `tls`", "`tls = \"required\"`", hint);
        return None;
    }
    if encryption == MailEncryption::Never && !leads_here(&host) {
        let what = format!("`tls = \"none\"` in `[mail]` with the server {host:?}");
        let hint = "on a network, whoever listens would read the mails and the password";
        problems.add(smtp.span, what, "`tls = \"none\"` only to `127.0.0.1`, `::1` or `localhost`", hint);
        return None;
    }
    let usual = if encryption == MailEncryption::FromTheStart { TLS_PORT } else { PORT };
    Some((host, url.port().unwrap_or(usual), encryption))
}

/// The address as a URL. `None` if it says anything else than scheme, host and port.
fn smtp_url(written: &str) -> Option<Url> {
    let url = match written.contains("://") {
        true => Url::parse(written),
        false => Url::parse(&format!("smtp://{written}")),
    };
    let url = url.ok()?;
    let is_bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    let is_named = url.host_str().is_some_and(|host| !host.is_empty());
    (matches!(url.scheme(), "smtp" | "smtps") && is_bare && is_anonymous && is_named).then_some(url)
}

fn leads_here(host: &str) -> bool {
    host.parse::<IpAddr>().map_or(host == "localhost", is_here)
}

fn login(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<MailLogin> {
    for (key, other) in [("user", "password"), ("password", "user")] {
        if let (Some(span), None) = (section.key_span(key), section.key_span(other)) {
            let what = format!("`[mail]` has `{key}` and no `{other}`");
            let hint = "keep the password in the environment: `password = \"${SMTP_PASSWORD}\"`";
            problems.add(span, what, "both of them or none", hint);
        }
    }
    let values = ctx.values(section);
    let user = section.string("user", problems).and_then(|user| values.plain("user", &user, problems));
    let password = section.string("password", problems);
    let password = password.and_then(|password| values.plain("password", &password, problems));
    user.zip(password).map(|(user, password)| MailLogin { user, password })
}

fn recipients(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Vec<MailAddress> {
    let written = section.strings("to", problems);
    if let Some(span) = section.key_span("to")
        && !(1..=RECIPIENTS_MAX).contains(&written.len())
    {
        let what = format!("`to` in `[mail]` has {} addresses", written.len());
        let hint = "the address of a mailing list reaches everyone on it";
        problems.add(span, what, format!("1 to {RECIPIENTS_MAX} addresses"), hint);
    }
    let mut read: Vec<MailAddress> = Vec::new();
    for one in &written {
        let Some(address) = address("to", one, problems) else { continue };
        if read.iter().any(|other| other.spec() == address.spec()) {
            let what = format!("`to` in `[mail]` has {:?} twice", address.spec());
            problems.add(one.span.clone(), what, "each address once", "remove one of them");
        }
        read.push(address);
    }
    read
}

fn address(key: &str, written: &Located<&str>, problems: &mut ConfigProblems) -> Option<MailAddress> {
    match MailAddress::read(written.value) {
        Ok(read) => Some(read),
        Err(why) => {
            let what = format!("{:?} in `{key}` of `[mail]` is no address of mail: {why}", written.value);
            let hint = "write it as ada@example.com, or as Ada <ada@example.com>";
            problems.add(written.span.clone(), what, ADDRESS_EXPECTED, hint);
            None
        }
    }
}

fn digest(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<DigestTime> {
    let zone = section.string("timezone", problems);
    let time = section.string("digest_at", problems);
    let named = zone.as_ref().map_or(UTC, |zone| zone.value);
    // A zone is checked even if there is no digest.
    let read = DigestTime::read(time.as_ref().map_or("00:00", |time| time.value), named);
    match (read, time, zone) {
        (Ok(read), Some(_), _) => return Some(read),
        (Err(BadDigestTime::Time), Some(time), _) => {
            let what = format!("`digest_at` in `[mail]` cannot be {:?}", time.value);
            problems.add(time.span, what, "a time of day such as `08:00`", "from `00:00` to `23:59`");
        }
        (Err(BadDigestTime::Zone), _, Some(zone)) => {
            let what = format!("there is no time zone {:?}", zone.value);
            problems.add(zone.span, what, "a name such as `Europe/Berlin`", "leave the key out for UTC");
        }
        _ => {}
    }
    None
}
