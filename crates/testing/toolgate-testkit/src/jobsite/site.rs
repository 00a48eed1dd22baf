//! The site itself: from a request to an answer.

use std::path::Path;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::address::{SiteFault, VacancyAddress, VacancyKind};
use super::books::{ApplicationBooks, ReceivedApplication};
use super::pages;
use super::reading::SentForm;
use super::visitors::{Visitor, Visitors, WizardDraft};

/// The time from storing an application to its confirmation, where that is slow.
const SLOW: Duration = Duration::from_millis(1_500);
/// The account of the one applicant whom the portal knows.
const ACCOUNT: (&str, &str) = ("ada", "correct horse 7 battery");
/// Vacancies of the list, of each kind.
const LISTED: u32 = 4;

/// A request as the site reads it.
pub(super) struct SiteRequest<'a> {
    pub(super) is_post: bool,
    pub(super) path: &'a str,
    pub(super) query: &'a str,
    pub(super) cookie: Option<&'a str>,
    pub(super) form: SentForm,
    /// Other requests that have no answer yet.
    pub(super) others: usize,
}

pub(super) struct SiteAnswer {
    pub(super) status: u16,
    pub(super) media_type: &'static str,
    pub(super) body: String,
    pub(super) location: Option<String>,
    /// The visitor's, to be kept by the browser.
    pub(super) cookie: Option<String>,
}

pub(super) struct Site(Mutex<SiteState>);

struct SiteState {
    books: ApplicationBooks,
    visitors: Visitors,
    /// What a person would see now: the letters of the last CAPTCHA, and the last code on the phone.
    last_letters: Option<String>,
    last_code: Option<String>,
    /// Confirmations that come later, by vacancy and email.
    later: Vec<(VacancyAddress, Instant)>,
}

impl SiteAnswer {
    fn page(body: String) -> Self {
        Self { status: 200, media_type: "text/html; charset=utf-8", body, location: None, cookie: None }
    }

    fn status(status: u16, body: String) -> Self {
        Self { status, ..Self::page(body) }
    }

    fn go(location: String) -> Self {
        Self { location: Some(location), ..Self::status(303, String::new()) }
    }

    fn json(value: &Value) -> Self {
        Self { media_type: "application/json", ..Self::page(value.to_string()) }
    }

    fn nothing() -> Self {
        Self { media_type: "text/plain", ..Self::status(404, "nothing here".to_owned()) }
    }
}

impl Site {
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        Ok(Self(Mutex::new(SiteState {
            books: ApplicationBooks::open(path)?,
            visitors: Visitors::default(),
            last_letters: None,
            last_code: None,
            later: Vec::new(),
        })))
    }

    pub(super) fn answer(&self, request: &SiteRequest<'_>) -> SiteAnswer {
        let mut state = self.0.lock();
        match request.path {
            "/" => return SiteAnswer::page(pages::list(&listed())),
            "/judge" => return SiteAnswer::json(&state.judged(request.others)),
            _ => {}
        }
        let Some((vacancy, rest)) = VacancyAddress::of(request.path, request.query) else {
            return SiteAnswer::nothing();
        };
        let (cookie, visitor) = state.visitors.of(request.cookie);
        let mut visitor = std::mem::take(visitor);
        let mut answer = state.serve(request, vacancy, rest, &mut visitor);
        *state.visitors.of(Some(&cookie)).1 = visitor;
        answer.cookie = Some(cookie);
        answer
    }

    pub(super) fn received(&self) -> Vec<ReceivedApplication> {
        self.0.lock().books.all().to_vec()
    }
}

fn listed() -> Vec<VacancyAddress> {
    let of = |kind| (1_001..=1_000 + LISTED).map(move |number| VacancyAddress { kind, number, fault: None });
    VacancyKind::ALL.into_iter().flat_map(of).collect()
}

impl SiteState {
    /// Everything that a judge, or a person at a phone, wants to know.
    fn judged(&self, under_way: usize) -> Value {
        let (captchas, codes) = self.visitors.open();
        json!({ "applications": self.books.all(), "letters": self.last_letters, "code": self.last_code,
            "open": { "captchas": captchas.len(), "codes": codes.len() }, "under_way": under_way })
    }

    fn serve(
        &mut self,
        request: &SiteRequest<'_>,
        at: VacancyAddress,
        rest: &str,
        visitor: &mut Visitor,
    ) -> SiteAnswer {
        let form = &request.form;
        match (request.is_post, rest) {
            (false, "captcha.svg") => self.letters(visitor),
            (true, "captcha") => prove(at, form, visitor),
            _ if at.fault == Some(SiteFault::Captcha) && !visitor.is_human => {
                SiteAnswer::page(pages::captcha(&at, ""))
            }
            (false, "") => first_page(at, visitor),
            (true, "login") => self.log_in(at, form, visitor),
            (true, "code") => verify(at, form, visitor),
            (false, "step/1") => SiteAnswer::page(pages::step(&at, 1, "")),
            (true, "step/2") => second_step(at, form, visitor),
            (true, "step/3") => third_step(at, form, visitor),
            (true, "apply") => self.apply(at, form, visitor),
            (false, "thanks") => self.thanks(at),
            _ => SiteAnswer::nothing(),
        }
    }

    fn letters(&mut self, visitor: &Visitor) -> SiteAnswer {
        self.last_letters = Some(visitor.captcha.clone());
        let picture = pages::captcha_picture(&visitor.captcha);
        SiteAnswer { media_type: "image/svg+xml", ..SiteAnswer::page(picture) }
    }

