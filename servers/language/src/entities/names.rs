//! Names of persons, organisations and places, guessed from capital letters and from the surrounding words.
//! No list of names is used, so confidence is moderate at best, and names without any clue are left out.

use std::ops::Range;

use super::found::{EntityFinding, EntityKind};
use crate::sentences::{Sentence, sentences};
use crate::stopwords;
use crate::words::{Word, words};

const TITLES: [&str; 34] = [
    "mr",
    "mrs",
    "ms",
    "miss",
    "dr",
    "prof",
    "professor",
    "sir",
    "president",
    "senator",
    "judge",
    "captain",
    "minister",
    "king",
    "queen",
    "prince",
    "princess",
    "pope",
    "herr",
    "frau",
    "monsieur",
    "madame",
    "mme",
    "mlle",
    "señor",
    "señora",
    "sr",
    "sra",
    "signor",
    "signora",
    "senhor",
    "senhora",
    "meneer",
    "mevrouw",
];
/// At the end of an organisation's name.
const FORMS: [&str; 44] = [
    "inc",
    "ltd",
    "llc",
    "corp",
    "corporation",
    "company",
    "co",
    "plc",
    "gmbh",
    "ag",
    "kg",
    "se",
    "sa",
    "s.a",
    "spa",
    "srl",
    "bv",
    "nv",
    "university",
    "institute",
    "college",
    "school",
    "bank",
    "group",
    "foundation",
    "association",
    "agency",
    "council",
    "committee",
    "ministry",
    "department",
    "commission",
    "union",
    "party",
    "museum",
    "hospital",
    "laboratory",
    "laboratories",
    "airlines",
    "motors",
    "universität",
    "technologies",
    "systems",
    "stiftung",
];
/// At the beginning of one: `University of Vienna`, `Bank of Japan`.
const HEADS: [&str; 16] = [
    "university",
    "bank",
    "institute",
    "ministry",
    "department",
    "museum",
    "universität",
    "université",
    "universidad",
    "università",
    "universidade",
    "universiteit",
    "bundesministerium",
    "banco",
    "banque",
    "college",
];
/// At the end of a place's name.
const PLACE_FORMS: [&str; 30] = [
    "street",
    "avenue",
    "road",
    "boulevard",
    "square",
    "river",
    "lake",
    "mountain",
    "mountains",
    "valley",
    "island",
    "islands",
    "bay",
    "county",
    "city",
    "province",
    "state",
    "ocean",
    "sea",
    "desert",
    "forest",
    "park",
    "airport",
    "station",
    "straße",
    "platz",
    "peninsula",
    "beach",
    "bridge",
    "canyon",
];
/// Before a place.
const BEFORE_PLACE: [&str; 16] = [
    "in", "near", "from", "to", "around", "outside", "across", "à", "en", "aus", "nach", "naar", "em",
    "visit", "visited", "via",
];
/// Before or after a person.
const BESIDE_PERSON: [&str; 40] = [
    "said",
    "says",
    "told",
    "asked",
    "wrote",
    "writes",
    "born",
    "married",
    "replied",
    "explained",
    "added",
    "argued",
    "founded",
    "invented",
    "won",
    "painted",
    "directed",
    "ceo",
    "founder",
    "author",
    "by",
    "with",
    "actor",
    "actress",
    "singer",
    "director",
    "chairman",
    "chairwoman",
    "minister",
    "president",
    "engineer",
    "colleague",
    "brother",
    "sister",
    "sagte",
    "dit",
    "dijo",
    "disse",
    "ha",
    "zei",
];
/// Capital letters that are no names: days and months.
const CALENDAR: [&str; 19] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Lower-case words inside names.
const INSIDE: [&str; 14] =
    ["of", "de", "der", "den", "van", "von", "la", "le", "del", "da", "di", "du", "dos", "zu"];
/// Names are that long at most.
const WORDS_MAX: usize = 6;

pub(super) fn find(text: &str, language: Option<&str>) -> Vec<EntityFinding> {
    let all = sentences(text);
    let mut found: Vec<EntityFinding> =
        all.iter().flat_map(|sentence| in_sentence(sentence, language)).collect();
    found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    found
}

