//! The visitors of the site: known by a cookie, in memory alone.

use std::collections::{BTreeMap, BTreeSet};

use super::address::VacancyAddress;

/// The most visitors that are remembered; the site forgets all of them beyond it.
const VISITORS_MAX: usize = 1_000;
/// Letters and digits that nobody mixes up.
const LETTERS: &[u8] = b"ABCDEFHKLMNPRTUVWXY34679";
const CAPTCHA_LETTERS: usize = 5;

#[derive(Clone, Debug, Default)]
pub(super) struct Visitor {
    /// The letters that the CAPTCHA shows.
    pub(super) captcha: String,
    pub(super) is_human: bool,
    /// The code of the second factor, after the password.
    pub(super) code: Option<String>,
    pub(super) is_logged_in: bool,
    /// Vacancies at which the fault of a first attempt has happened.
    pub(super) stumbled: BTreeSet<VacancyAddress>,
    /// The answers of earlier steps of a wizard.
    pub(super) drafts: BTreeMap<VacancyAddress, WizardDraft>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct WizardDraft {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) document: Option<(String, usize)>,
}

#[derive(Default)]
pub(super) struct Visitors(BTreeMap<String, Visitor>);

impl Visitors {
    /// The visitor with this cookie, or a new one; and the cookie.
    pub(super) fn of(&mut self, cookie: Option<&str>) -> (String, &mut Visitor) {
        let known = cookie.filter(|cookie| self.0.contains_key(*cookie)).map(str::to_owned);
        let cookie = known.unwrap_or_else(|| self.welcome());
        let visitor = self.0.get_mut(&cookie).expect("a visitor that was just found");
        (cookie, visitor)
    }

    fn welcome(&mut self) -> String {
        if self.0.len() >= VISITORS_MAX {
            self.0.clear();
        }
        let cookie = format!("{:016x}", random());
        let visitor = Visitor { captcha: letters(), ..Visitor::default() };
        self.0.insert(cookie.clone(), visitor);
        cookie
    }

    /// The letters and the codes that wait for people.
    pub(super) fn open(&self) -> (Vec<&str>, Vec<&str>) {
        let all = || self.0.values();
        let captchas = all().filter(|one| !one.is_human).map(|one| one.captcha.as_str()).collect();
        let waits = |one: &&Visitor| !one.is_logged_in;
        (captchas, all().filter(waits).filter_map(|one| one.code.as_deref()).collect())
    }
}

impl Visitor {
    /// True the first time that this visitor comes here.
    pub(super) fn stumbles(&mut self, at: VacancyAddress) -> bool {
        self.stumbled.insert(at)
    }

    /// Shows other letters.
    pub(super) fn change_captcha(&mut self) {
        self.captcha = letters();
    }

    /// Sends another code.
    pub(super) fn send_code(&mut self) {
        self.code = Some(format!("{:06}", random() % 1_000_000));
    }
}

fn letters() -> String {
    let mut number = random();
    let mut word = String::new();
    for _ in 0..CAPTCHA_LETTERS {
        let count = LETTERS.len() as u64;
        word.push(char::from(LETTERS[usize::try_from(number % count).unwrap_or_default()]));
        number /= count;
    }
    word
}

fn random() -> u64 {
    getrandom::u64().expect("the operating system has random numbers")
}
