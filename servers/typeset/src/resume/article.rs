//! A résumé as an article: its existing parts, in the usual order, and nothing else.

use crate::article::{Article, Block, ListItem, StyledText, TextRun};
use crate::resume::{Basics, Education, Project, Resume, ResumeOptions, Work};

/// The parts by their JSON names, in the usual order of a résumé.
const ORDER: [&str; 11] = [
    "work",
    "projects",
    "education",
    "skills",
    "certificates",
    "languages",
    "awards",
    "publications",
    "volunteer",
    "interests",
    "references",
];

/// Makes the document that [`crate::resume_pdf`] and [`crate::resume_docx`] set.
pub fn resume_article(resume: &Resume, options: &ResumeOptions) -> Article {
    let language = options.language.as_deref().unwrap_or("en");
    let mut blocks = Vec::new();
    if let Some(summary) = said(&resume.basics.summary) {
        blocks.push(Block::paragraph(summary));
    }
    let asked = options.order.iter().map(String::as_str).filter(|name| ORDER.contains(name));
    let mut order: Vec<&str> = Vec::new();
    for name in asked.chain(ORDER) {
        if !order.contains(&name) {
            order.push(name);
        }
    }
    for name in order {
        let part = part_of(resume, name, language);
        if !part.is_empty() {
            blocks.push(Block::heading(1, word(name, language)));
            blocks.extend(part);
        }
    }
    Article {
        title: said(&resume.basics.name).map(str::to_owned),
        subtitle: contact(&resume.basics),
        author: said(&resume.basics.name).map(str::to_owned),
        date: None,
        language: options.language.clone(),
        blocks,
        warnings: Vec::new(),
    }
}

