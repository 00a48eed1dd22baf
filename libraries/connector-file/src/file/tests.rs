//! Facts about files that cannot be used, and about those that can.

use super::*;
use crate::auth::{KeyPlace, OAuthFlowRule, OAuthRule};
use crate::fixture::{HEAD, file};

const READ: &str = "[[actions]]\nname = \"look\"\ntitle = \"Look\"\ndescription = \"Looks.\"\nmethod = \"GET\"\npath = \"/t\"\n";

/// Lines before the part that a test adds.
const BEFORE: usize = 5;

fn bad(rest: &str) -> (usize, String) {
    let Err(error) = ConnectorFile::read(&format!("{HEAD}{rest}")) else { panic!("it is good: {rest}") };
    (error.line.saturating_sub(BEFORE), error.says)
}

#[track_caller]
fn check(rest: &str, line: usize, says: &str) {
    let (found, said) = bad(rest);
    assert!(said.contains(says), "{said:?} does not say {says:?}\n{rest}");
    assert_eq!(found, line, "{said}\n{rest}");
}

#[test]
fn text_that_is_no_toml_is_refused_with_its_line() {
    check("a = [\n", 1, "unclosed");
    check("\n\n= 3\n", 3, "");
    assert!(ConnectorFile::read("").is_err());
    let long = format!("# {}", "x".repeat(FILE_BYTES_MAX));
    assert!(ConnectorFile::read(&long).err().expect("too long").says.contains("at most"));
}

#[test]
fn a_newer_file_is_refused_before_its_keys_are_looked_at() {
    let newer = HEAD.replace("schema = 1", "# later\nschema = 2\nsurprise = true");
    let error = ConnectorFile::read(&newer).err().expect("it is newer");
    assert_eq!(
        error.to_string(),
        "line 2: the file has schema 2, and this program reads up to 1: it needs a newer program"
    );
    let zero =
        ConnectorFile::read(&HEAD.replace("schema = 1", "schema = 0")).err().expect("there is no such");
    assert!(zero.says.contains("counted from 1"));
    let none = ConnectorFile::read(&HEAD.replace("schema = 1\n", "")).err().expect("it has none");
    assert!(none.says.contains("schema"), "{none}");
}

#[test]
fn unknown_keys_are_refused_wherever_they_stand() {
    check("colour = 1\n", 1, "colour");
    check("[auth]\nkind = \"bearer\"\nsecret = \"s\"\ntoken = \"x\"\n", 4, "token");
    check("[retry]\nstatus = [1]\n", 2, "status");
    check("[pagination.p]\nkind = \"page\"\nparameter = \"page\"\ncolour = 1\n", 4, "colour");
    check(&format!("{READ}colour = 1\n"), 7, "colour");
    check(&format!("{READ}[actions.arguments.a]\nplace = \"query\"\ntype = \"string\"\n"), 9, "type");
    check("[[streams]]\nname = \"s\"\ncolour = 1\n", 3, "colour");
}

#[test]
fn secrets_are_named_and_never_written() {
    check("[headers]\nAuthorization = \"Bearer x\"\n", 2, "is a secret");
    let argument = "[actions.arguments.a]\nplace = \"header\"\nname = \"Cookie\"\nschema = {}\n";
    check(&format!("{READ}{argument}"), 7, "none that an argument may set");
}

