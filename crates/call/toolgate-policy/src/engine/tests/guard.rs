//! The guard permits and forbids, and denies calls that it cannot evaluate.

use toolgate_core::credential::CredentialUse;

use super::*;

fn guard(text: &str, arguments: Value) -> Verdict {
    verdict(&[(PolicyPurpose::Guard, text)], arguments)
}

#[test]
fn without_a_guard_everything_is_permitted() {
    assert_eq!(verdict(&[], json!({})), Verdict::Permit);
    assert_eq!(verdict(&[(PolicyPurpose::GatesShadow, "")], json!({})), Verdict::Permit);
}

#[test]
fn a_guard_that_permits_nothing_denies_everything() {
    let Verdict::Deny(denial) = guard("", json!({})) else { panic!("it is denied") };
    assert_eq!((denial.policies.len(), denial.error), (0, None));
}

#[test]
fn a_forbid_beats_every_permit_and_says_why() {
    let text = r#"permit(principal, action, resource);
        @id("no-money") @reason("not today") forbid(principal, action == Action::"bank:transfer", resource);"#;
    let Verdict::Deny(denial) = guard(text, json!({})) else { panic!("it is denied") };
    assert_eq!(denial.policies.len(), 1);
    assert_eq!(denial.policies[0].id, "no-money");
    assert_eq!(denial.policies[0].reason.as_deref(), Some("not today"));
    let engine = engine(&[(PolicyPurpose::Guard, text)]);
    assert_eq!(decide(&engine, &agent(), &balance(), json!({})).verdict, Verdict::Permit);
}

#[test]
fn arguments_decide() {
    let text = r#"permit(principal, action, resource);
        @id("limit") forbid(principal, action, resource)
        when { context.input has amount && context.input.amount.greaterThan(decimal("1000.0")) };"#;
    for (amount, denied) in [
        (json!(1000), false),
        (json!(1000.0), false),
        (json!(1000.00001), true),
        (json!(1001), true),
        (json!(1500.5), true),
        (json!(u64::MAX), true),
        (json!(1e300), true),
        (json!(-1e300), false),
        (json!(null), false),
    ] {
        let verdict = guard(text, json!({"amount": amount}));
        assert_eq!(matches!(verdict, Verdict::Deny(_)), denied, "{amount}");
    }
}

#[test]
fn a_whole_amount_that_is_too_large_for_its_type_does_not_slip_under_a_limit() {
    let text = r#"permit(principal, action, resource);
        forbid(principal, action, resource) when { context.input.copies > 10 };"#;
    for copies in [json!(11), json!(u64::MAX), json!(1e30), json!(10.5)] {
        assert!(matches!(guard(text, json!({"copies": copies})), Verdict::Deny(_)), "{copies}");
    }
    assert_eq!(guard(text, json!({"copies": 10})), Verdict::Permit);
}

#[test]
fn an_error_in_a_permit_or_a_forbid_denies_and_says_so() {
    let texts = [
        r#"permit(principal, action, resource); @id("bad") permit(principal, action, resource) when { context.input.nothing };"#,
        r#"permit(principal, action, resource); @id("bad") forbid(principal, action, resource) when { context.input.nothing == 1 };"#,
        r#"permit(principal, action, resource); @id("bad") forbid(principal, action, resource) when { resource.nothing };"#,
    ];
    for text in texts {
        let verdict = guard(text, json!({"amount": 1}));
        let error = denial_error(&verdict);
        assert!(error.starts_with("the policy `bad` could not be evaluated: "), "{error}");
        assert!(error.contains("nothing"), "{error}");
    }
}

#[test]
fn many_errors_are_counted() {
    let bad = "forbid(principal, action, resource) when { context.input.nothing };\n".repeat(5);
    let verdict = guard(&bad, json!({}));
    assert!(denial_error(&verdict).ends_with("; and 2 more"));
}

