//! The look at a statement before it is sent. The database itself makes sure that nothing is written; this is for clear words.

use capability_kit::Trouble;

const BYTES_MAX: usize = 64 << 10;
/// The words with which questions begin.
const QUESTIONS: [&str; 4] = ["select", "with", "values", "table"];

/// The statement without the semicolon at its end.
pub(super) fn question(sql: &str) -> Result<&str, Trouble> {
    let sql = sql.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    if sql.len() > BYTES_MAX {
        return Err(Trouble::bad_arguments(format!("the statement has {} bytes", sql.len()))
            .hint(format!("write at most {BYTES_MAX}")));
    }
    if sql.contains('\0') {
        return Err(Trouble::bad_arguments("the statement has a zero byte in it").hint("leave it out"));
    }
    let first = first_word(sql);
    match QUESTIONS.contains(&first.as_str()) {
        true => Ok(sql),
        false => Err(Trouble::bad_arguments(format!("a statement that begins with {first:?} is not run here"))
            .hint("only questions are answered: begin with SELECT, WITH, VALUES or TABLE; list_tables and describe_table show what there is")),
    }
}

/// The first word behind comments and parentheses, in small letters.
fn first_word(sql: &str) -> String {
    let mut rest = sql;
    loop {
        rest = rest.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
        if let Some(comment) = rest.strip_prefix("--") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = after_comment(comment);
        } else {
            return rest
                .chars()
                .take_while(char::is_ascii_alphabetic)
                .collect::<String>()
                .to_ascii_lowercase();
        }
    }
}

/// Such comments nest in Postgres.
fn after_comment(text: &str) -> &str {
    let (mut depth, mut at) = (1_usize, 0);
    let bytes = text.as_bytes();
    while depth > 0 && at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_pass_and_everything_else_is_named() {
        for good in [
            "SELECT 1;",
            " (select 1) union (select 2) ; ",
            "-- why\nWITH a AS (SELECT 1) SELECT * FROM a",
            "/* a /* b */ c */ VALUES (1)",
            "TABLE orders",
        ] {
            assert!(question(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ";",
            "DELETE FROM orders",
            "/* select */ drop table a",
            "-- select",
            "BEGIN",
            "SET x = 1",
            "COPY a TO STDOUT",
            "/*",
            "select\0",
        ] {
            assert!(question(bad).is_err(), "{bad}");
        }
        assert_eq!(question("SELECT 1 ; ").unwrap(), "SELECT 1");
    }
}