#[test]
fn every_kind_of_sign_in_needs_its_own_and_nothing_else() {
    for (form, rule) in [
        ("kind = \"none\"", AuthRule::Open),
        ("kind = \"bearer\"\nsecret = \"s\"", AuthRule::Bearer { secret: "s".into() }),
        (
            "kind = \"key\"\nplace = \"header\"\nname = \"X-Key\"\nsecret = \"s\"",
            AuthRule::Key { place: KeyPlace::Header, name: "X-Key".into(), secret: "s".into() },
        ),
        (
            "kind = \"basic\"\nuser = \"u\"\npassword = \"p\"",
            AuthRule::Basic { user: "u".into(), password: "p".into() },
        ),
        ("kind = \"signature\"\nsecret = \"s\"", AuthRule::Signature { secret: "s".into() }),
        (
            "kind = \"oauth2\"\nauthorization_url = \"https://a/b\"\ntoken_url = \"https://a/t\"\nscopes = [\"x\"]",
            AuthRule::OAuth2(OAuthRule {
                flow: OAuthFlowRule::Code { authorization_url: "https://a/b".into() },
                token_url: "https://a/t".into(),
                scopes: vec!["x".into()],
                client_id: None,
                client_secret: None,
                client_in_body: false,
            }),
        ),
        (
            "kind = \"oauth2\"\nflow = \"client_credentials\"\ntoken_url = \"https://a/t\"\nclient_id = \"i\"\nclient_secret = \"s\"\nclient_auth = \"body\"",
            AuthRule::OAuth2(OAuthRule {
                flow: OAuthFlowRule::ClientCredentials,
                token_url: "https://a/t".into(),
                scopes: vec![],
                client_id: Some("i".into()),
                client_secret: Some("s".into()),
                client_in_body: true,
            }),
        ),
    ] {
        assert_eq!(*file(&format!("[auth]\n{form}\n")).auth(), rule);
    }
    for (form, says) in [
        ("kind = \"bearer\"", "needs `secret`"),
        ("kind = \"key\"\nname = \"k\"\nsecret = \"s\"", "`key` needs"),
        ("kind = \"key\"\nplace = \"path\"\nname = \"k\"\nsecret = \"s\"", "`key` needs"),
        ("kind = \"basic\"\nuser = \"u\"", "`basic` needs"),
        ("kind = \"oauth2\"", "`oauth2` needs"),
        ("kind = \"oauth2\"\nauthorization_url = \"a/b\"\ntoken_url = \"https://a/t\"", "`oauth2` needs"),
        (
            "kind = \"oauth2\"\nauthorization_url = \"https://a/b\"\ntoken_url = \"https://me:pw@a/t\"",
            "`oauth2` needs",
        ),
        (
            "kind = \"oauth2\"\nflow = \"client_credentials\"\ntoken_url = \"https://a/t\"\nclient_id = \"i\"",
            "`client_credentials` needs",
        ),
        ("kind = \"bearer\"\nsecret = \"s\"\nflow = \"code\"", "`flow` is none of this kind"),
        ("kind = \"none\"\nsecret = \"s\"", "`secret` is none of this kind"),
        ("kind = \"bearer\"\nsecret = \"s\"\nscopes = [\"x\"]", "`scopes` is none of this kind"),
    ] {
        check(&format!("[auth]\n{form}\n"), 2, says);
    }
    let key = AuthRule::Key { place: KeyPlace::Query, name: "k".into(), secret: "s".into() };
    assert_eq!((key.headers(), key.query()), (vec![], vec![("k".into(), "${vault:s}".into())]));
    let bearer = AuthRule::Bearer { secret: "s".into() };
    assert_eq!(bearer.headers(), [("authorization".to_owned(), "Bearer ${vault:s}".to_owned())]);
    assert_eq!(bearer.secrets(), ["s"]);
}

#[test]
fn limits_are_kept_small() {
    check("[retry]\ntries = 4\n", 2, "`tries` is 1 to 3");
    check("[retry]\ntries = 0\n", 2, "`tries` is 1 to 3");
    check("[retry]\nwait_s_max = 301\n", 2, "at most 300");
    check(
        "[pagination.p]\nkind = \"page\"\nparameter = \"p\"\npages_max = 1001\n",
        4,
        "`pages_max` is 1 to 1000",
    );
}

#[test]
fn every_kind_of_pages_needs_its_own() {
    check("[pagination.p]\nkind = \"cursor\"\nparameter = \"c\"\n", 2, "`cursor` needs `next`");
    check("[pagination.p]\nkind = \"cursor\"\nnext = \"next\"\nparameter = \"c\"\n", 3, "begins with `/`");
    check("[pagination.p]\nkind = \"link\"\n", 2, "`link` needs `parameters`");
    check("[pagination.p]\nkind = \"offset\"\nnext = \"/n\"\nparameter = \"o\"\n", 2, "need `parameter`");
    check(
        "[pagination.p]\nkind = \"page\"\nparameter = \"p\"\nplace = \"path\"\n",
        4,
        "`query`, `body` or `form`",
    );
    check("[pagination.p]\nkind = \"page\"\nparameter = \"p\"\nsize = 3\n", 1, "go together");
    check("[pagination.p]\nkind = \"turns\"\n", 2, "turns");
}

