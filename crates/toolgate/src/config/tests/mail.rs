//! `[mail]`.

use toolgate_courier::{MailEncryption, MailNotice};

use super::{accepted, refused};

#[test]
fn mail_has_every_key_read() {
    let config = accepted(
        r#"
        [mail]
        smtp = "smtps://smtp.example.com"
        user = "gate"
        password = "${TOKEN}"
        from = "Toolgate <gate@example.com>"
        to = ["ann@example.com", "Ben <ben@example.com>"]
        notices = ["reviews"]
        digest_at = "08:30"
        timezone = "Europe/Berlin"
        "#,
    );
    let mail = *config.mail.expect("it is configured");
    assert_eq!((mail.host.as_str(), mail.port), ("smtp.example.com", 465));
    assert_eq!(mail.encryption, MailEncryption::FromTheStart);
    let login = mail.login.expect("a login");
    assert_eq!((login.user.as_str(), login.password.as_str()), ("gate", "s3cret"));
    assert!(!format!("{login:?}").contains("s3cret"), "a password is not printed");
    assert_eq!(mail.from.to_string(), "Toolgate <gate@example.com>");
    let to: Vec<String> = mail.to.iter().map(ToString::to_string).collect();
    assert_eq!(to, ["ann@example.com", "Ben <ben@example.com>"]);
    assert_eq!(mail.notices, [MailNotice::Reviews]);
    assert_eq!(mail.digest_at.map(|at| at.to_string()).as_deref(), Some("08:30 Europe/Berlin"));
}

#[test]
fn encryption_of_mail_goes_by_the_port_unless_it_is_written() {
    let read = |smtp: &str, more: &str| {
        let rest = "from = \"gate@example.com\"\nto = [\"ann@example.com\"]";
        let mail = accepted(&format!("[mail]\nsmtp = \"{smtp}\"\n{rest}\n{more}")).mail;
        mail.map(|mail| (mail.host, mail.port, mail.encryption))
    };
    for (smtp, more, host, port, encryption) in [
        ("smtp.example.com", "", "smtp.example.com", 587, MailEncryption::Upgraded),
        ("smtp.example.com:465", "", "smtp.example.com", 465, MailEncryption::FromTheStart),
        ("smtp.example.com", "tls = \"required\"", "smtp.example.com", 465, MailEncryption::FromTheStart),
        ("smtp://[2001:db8::1]:2525", "", "2001:db8::1", 2525, MailEncryption::Upgraded),
        ("localhost:25", "tls = \"none\"", "localhost", 25, MailEncryption::Never),
        ("[::1]:25", "tls = \"none\"", "::1", 25, MailEncryption::Never),
    ] {
        assert_eq!(read(smtp, more), Some((host.to_owned(), port, encryption)), "{smtp} {more}");
    }
}

#[test]
fn mail_that_cannot_be_sent_is_refused_with_what_would_be_right() {
    let usual =
        [("smtp", "\"smtp.example.com\""), ("from", "\"gate@example.com\""), ("to", "[\"ann@example.com\"]")];
    for (key, value, what) in [
        ("smtp", "\"http://smtp.example.com\"", "a host with or without a port"),
        ("smtp", "\"smtp://user:word@smtp.example.com\"", "a host with or without a port"),
        ("smtp", "\"smtp.example.com/path\"", "a host with or without a port"),
        ("tls", "\"none\"", "`tls = \"none\"` only to"),
        ("tls", "\"off\"", "`required`, `starttls` or `none`"),
        ("user", "\"gate\"", "`[mail]` has `user` and no `password`"),
        ("password", "\"${TOKEN}\"", "`[mail]` has `password` and no `user`"),
        ("from", "\"gate\"", "is no address of mail"),
        ("from", "\"gate@example.com\\r\\nBcc: eve@evil.example\"", "is no address of mail"),
        ("to", "[]", "`to` in `[mail]` has 0 addresses"),
        ("to", "[\"ann@example.com\", \"Ann <ann@example.com>\"]", "each address once"),
        ("notices", "[\"approval\"]", "did you mean `approvals`?"),
        ("digest_at", "\"8\"", "a time of day such as `08:00`"),
        ("timezone", "\"Europe/Berlyn\"", "there is no time zone \"Europe/Berlyn\""),
    ] {
        let others = usual.iter().filter(|(other, _)| *other != key);
        let lines: String = others.map(|(key, value)| format!("{key} = {value}\n")).collect();
        let told = refused(&format!("[mail]\n{lines}{key} = {value}\n"));
        assert!(told.contains(what), "{key} = {value}: {told}");
        assert!(!told.contains("s3cret"), "{told}");
    }
}
