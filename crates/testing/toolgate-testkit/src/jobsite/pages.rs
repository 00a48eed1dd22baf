//! The pages: those of each kind of vacancy, and those of its faults.

use super::address::VacancyAddress;
use super::html::{button, field, form, inner, page, text};
use super::reading::SentForm;

pub(super) fn title(vacancy: &VacancyAddress) -> String {
    let trades =
        ["Welder", "Baker", "Nurse", "Electrician", "Bookkeeper", "Gardener", "Carpenter", "Data engineer"];
    let trade = trades[vacancy.number as usize % trades.len()];
    format!("{trade} {}", vacancy.number)
}

/// All vacancies of a few numbers, for people who look around.
pub(super) fn list(vacancies: &[VacancyAddress]) -> String {
    let items = vacancies.iter().map(|one| format!("<li><a href=\"{one}\">{}</a></li>", text(&title(one))));
    page("Vacancies", &format!("<ul>{}</ul>", items.collect::<String>()))
}

/// The fields that every application has.
fn usual(sent: &SentForm) -> String {
    [
        field("text", "name", "Full name", sent.get("name")),
        field("email", "email", "Email", sent.get("email")),
        field("tel", "phone", "Phone", sent.get("phone")),
        field("textarea", "letter", "Cover letter", sent.get("letter")),
    ]
    .concat()
}

/// The single form; with a note and another field if the first attempt was refused.
pub(super) fn single(vacancy: &VacancyAddress, sent: &SentForm, is_refused: bool) -> String {
    let mut fields = usual(sent);
    let mut note = String::new();
    if is_refused {
        note =
            "<p class=\"wrong\" role=\"alert\">Your application was not sent. Repeat your email below.</p>"
                .to_owned();
        fields.push_str(&field("email", "again", "Repeat email", ""));
    }
    let consent = "<label><input type=\"checkbox\" name=\"consent\" value=\"yes\"> I agree to the privacy notice</label>";
    let body = format!("{fields}{consent}{}", button("submit-application", "Submit application"));
    page(&title(vacancy), &format!("{note}{}", form(&vacancy.below("/apply"), "Application", &body)))
}

/// The page around a wizard.
pub(super) fn wizard(vacancy: &VacancyAddress) -> String {
    let first = text(&vacancy.below("/step/1"));
    let frame = format!("<iframe title=\"Application in three steps\" src=\"{first}\"></iframe>");
    page(&title(vacancy), &frame)
}

/// One step of a wizard.
pub(super) fn step(vacancy: &VacancyAddress, number: u32, summary: &str) -> String {
    let to = vacancy.below(&format!("/step/{}", number + 1));
    let (title, body) = match number {
        1 => {
            let fields = field("text", "name", "Full name", "") + &field("email", "email", "Email", "");
            ("Step 1 of 3: about you", form(&to, "Step 1", &(fields + &button("next", "Next"))))
        }
        2 => {
            let upload =
                "<label for=\"cv\">Resume</label><input type=\"file\" id=\"cv\" name=\"cv\" required>";
            let body = upload.to_owned() + &button("next", "Next");
            let sent = form(&to, "Step 2", &body).replace("<form ", "<form enctype=\"multipart/form-data\" ");
            ("Step 2 of 3: your resume", sent)
        }
        _ => {
            let body =
                format!("<p>{}</p>{}", text(summary), button("submit-application", "Submit application"));
            ("Step 3 of 3: send", form(&vacancy.below("/apply"), "Step 3", &body))
        }
    };
    inner(title, &body)
}

pub(super) fn login(vacancy: &VacancyAddress, note: &str) -> String {
    let fields = field("text", "username", "Username", "") + &field("password", "password", "Password", "");
    let body = wrong(note) + &form(&vacancy.below("/login"), "Login", &(fields + &button("login", "Log in")));
    page("Log in to apply", &body)
}

pub(super) fn code(vacancy: &VacancyAddress, note: &str) -> String {
    let fields = field("text", "code", "One-time code", "");
    let sent = "<p>We sent a code of six digits to your phone.</p>";
    let body =
        wrong(note) + sent + &form(&vacancy.below("/code"), "Code", &(fields + &button("verify", "Verify")));
    page("Enter your code", &body)
}

/// A form that only script puts on the page, in a shadow root.
pub(super) fn shadow(vacancy: &VacancyAddress) -> String {
    let body = usual(&SentForm::default()) + &button("submit-application", "Submit application");
    let inside = form(&vacancy.below("/apply"), "Application", &body);
    let script = format!(
        "<application-form></application-form><script>customElements.define('application-form', class extends HTMLElement {{\
         connectedCallback() {{ this.attachShadow({{ mode: 'open' }}).innerHTML = {}; }} }});</script>",
        serde_json::Value::from(inside).to_string().replace("</", "<\\/")
    );
    page(&title(vacancy), &script)
}

pub(super) fn captcha(vacancy: &VacancyAddress, note: &str) -> String {
    let picture = format!(
        "<p><img src=\"{}\" alt=\"CAPTCHA\" width=\"240\" height=\"80\"></p>",
        text(&vacancy.below("/captcha.svg"))
    );
    let fields = field("text", "letters", "Letters in the picture", "");
    let body = picture + &fields + &button("prove", "Continue");
    page("Are you a person?", &(wrong(note) + &form(&vacancy.below("/captcha"), "CAPTCHA", &body)))
}

/// The letters as a picture.
pub(super) fn captcha_picture(letters: &str) -> String {
    let drawn = letters.chars().enumerate().map(|(at, letter)| {
        let (x, turn) = (28 + at * 42, if at % 2 == 0 { -14 } else { 11 });
        format!("<text x=\"{x}\" y=\"54\" transform=\"rotate({turn} {x} 54)\" font-size=\"40\" font-family=\"serif\">{letter}</text>")
    });
    let drawn: String = drawn.collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"240\" height=\"80\"><rect width=\"240\" height=\"80\" fill=\"#e8eef2\"/>\
         <path d=\"M0 60 Q60 10 120 50 T240 30\" stroke=\"#8aa\" stroke-width=\"3\" fill=\"none\"/>{drawn}</svg>"
    )
}

pub(super) fn received(vacancy: &VacancyAddress, name: &str) -> String {
    let said = format!("Thank you, {name}. Your reference is NW-{}.", vacancy.number);
    page("Application received", &format!("<p class=\"good\" role=\"status\">{}</p>", text(&said)))
}

/// A page that becomes the confirmation by itself.
pub(super) fn processing() -> String {
    let again = "<script>setTimeout(() => location.reload(), 400);</script>";
    page("One moment", &format!("<p role=\"status\">We are processing your application.</p>{again}"))
}

pub(super) fn broken() -> String {
    page(
        "Something went wrong",
        "<p class=\"wrong\" role=\"alert\">Error 500. We do not know what happened.</p>",
    )
}

pub(super) fn expired(vacancy: &VacancyAddress) -> String {
    let body = format!(
        "<p class=\"wrong\" role=\"alert\">Your session has expired. Nothing was sent.</p><p><a href=\"{}\" id=\"again\">Start again</a></p>",
        text(&vacancy.below(""))
    );
    page("Session expired", &body)
}

pub(super) fn known(vacancy: &VacancyAddress) -> String {
    let said = format!("You have already applied. Your reference is NW-{}.", vacancy.number);
    page("Already received", &format!("<p role=\"status\">{}</p>", text(&said)))
}

fn wrong(note: &str) -> String {
    match note {
        "" => String::new(),
        note => format!("<p class=\"wrong\" role=\"alert\">{}</p>", text(note)),
    }
}