fn part_of(resume: &Resume, name: &str, language: &str) -> Vec<Block> {
    match name {
        "work" => resume.work.iter().flat_map(|work| job(work, language)).collect(),
        "projects" => resume.projects.iter().flat_map(|project| project_of(project, language)).collect(),
        "education" => resume.education.iter().flat_map(|education| school(education, language)).collect(),
        "skills" => {
            lines(resume.skills.iter().map(|skill| (&skill.name, &skill.level, skill.keywords.as_slice())))
        }
        "languages" => spoken(resume),
        "interests" => lines(resume.interests.iter().map(|it| (&it.name, &None, it.keywords.as_slice()))),
        "certificates" => (resume.certificates.iter())
            .map(|it| entry(bold_then(&it.name, &[&it.issuer], &it.url), shown(said(&it.date), language)))
            .collect(),
        "awards" => (resume.awards.iter())
            .flat_map(|it| {
                with_text(
                    bold_then(&it.title, &[&it.awarder], &None),
                    shown(said(&it.date), language),
                    &it.summary,
                    &[],
                )
            })
            .collect(),
        "publications" => (resume.publications.iter())
            .flat_map(|it| {
                let date = shown(said(&it.release_date), language);
                with_text(bold_then(&it.name, &[&it.publisher], &it.url), date, &it.summary, &[])
            })
            .collect(),
        "volunteer" => (resume.volunteer.iter())
            .flat_map(|it| {
                let dates = span(&it.start_date, &it.end_date, language);
                with_text(
                    bold_then(&it.position, &[&it.organization], &it.url),
                    dates,
                    &it.summary,
                    &it.highlights,
                )
            })
            .collect(),
        "references" => (resume.references.iter())
            .flat_map(|it| {
                let name = said(&it.name)
                    .map(|name| Block::Paragraph { text: StyledText(vec![TextRun::bold(name)]) });
                let words = said(&it.reference).map(Block::paragraph);
                name.into_iter().chain(words)
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn job(work: &Work, language: &str) -> Vec<Block> {
    let head = bold_then(&work.position, &[&work.name, &work.location], &work.url);
    let mut blocks =
        with_text(head, span(&work.start_date, &work.end_date, language), &work.summary, &work.highlights);
    if let Some(about) = said(&work.description) {
        blocks.insert(1, Block::Paragraph { text: StyledText(vec![TextRun::italic(about)]) });
    }
    blocks
}

fn project_of(project: &Project, language: &str) -> Vec<Block> {
    let roles = Some(project.roles.join(", "));
    let head = bold_then(&project.name, &[&roles, &project.entity], &project.url);
    let dates = match said(&project.start_date).or(said(&project.end_date)) {
        Some(_) => span(&project.start_date, &project.end_date, language),
        None => String::new(),
    };
    let mut blocks = with_text(head, dates, &project.description, &project.highlights);
    if !project.keywords.is_empty() {
        blocks
            .push(Block::Paragraph { text: StyledText(vec![TextRun::italic(project.keywords.join(", "))]) });
    }
    blocks
}

fn school(education: &Education, language: &str) -> Vec<Block> {
    let parts = [said(&education.study_type), said(&education.area)];
    let mut degree = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    if let Some(score) = said(&education.score) {
        degree = if degree.is_empty() { score.to_owned() } else { format!("{degree} ({score})") };
    }
    let degree = Some(degree);
    let head = bold_then(&degree, &[&education.institution], &education.url);
    with_text(head, span(&education.start_date, &education.end_date, language), &None, &education.courses)
}

fn spoken(resume: &Resume) -> Vec<Block> {
    let known = resume.languages.iter().filter_map(|it| {
        let name = said(&it.language)?;
        Some(said(&it.fluency).map_or_else(|| name.to_owned(), |fluency| format!("{name} ({fluency})")))
    });
    let known = known.collect::<Vec<_>>().join(", ");
    if known.is_empty() { Vec::new() } else { vec![Block::paragraph(known.as_str())] }
}

/// A name in bold with its details after it, one line each.
fn lines<'a>(
    all: impl Iterator<Item = (&'a Option<String>, &'a Option<String>, &'a [String])>,
) -> Vec<Block> {
    let mut items: Vec<StyledText> = Vec::new();
    let mut is_row = false;
    for (name, level, words) in all {
        let level = said(level).map(|level| format!(" ({level})")).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
        let words = words.join(", ");
        let (item, is_name) = match said(name) {
            Some(name) if words.is_empty() => (vec![TextRun::plain(format!("{name}{level}"))], true),
            Some(name) => (vec![TextRun::bold(name), TextRun::plain(format!("{level}: {words}"))], false),
            None if words.is_empty() => continue,
            None => (vec![TextRun::plain(format!("{words}{level}"))], false),
        };
        match items.last_mut().filter(|_| is_row && is_name) {
            Some(row) => {
                row.push(TextRun::plain(", "));
                item.into_iter().for_each(|run| row.push(run));
            }
            None => items.push(StyledText(item)),
        }
        is_row = is_name;
    }
    match items.len() {
        0 => Vec::new(),
        1 if is_row => items.into_iter().map(|text| Block::Paragraph { text }).collect(),
        _ => {
            let items = items.into_iter().map(ListItem::new).collect();
            vec![Block::List { ordered: false, start: None, items }]
        }
    }
}

fn with_text(head: StyledText, note: String, text: &Option<String>, points: &[String]) -> Vec<Block> {
    let mut blocks = vec![entry(head, note)];
    blocks.extend(said(text).map(Block::paragraph));
    let items: Vec<ListItem> = points
        .iter()
        .map(|point| point.trim())
        .filter(|point| !point.is_empty())
        .map(ListItem::new)
        .collect();
    if !items.is_empty() {
        blocks.push(Block::List { ordered: false, start: None, items });
    }
    blocks
}

fn entry(text: StyledText, note: String) -> Block {
    Block::Entry { text, note: StyledText::plain(note) }
}

/// `**Position**, Company, Place`; whichever is present first is bold and links to the address.
fn bold_then(first: &Option<String>, rest: &[&Option<String>], url: &Option<String>) -> StyledText {
    let parts = std::iter::once(first).chain(rest.iter().copied()).filter_map(said);
    let mut text = StyledText::default();
    for (at, part) in parts.enumerate() {
        match at {
            0 => text.push(TextRun { link: said(url).map(web), ..TextRun::bold(part) }),
            _ => text.push(TextRun::plain(format!(", {part}"))),
        }
    }
    text
}

/// The title, then the contact data, in two lines.
fn contact(basics: &Basics) -> StyledText {
    let mut ways: Vec<TextRun> = Vec::new();
    if let Some(place) = basics.location.as_ref() {
        let parts = [&place.address, &place.postal_code, &place.city, &place.region, &place.country_code];
        let parts = parts.into_iter().filter_map(said).collect::<Vec<_>>().join(", ");
        ways.extend((!parts.is_empty()).then(|| TextRun::plain(parts)));
    }
    ways.extend(said(&basics.email).map(|email| linked(email, format!("mailto:{email}"))));
    ways.extend(said(&basics.phone).map(|phone| linked(phone, tel(phone))));
    ways.extend(said(&basics.url).map(|url| linked(bare(url), web(url))));
    for profile in &basics.profiles {
        let shown = said(&profile.url).map(bare).or(said(&profile.username)).or(said(&profile.network));
        let link = said(&profile.url).map(web);
        ways.extend(shown.map(|shown| TextRun { link, ..TextRun::plain(shown) }));
    }
    let mut text = StyledText::default();
    if let Some(label) = said(&basics.label) {
        text.push(TextRun::plain(if ways.is_empty() { label.to_owned() } else { format!("{label}\n") }));
    }
    for (at, way) in ways.into_iter().enumerate() {
        if at > 0 {
            text.push(TextRun::plain(" · "));
        }
        text.push(way);
    }
    text
}

fn linked(shown: &str, link: String) -> TextRun {
    TextRun { link: Some(link), ..TextRun::plain(shown) }
}

fn tel(phone: &str) -> String {
    let digits: String = phone.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
    format!("tel:{digits}")
}

/// Many write an address without its scheme.
fn web(url: &str) -> String {
    if url.contains(':') { url.to_owned() } else { format!("https://{url}") }
}

fn bare(url: &str) -> &str {
    let url = url.trim_start_matches("https://").trim_start_matches("http://").trim_start_matches("www.");
    url.trim_end_matches('/')
}

fn said(value: &Option<String>) -> Option<&str> {
    value.as_deref().map(str::trim).filter(|value| !value.is_empty())
}

/// From start to end. Without an end it continues; without a start only the end is known.
fn span(start: &Option<String>, end: &Option<String>, language: &str) -> String {
    match (said(start), said(end)) {
        (Some(start), Some(end)) => {
            format!("{} – {}", shown(Some(start), language), shown(Some(end), language))
        }
        (Some(start), None) => format!("{} – {}", shown(Some(start), language), word("present", language)),
        (None, end) => shown(end, language),
    }
}

/// `2026-11` as `11/2026`, which many languages understand; `Nov 2026` in English. Other dates are kept as
/// they are.
fn shown(date: Option<&str>, language: &str) -> String {
    let Some(date) = date else { return String::new() };
    let mut parts = date.splitn(3, '-');
    let (year, month) =
        (parts.next().unwrap_or_default(), parts.next().and_then(|month| month.parse::<usize>().ok()));
    match month.filter(|month| (1..=12).contains(month) && year.len() == 4) {
        Some(month) if base(language) == "en" => format!("{} {year}", MONTHS[month - 1]),
        Some(month) => format!("{month:02}/{year}"),
        None => date.to_owned(),
    }
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn base(language: &str) -> &str {
    language.split(['-', '_']).next().unwrap_or_default()
}

/// The few words that are added. Languages that are missing here get the English ones.
fn word(name: &str, language: &str) -> &'static str {
    let row = WORDS.iter().find(|row| row.0 == name).map(|row| row.1);
    let at = LANGUAGES.iter().position(|known| *known == base(language)).unwrap_or(0);
    row.map_or("", |row| row[at])
}

const LANGUAGES: [&str; 7] = ["en", "de", "fr", "es", "it", "pt", "nl"];
const WORDS: [(&str, [&str; 7]); 12] = [
    (
        "work",
        [
            "Experience",
            "Berufserfahrung",
            "Expérience",
            "Experiencia",
            "Esperienza",
            "Experiência",
            "Werkervaring",
        ],
    ),
    ("projects", ["Projects", "Projekte", "Projets", "Proyectos", "Progetti", "Projetos", "Projecten"]),
    (
        "education",
        ["Education", "Ausbildung", "Formation", "Formación", "Istruzione", "Formação", "Opleiding"],
    ),
    (
        "skills",
        ["Skills", "Kenntnisse", "Compétences", "Competencias", "Competenze", "Competências", "Vaardigheden"],
    ),
    (
        "certificates",
        [
            "Certificates",
            "Zertifikate",
            "Certificats",
            "Certificados",
            "Certificati",
            "Certificados",
            "Certificaten",
        ],
    ),
    ("languages", ["Languages", "Sprachen", "Langues", "Idiomas", "Lingue", "Idiomas", "Talen"]),
    ("awards", ["Awards", "Auszeichnungen", "Distinctions", "Premios", "Premi", "Prêmios", "Prijzen"]),
    (
        "publications",
        [
            "Publications",
            "Veröffentlichungen",
            "Publications",
            "Publicaciones",
            "Pubblicazioni",
            "Publicações",
            "Publicaties",
        ],
    ),
    (
        "volunteer",
        [
            "Volunteering",
            "Ehrenamt",
            "Bénévolat",
            "Voluntariado",
            "Volontariato",
            "Voluntariado",
            "Vrijwilligerswerk",
        ],
    ),
    (
        "interests",
        [
            "Interests",
            "Interessen",
            "Centres d’intérêt",
            "Intereses",
            "Interessi",
            "Interesses",
            "Interesses",
        ],
    ),
    (
        "references",
        ["References", "Referenzen", "Références", "Referencias", "Referenze", "Referências", "Referenties"],
    ),
    ("present", ["present", "heute", "présent", "actualidad", "presente", "presente", "heden"]),
];