#[test]
fn arguments_that_are_no_object_are_denied_where_somebody_looks_at_them() {
    let text = "permit(principal, action, resource); forbid(principal, action, resource) when { context.input has a };";
    assert_eq!(guard(text, json!(null)), Verdict::Permit);
    assert_eq!(denial_error(&guard(text, json!([1]))), "the arguments are not an object");
}

#[test]
fn principals_have_kind_role_groups_and_name() {
    for (condition, expected) in [
        (r#"principal is Agent"#, true),
        (r#"principal is Human"#, false),
        (r#"principal == Agent::"helper""#, true),
        (r#"principal in Role::"agent""#, true),
        (r#"principal in Role::"admin""#, false),
        (r#"principal in Group::"payments""#, true),
        (r#"principal in Group::"finance""#, false),
        (r#"principal.name == "helper" && principal.role == "agent""#, true),
    ] {
        let text = format!("permit(principal, action, resource) when {{ {condition} }};");
        let engine = engine(&[(PolicyPurpose::Guard, &text)]);
        let helper = principal("helper", PrincipalKind::Agent, Role::Agent, &["payments"]);
        let permitted = decide(&engine, &helper, &transfer(), json!({})).verdict == Verdict::Permit;
        assert_eq!(permitted, expected, "{condition}");
    }
}

#[test]
fn scopes_choose_by_principal_action_and_resource() {
    for (scope, expected) in [
        (r#"principal is Agent, action, resource"#, true),
        (r#"principal is Human, action, resource"#, false),
        (r#"principal == Agent::"helper", action, resource"#, true),
        (r#"principal == Human::"helper", action, resource"#, false),
        (r#"principal in Group::"payments", action, resource"#, true),
        (r#"principal in Agent::"helper", action, resource"#, true),
        (r#"principal in Role::"agent", action, resource"#, true),
        (r#"principal is Agent in Group::"payments", action, resource"#, true),
        (r#"principal is Human in Group::"payments", action, resource"#, false),
        (r#"principal, action == Action::"bank:transfer", resource"#, true),
        (r#"principal, action == Action::"bank:balance", resource"#, false),
        (r#"principal, action in [Action::"bank:balance", Action::"bank:transfer"], resource"#, true),
        (r#"principal, action in [], resource"#, false),
        (r#"principal, action, resource == Tool::"bank:transfer""#, true),
        (r#"principal, action, resource in Server::"bank""#, true),
        (r#"principal, action, resource in Server::"shop""#, false),
        (r#"principal, action, resource in Tool::"bank:transfer""#, true),
        (r#"principal, action, resource is Tool in Server::"bank""#, true),
        (r#"principal, action, resource is Server"#, false),
    ] {
        let helper = principal("helper", PrincipalKind::Agent, Role::Agent, &["payments"]);
        let permitted = |text: &str| {
            let engine = engine(&[(PolicyPurpose::Guard, text)]);
            decide(&engine, &helper, &transfer(), json!({})).verdict == Verdict::Permit
        };
        assert_eq!(permitted(&format!("permit({scope});")), expected, "{scope}");
        // The same with a condition that looks at the call.
        let open = format!("permit({scope}) when {{ context has input }};");
        assert_eq!(permitted(&open), expected, "{open}");
        // And as Cedar itself sees it, with the scope written as a condition.
        let [principal, action, resource]: [&str; 3] = scope
            .splitn(2, ", action")
            .flat_map(|half| half.rsplitn(2, ", resource").collect::<Vec<_>>().into_iter().rev())
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_default();
        let parts = [principal, &format!("action{action}"), &format!("resource{resource}")];
        let condition =
            parts.iter().filter(|part| part.contains(' ')).copied().collect::<Vec<_>>().join(" && ");
        assert_eq!(
            permitted(&format!("permit(principal, action, resource) when {{ {condition} }};")),
            expected,
            "{condition}"
        );
    }
}

#[test]
fn tools_have_effects_traits_server_name_and_version() {
    let publish = tool("cms:publishPage", Effects::WRITE.and(Effects::EXTERNAL), Value::Null);
    let version = publish.version;
    for condition in [
        r#"resource.server == "cms" && resource.name == "publishPage""#,
        r#"resource.effects == ["external", "write"]"#,
        r#"!resource.read && resource.write && resource.external && !resource.destructive"#,
        r#"resource.traits == ["promotion"]"#,
        &format!("resource.version == \"{version}\""),
    ] {
        let text = format!("permit(principal, action, resource) when {{ {condition} }};");
        let engine = engine(&[(PolicyPurpose::Guard, &text)]);
        assert_eq!(decide(&engine, &agent(), &publish, json!({})).verdict, Verdict::Permit, "{condition}");
    }
}

#[test]
fn the_context_holds_session_run_task_and_template() {
    let text = r#"permit(principal, action, resource) when {
        context.session == "ses_1" && context.run == "run_1" && context.task == "t" && context.template == "exploratory" };
        permit(principal, action, resource) unless { context has session || context has run || context has task };"#;
    let engine = engine(&[(PolicyPurpose::Guard, text)]);
    let (session, run, arguments) = (SessionId::new("ses_1"), RunId::new("run_1"), json!({}));
    let (principal, tool) = (agent(), transfer());
    let full = PolicyRequest {
        session: Some(&session),
        run: Some(&run),
        task: Some("t"),
        ..question(&principal, &tool, &arguments)
    };
    assert_eq!(engine.decide(&full).verdict, Verdict::Permit);
    let other = PolicyRequest { task: Some("u"), ..full };
    assert!(matches!(engine.decide(&other).verdict, Verdict::Deny(_)));
}

#[test]
fn the_context_holds_the_credentials_of_a_call_by_id_and_origin() {
    let text = r#"permit(principal, action, resource) when { context has credential_origins
            && context.credential_origins.contains("https://jobs.example") && context.credentials.contains("cred_1") };
        forbid(principal, action, resource) when { context has new_credentials && context.new_credentials.contains("cred_2") };"#;
    let engine = engine(&[(PolicyPurpose::Guard, text)]);
    let (principal, tool, arguments) = (agent(), transfer(), json!({}));
    let is_permitted = |credentials: &[CredentialUse]| {
        let question = PolicyRequest { credentials, ..question(&principal, &tool, &arguments) };
        engine.decide(&question).verdict == Verdict::Permit
    };
    let used = |id: &str, origin: &str, is_new: bool| CredentialUse::supposed(Some(id), origin, is_new);
    let (jobs, bank) = (used("cred_1", "https://jobs.example", true), "https://bank.example");
    assert!(!is_permitted(&[]), "a call without credentials has none");
    assert!(is_permitted(std::slice::from_ref(&jobs)));
    assert!(!is_permitted(&[used("cred_1", bank, true)]));
    assert!(is_permitted(&[jobs.clone(), used("cred_2", bank, false)]));
    assert!(!is_permitted(&[jobs, used("cred_2", bank, true)]));
}

#[test]
fn what_was_worked_out_for_one_caller_is_not_used_for_another() {
    let text = r#"permit(principal in Group::"payments", action, resource) when { resource.write };"#;
    let engine = engine(&[(PolicyPurpose::Guard, text)]);
    let is_permitted = |groups: &[&str], tool: &toolgate_core::Tool| {
        let helper = principal("helper", PrincipalKind::Agent, Role::Agent, groups);
        decide(&engine, &helper, tool, json!({})).verdict == Verdict::Permit
    };
    let reading = toolgate_core::Tool { effects: Effects::READ, ..transfer() };
    assert!(is_permitted(&["payments"], &transfer()));
    assert!(!is_permitted(&[], &transfer()));
    assert!(!is_permitted(&["payments"], &reading));
    assert!(is_permitted(&["other", "payments"], &transfer()));
}