#[test]
fn names_are_names_and_there_is_one_of_each() {
    let provider = HEAD.replace("\"example\"", "\"My Example\"");
    let error = ConnectorFile::read(&provider).err().expect("no name");
    assert_eq!(error.line, 2);
    check(&READ.replace("look", "Look"), 2, "the name of an action has");
    check(&format!("{READ}{READ}"), 8, "the name of an action is there twice: `look`");
    check("probe = \"look\"\n", 1, "there is no action `look`");
    check(
        &format!("probe = \"look\"\n{}", READ.replace("GET", "POST"))
            .replace("path = \"/t\"", "path = \"/t\"\nidempotency = \"ledger\""),
        1,
        "`probe` reads",
    );
}

#[test]
fn an_action_has_one_source_of_requests() {
    check(
        "[[actions]]\nname = \"a\"\ntitle = \"A\"\ndescription = \"A.\"\n",
        2,
        "an action has `method` and `path`",
    );
    check(&READ.replace("method = \"GET\"\n", ""), 2, "an action has `method` and `path`");
    check(&format!("{READ}operation = \"o\"\n"), 2, "an action has `method` and `path`");
    check(&READ.replace("\"Looks.\"", "\" \""), 2, "agents read it");
    check(&READ.replace("\"/t\"", "\"t\""), 6, "begins with `/`");
    check(&READ.replace("\"GET\"", "\"BREW\""), 5, "BREW");
}

#[test]
fn an_action_that_changes_something_says_what_happens_if_its_answer_is_lost() {
    let write = READ.replace("GET", "POST");
    check(&write, 2, "`idempotency`");
    for (form, says) in [
        ("\"maybe\"", "`idempotency` is"),
        ("{ header = \"K\", natural = [\"a\"] }", "`idempotency` is"),
        ("{ }", "`idempotency` is"),
        ("{ natural = [\"a\"] }", "names of arguments"),
        ("{ header = \"no header\" }", "`idempotency` is"),
    ] {
        check(&format!("{write}idempotency = {form}\n"), 7, says);
    }
    assert!(ConnectorFile::read(&format!("{HEAD}{write}effects = \"read\"\n")).is_ok());
}

#[test]
fn every_argument_has_a_place_that_fits() {
    let with = |argument: &str| format!("{READ}[actions.arguments.a]\n{argument}");
    check(&with("schema = {}\n"), 7, "`place` is missing");
    check(&with("place = \"query\"\n"), 7, "a `schema` or is a `constant`");
    check(&with("place = \"path\"\nschema = {}\n"), 7, "the path has no `{a}`");
    check(&with("place = \"query\"\nschema = 3\n"), 7, "as a table");
    check(&with("place = \"query\"\nconstant = 1\nrequired = true\n"), 7, "is not asked for");
    check(&with("place = \"query\"\nschema = {}\nrequired = true\ndefault = 1\n"), 7, "is not `required`");
    check(&with("place = \"query\"\nschema = {}\npointer = \"/a\"\n"), 7, "for the place `body`");
    check(&with("place = \"body\"\nschema = {}\npointer = \"a\"\n"), 10, "begins with `/`");
    check(&with("place = \"query\"\nschema = {}\nencode = \"bytes\"\n"), 7, "does not fit the place");
    check(&READ.replace("/t\"", "/t/{id}\""), 6, "the name `id`");
    let two = "place = \"body\"\nschema = {}\n[actions.arguments.b]\nplace = \"form\"\nschema = {}\n";
    check(&with(two), 6, "a body is of one kind");
}

