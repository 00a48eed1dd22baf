use toolgate_core::PrincipalId;
use toolgate_core::RefusalKind;
use toolgate_core::tool::{FileStrategy, SlotForm};

use super::*;

fn registration() -> Registration {
    Registration {
        name: "files".into(),
        url: "https://example.com/mcp".into(),
        instance_id: "one".into(),
        ..Registration::default()
    }
}

fn refused(registration: Registration) -> (String, String) {
    let refusal = read(&registration, AddressRules::default()).expect_err("refused");
    assert_eq!((refusal.kind, refusal.code.name), (RefusalKind::Invalid, "invalid_registration"));
    (refusal.field.expect("a field"), refusal.message)
}

#[test]
fn a_lease_is_half_a_minute_unless_it_was_asked_for() {
    let lease_of = |seconds: Option<f64>| {
        let registering =
            read(&Registration { lease_seconds: seconds, ..registration() }, AddressRules::default());
        registering.expect("good").lease
    };
    assert_eq!(lease_of(None), Duration::from_secs(30));
    assert_eq!(lease_of(Some(5.0)), Duration::from_secs(5));
    let given =
        lease(&ServerName::new("files").expect("a name"), &InstanceId::only(), Duration::from_secs(30));
    assert_eq!((given.lease_seconds, given.heartbeat_seconds), (30.0, 10.0));
}

fn text() -> SlotForm {
    SlotForm {
        strategy: FileStrategy::PlainTextText,
        argument: None,
        content: None,
        media_type: None,
        file_name: None,
    }
}

#[test]
fn every_bad_registration_is_refused_at_its_place() {
    let extra = |extra: ToolExtra| BTreeMap::from([("read".to_owned(), extra)]);
    let many: BTreeMap<String, ToolExtra> =
        (0..2001).map(|at| (format!("t{at}"), ToolExtra::default())).collect();
    let cases = [
        (Registration { name: String::new(), ..registration() }, "name"),
        (Registration { name: "a:b".into(), ..registration() }, "name"),
        (Registration { instance_id: "a/b".into(), ..registration() }, "instance_id"),
        (Registration { url: "stdio".into(), ..registration() }, "url"),
        (Registration { url: "http://10.0.0.1/".into(), ..registration() }, "url"),
        (Registration { url: format!("https://x/{}", "x".repeat(2048)), ..registration() }, "url"),
        (Registration { version: Some("x".repeat(129)), ..registration() }, "version"),
        (Registration { version: Some("a\nb".into()), ..registration() }, "version"),
        (Registration { lease_seconds: Some(4.9), ..registration() }, "lease_seconds"),
        (Registration { lease_seconds: Some(601.0), ..registration() }, "lease_seconds"),
        (Registration { lease_seconds: Some(f64::NAN), ..registration() }, "lease_seconds"),
        (Registration { concurrency_max: Some(0), ..registration() }, "concurrency_max"),
        (Registration { tools: many, ..registration() }, "tools"),
        (
            Registration { tools: BTreeMap::from([(String::new(), ToolExtra::default())]), ..registration() },
            "tools",
        ),
        (
            Registration {
                tools: extra(ToolExtra { timeout_seconds: Some(-1.0), ..ToolExtra::default() }),
                ..registration()
            },
            "tools.read",
        ),
        (
            Registration {
                tools: extra(ToolExtra { aliases: vec!["x".into(); 17], ..ToolExtra::default() }),
                ..registration()
            },
            "tools.read",
        ),
        (
            Registration {
                tools: extra(ToolExtra { files: vec![text(), text()], ..ToolExtra::default() }),
                ..registration()
            },
            "tools.read",
        ),
    ];
    for (registration, field) in cases {
        let told = refused(registration);
        assert_eq!(told.0, field, "{}", told.1);
    }
}

#[test]
fn a_server_speaks_for_itself_and_operators_for_all() {
    let told = |id: &str, role: Role| {
        let refused = check_speaker(&Principal::new(PrincipalId::new(id), role), "files").err();
        refused.map(|refusal| (refusal.kind, refusal.code.name, refusal.message))
    };
    assert_eq!(told("files", Role::Server), None);
    assert_eq!(told("ada", Role::Operator), None);
    assert_eq!(told("ada", Role::Admin), None);
    let foreign = told("mail", Role::Server).expect("refused");
    assert_eq!(foreign.0, RefusalKind::Forbidden);
    assert_eq!(
        (foreign.1, foreign.2.as_str()),
        ("foreign_name", "this token is that of the server \"mail\", not of \"files\"")
    );
    for role in [Role::Agent, Role::Approver, Role::Auditor] {
        assert_eq!(told("files", role).expect("refused").1, "wrong_role");
    }
}