    fn log_in(&mut self, at: VacancyAddress, form: &SentForm, visitor: &mut Visitor) -> SiteAnswer {
        if (form.get("username"), form.get("password")) != ACCOUNT {
            return SiteAnswer::status(403, pages::login(&at, "The username or the password is wrong."));
        }
        visitor.send_code();
        self.last_code.clone_from(&visitor.code);
        SiteAnswer::page(pages::code(&at, ""))
    }

    /// Takes an application, with the fault of its address.
    fn apply(&mut self, at: VacancyAddress, form: &SentForm, visitor: &mut Visitor) -> SiteAnswer {
        if at.kind == VacancyKind::Portal && !visitor.is_logged_in {
            return SiteAnswer::status(403, pages::login(&at, "Log in first."));
        }
        match at.fault {
            Some(SiteFault::Expired) if visitor.stumbles(at) => {
                visitor.is_logged_in = false;
                visitor.drafts.clear();
                return SiteAnswer::status(403, pages::expired(&at));
            }
            Some(SiteFault::Invalid) if visitor.stumbles(at) || form.get("again") != form.get("email") => {
                return SiteAnswer::status(422, pages::single(&at, form, true));
            }
            _ => {}
        }
        let Some(one) = application(at, form, visitor) else { return incomplete(at, form) };
        if at.fault != Some(SiteFault::Duplicates) && self.books.has(&one.job, &one.email) {
            return SiteAnswer::status(409, pages::known(&at));
        }
        let name = one.name.clone();
        if self.books.add(one).is_err() {
            return SiteAnswer::status(500, pages::broken());
        }
        match at.fault {
            Some(SiteFault::Error) => SiteAnswer::status(500, pages::broken()),
            Some(SiteFault::Slow) => {
                self.later.push((at, Instant::now() + SLOW));
                SiteAnswer::go(at.below("/thanks"))
            }
            _ => SiteAnswer::page(pages::received(&at, &name)),
        }
    }

    fn thanks(&self, at: VacancyAddress) -> SiteAnswer {
        let waits = self.later.iter().any(|(vacancy, until)| *vacancy == at && *until > Instant::now());
        SiteAnswer::page(if waits { pages::processing() } else { pages::received(&at, "and goodbye") })
    }
}

fn first_page(at: VacancyAddress, visitor: &Visitor) -> SiteAnswer {
    SiteAnswer::page(match at.kind {
        VacancyKind::Form => pages::single(&at, &SentForm::default(), false),
        VacancyKind::Wizard => pages::wizard(&at),
        VacancyKind::Portal if visitor.is_logged_in => pages::shadow(&at),
        VacancyKind::Portal => pages::login(&at, ""),
    })
}

fn prove(at: VacancyAddress, form: &SentForm, visitor: &mut Visitor) -> SiteAnswer {
    if form.get("letters").eq_ignore_ascii_case(&visitor.captcha) {
        visitor.is_human = true;
        return SiteAnswer::go(at.below(""));
    }
    visitor.change_captcha();
    SiteAnswer::status(403, pages::captcha(&at, "Those are not the letters."))
}

fn verify(at: VacancyAddress, form: &SentForm, visitor: &mut Visitor) -> SiteAnswer {
    if visitor.code.as_deref().is_some_and(|code| code == form.get("code")) {
        visitor.is_logged_in = true;
        visitor.code = None;
        return SiteAnswer::go(at.below(""));
    }
    SiteAnswer::status(403, pages::code(&at, "That is not the code."))
}

fn second_step(at: VacancyAddress, form: &SentForm, visitor: &mut Visitor) -> SiteAnswer {
    let draft = WizardDraft {
        name: form.get("name").to_owned(),
        email: form.get("email").to_owned(),
        document: None,
    };
    visitor.drafts.insert(at, draft);
    SiteAnswer::page(pages::step(&at, 2, ""))
}

fn third_step(at: VacancyAddress, form: &SentForm, visitor: &mut Visitor) -> SiteAnswer {
    let Some(draft) = visitor.drafts.get_mut(&at) else { return SiteAnswer::go(at.below("/step/1")) };
    draft.document.clone_from(&form.file);
    let Some((document, size)) = &draft.document else {
        return SiteAnswer::status(422, pages::step(&at, 2, ""));
    };
    let summary = format!("{}, {}, with {document} ({size} bytes)", draft.name, draft.email);
    SiteAnswer::page(pages::step(&at, 3, &summary))
}

fn incomplete(at: VacancyAddress, form: &SentForm) -> SiteAnswer {
    match at.kind {
        VacancyKind::Wizard => SiteAnswer::go(at.below("/step/1")),
        VacancyKind::Form | VacancyKind::Portal => SiteAnswer::status(422, pages::single(&at, form, false)),
    }
}

/// The application of a form or of the steps before; `None` if something is missing.
fn application(at: VacancyAddress, form: &SentForm, visitor: &mut Visitor) -> Option<ReceivedApplication> {
    let (name, email, document) = match at.kind {
        VacancyKind::Wizard => {
            let draft = visitor.drafts.remove(&at)?;
            (draft.name, draft.email, Some(draft.document?))
        }
        VacancyKind::Form | VacancyKind::Portal => {
            (form.get("name").to_owned(), form.get("email").to_owned(), None)
        }
    };
    let is_whole = !name.is_empty() && email.contains('@');
    is_whole.then(|| ReceivedApplication { job: at.name(), name, email, document })
}