#[test]
fn pages_results_and_ways_back_lead_somewhere() {
    check(&format!("{READ}pagination = \"p\"\n"), 7, "there is no `[pagination.p]`");
    let pages = "[pagination.p]\nkind = \"page\"\nparameter = \"p\"\n";
    check(&format!("{pages}{READ}pagination = \"p\"\n"), 10, "has a `result`");
    let own =
        "pagination = \"p\"\nresult = \"\"\n[actions.arguments.limit]\nplace = \"query\"\nschema = {}\n";
    check(&format!("{pages}{READ}{own}"), 10, "has `page` and `limit` already");
    check(&format!("{READ}undo = {{ action = \"b\", arguments = {{}} }}\n"), 7, "there is no action `b`");
    let undo = "undo = { action = \"look\", arguments = { id = \"/id\" } }\n";
    check(&format!("{READ}{undo}"), 7, "has no such argument");
    check(&format!("{READ}result = \"x\"\n"), 7, "begins with `/`");
}

#[test]
fn steps_use_what_is_there() {
    let steps = |rest: &str| {
        format!(
            "[[actions]]\nname = \"a\"\ntitle = \"A\"\ndescription = \"A.\"\nidempotency = \"ledger\"\n{rest}"
        )
    };
    let step = "[[actions.steps]]\nmethod = \"POST\"\n";
    check(&steps(step), 2, "each step has a `path`");
    check(&steps(&format!("{step}address = \"x\"\n")), 8, "no step before takes `x`");
    let value = |rest: &str| {
        steps(&format!("{step}path = \"/p\"\n[actions.steps.values.v]\nplace = \"query\"\n{rest}"))
    };
    check(&value(""), 9, "a value has one of");
    check(&value("constant = 1\ntaken = \"x\"\n"), 9, "a value has one of");
    check(&value("taken = \"x\"\n"), 9, "no step before takes `x`");
    check(&value("argument = \"x\"\n"), 9, "no argument `x`");
    let placed = format!("[actions.arguments.x]\nplace = \"query\"\nschema = {{}}\n{step}path = \"/p\"\n");
    check(&steps(&placed), 6, "its place is in the steps");
}

#[test]
fn streams_ask_nobody() {
    let stream = "[[streams]]\nname = \"s\"\ntitle = \"S\"\nrecords = \"/r\"\nkey = \"/id\"\n";
    check(stream, 2, "a stream has `method` and `path`");
    let good = format!("{stream}method = \"GET\"\npath = \"/s\"\n");
    assert_eq!(file(&good).streams(None).expect("no operations").len(), 1);
    check(&format!("{good}pagination = \"p\"\n"), 8, "there is no `[pagination.p]`");
    let asked = "[streams.arguments.a]\nplace = \"query\"\nschema = {}\n";
    check(&format!("{good}{asked}"), 8, "is a `constant`");
    let cursor = "[streams.cursor]\npointer = \"/c\"\nparameter = \"c\"\nplace = \"header\"\n";
    check(&format!("{good}{cursor}"), 9, "`place` of a cursor");
    check(&good.replace("/id", "id"), 5, "begins with `/`");
}

#[test]
fn an_operation_needs_a_document() {
    let text =
        READ.replace("method = \"GET\"\npath = \"/t\"\n", "effects = \"read\"\noperation = \"getThing\"\n");
    let error = file(&text).actions(None).err().expect("no document");
    assert_eq!(
        (error.line - BEFORE, error.says.as_str()),
        (6, "`getThing` is an operation of a document, and none was given")
    );
}

#[test]
fn addresses_are_plain() {
    for base in ["api.example.com", "ftp://x", "https://x/?a=1", "https://u@x"] {
        let text = HEAD.replace("https://api.example.com/v1", base);
        assert_eq!(ConnectorFile::read(&text).err().map(|error| error.line), Some(5), "{base}");
    }
    check("hosts = [\"https://files.example.com\"]\n", 1, "names of hosts");
    assert_eq!(
        ConnectorFile::read(&HEAD.replace("base_url = \"https://api.example.com/v1\"\n", ""))
            .ok()
            .and_then(|file| file.base_url().map(str::to_owned)),
        None
    );
}

#[test]
fn the_digest_is_that_of_the_text() {
    let (one, other) = (file(""), file("# a note\n"));
    assert_ne!(one.digest(), other.digest());
    assert_eq!(one.digest(), file("").digest());
}