fn in_sentence(sentence: &Sentence<'_>, language: Option<&str>) -> Vec<EntityFinding> {
    let words = words(sentence.text);
    let shouted =
        words.iter().filter(|word| word.starts_upper()).count() * 3 > words.len() * 2 && words.len() > 4;
    if shouted {
        return Vec::new();
    }
    let scene = SentenceScene { text: sentence.text, words: &words, language: language.unwrap_or_default() };
    let guess = |run: Range<usize>| scene.guess(run);
    let mut found: Vec<EntityFinding> = scene.runs().into_iter().filter_map(guess).collect();
    found.iter_mut().for_each(|found| {
        found.place = found.place.start + sentence.start..found.place.end + sentence.start;
    });
    found
}

/// A sentence, in which runs of capitalised words are checked.
struct SentenceScene<'a> {
    text: &'a str,
    words: &'a [Word<'a>],
    language: &'a str,
}

impl SentenceScene<'_> {
    /// Adjacent capitalised words, with small words of names between them.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            let end = self.run_end(at);
            if end > at {
                runs.push(self.without_small_start(at..end));
            }
            at = end.max(at + 1);
        }
        runs.retain(|run| !run.is_empty() && run.len() <= WORDS_MAX);
        runs
    }

    fn run_end(&self, start: usize) -> usize {
        let mut end = start;
        for at in start..self.words.len() {
            let gap_fits = at == start || self.stands_by(at - 1, at);
            match gap_fits && self.is_name_word(at) {
                true => end = at + 1,
                false if gap_fits && end > start && INSIDE.contains(&self.words[at].text) => {}
                false => break,
            }
        }
        end
    }

    /// Only blanks between two words, or the point of a title or an initial.
    fn stands_by(&self, one: usize, other: usize) -> bool {
        let gap = &self.text[self.words[one].end()..self.words[other].start];
        let short = self.words[one].text.chars().count() == 1 || TITLES.contains(&self.lower(one).as_str());
        gap.trim().is_empty() || (gap.trim() == "." && short) || gap.trim() == "&"
    }

    fn is_name_word(&self, at: usize) -> bool {
        let word = &self.words[at];
        word.starts_upper() && !word.is_number() && !CALENDAR.contains(&self.lower(at).as_str())
    }

    fn lower(&self, at: usize) -> String {
        self.words[at].text.to_lowercase()
    }

    /// The first word of a sentence has a capital anyway.
    fn without_small_start(&self, run: Range<usize>) -> Range<usize> {
        let first = self.lower(run.start);
        let common = stopwords::contains(self.language, &first) || stopwords::breaks("en", &first);
        if run.start == 0 && common { run.start + 1..run.end } else { run }
    }

    fn guess(&self, run: Range<usize>) -> Option<EntityFinding> {
        let (first, last) = (self.lower(run.start), self.lower(run.end - 1));
        let many = run.len() > 1;
        let title = run.clone().rev().skip(1).find(|at| TITLES.contains(&self.lower(*at).as_str()));
        if let Some(title) = title.filter(|_| !FORMS.contains(&last.as_str())) {
            return Some(self.found(EntityKind::Person, title + 1..run.end, 0.9));
        }
        if many && (FORMS.contains(&last.as_str()) || HEADS.contains(&first.as_str())) {
            return Some(self.found(EntityKind::Organization, run, 0.85));
        }
        if many && PLACE_FORMS.contains(&last.as_str()) {
            return Some(self.found(EntityKind::Place, run, 0.75));
        }
        // German capitalizes every noun, so without a clue in the name itself it cannot be classified.
        if self.language == "de" {
            return None;
        }
        self.by_neighbours(run)
    }

    fn by_neighbours(&self, run: Range<usize>) -> Option<EntityFinding> {
        let before = run.start.checked_sub(1).map(|at| self.lower(at)).unwrap_or_default();
        let after = if run.end < self.words.len() { self.lower(run.end) } else { String::new() };
        let beside = |word: &String| BESIDE_PERSON.contains(&word.as_str());
        let acronym = self.words[run.start].text.chars().filter(|c| c.is_uppercase()).count() > 1;
        let people = (2..=3).contains(&run.len()) && !acronym;
        if people && (beside(&before) || beside(&after)) {
            return Some(self.found(EntityKind::Person, run, 0.75));
        }
        if BEFORE_PLACE.contains(&before.as_str()) && run.len() <= 3 && !acronym {
            return Some(self.found(EntityKind::Place, run, 0.6));
        }
        let stated = run.start > 0 && people && run.len() == 2;
        stated.then(|| self.found(EntityKind::Person, run, 0.5))
    }

    fn found(&self, kind: EntityKind, run: Range<usize>, confidence: f64) -> EntityFinding {
        let place = self.words[run.start].start..self.words[run.end - 1].end();
        EntityFinding { kind, place, value: None, confidence }
    }
}
