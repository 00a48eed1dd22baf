#!/usr/bin/env python3
"""Makes the advertisements that parse_job is measured on: `generate.py > ads.jsonl`.

All companies and people are invented. Layouts, names and wordings of the held-out half are apart from those of the
other half, and no rule was written with them. Standard library only; the same bytes every time.
"""

import json
import random

DEV = {
    "en": {
        "titles": ["Senior Backend Engineer", "Data Analyst", "Registered Nurse", "Junior Accountant", "Lead Product Designer",
                   "Warehouse Supervisor", "Staff Machine Learning Engineer", "Marketing Manager", "Electrician", "Head of Finance"],
        "companies": ["Brightwater Labs", "Northgate Logistics Ltd", "Helios Health Group", "Pinecone Software Inc.",
                      "Old Mill Bakery", "Quantum Harbor LLC", "Silverline Insurance", "Fernway Energy plc"],
        "places": [("London", None, "United Kingdom"), ("Austin", "TX", None), ("Dublin", None, "Ireland"),
                   ("Toronto", "ON", "Canada"), ("Manchester", None, None), ("New York", "NY", None)],
        "must": ["5+ years of experience with Python and PostgreSQL", "Strong knowledge of Excel and SQL",
                 "A valid driving licence", "Bachelor's degree in a related field", "Excellent written English",
                 "Experience running Kubernetes in production", "At least 3 years in a similar role",
                 "Ability to explain complex matters simply", "Current registration with the professional body"],
        "nice": ["Experience with Terraform", "Knowledge of German", "Familiarity with Kafka", "A certificate in project management",
                 "Experience in a start-up", "Basic knowledge of accounting software"],
        "tasks": ["Design and run the services that our customers rely on", "Prepare monthly reports for the board",
                  "Coach two younger colleagues", "Keep our records complete and up to date"],
        "offer": ["25 days of holiday", "A pension plan and private health insurance", "A yearly training budget"],
    },
    "de": {
        "titles": ["Softwareentwickler (m/w/d)", "Buchhalter (m/w/d)", "Projektleiter Bau (m/w/d)", "Pflegefachkraft (m/w/d)"],
        "companies": ["Elbtal Maschinenbau GmbH", "Sonnenfeld Kliniken AG", "Nordwind IT GmbH"],
        "places": [("Hamburg", None, None), ("München", None, None), ("Wien", None, "Österreich")],
        "must": ["Abgeschlossenes Studium der Informatik oder vergleichbare Ausbildung", "Mindestens 3 Jahre Berufserfahrung",
                 "Sehr gute Deutschkenntnisse", "Sicherer Umgang mit SAP und Excel"],
        "nice": ["Kenntnisse in Kubernetes", "Führerschein der Klasse B", "Erfahrung mit Scrum"],
        "tasks": ["Sie entwickeln unsere Anwendungen weiter", "Sie betreuen unsere Kunden"],
        "offer": ["30 Tage Urlaub", "Ein unbefristeter Vertrag"],
    },
    "fr": {
        "titles": ["Développeur Java (H/F)", "Comptable (H/F)", "Infirmier (H/F)"],
        "companies": ["Atelier Duvallon SAS", "Groupe Montclair", "Lumière Conseil SARL"],
        "places": [("Lyon", None, None), ("Paris", None, "France"), ("Nantes", None, None)],
        "must": ["Maîtrise de Java et de SQL", "Expérience de 3 ans minimum", "Diplôme de niveau bac +3"],
        "nice": ["Connaissance de Docker", "Notions d'allemand"],
        "tasks": ["Vous développez nos applications", "Vous préparez les bilans"],
        "offer": ["Mutuelle et tickets restaurant"],
    },
}
HELD = {
    "en": {
        "titles": ["Principal Data Scientist", "Customer Support Specialist", "Civil Engineer", "Senior Payroll Clerk",
                   "Physiotherapist", "DevOps Engineer", "Junior Copywriter", "Operations Director", "Truck Driver",
                   "Mid-Level Android Developer", "Restaurant Manager", "Sales Representative"],
        "companies": ["Copperfield Analytics", "Redwood Transit Corp", "Maple & Stone Architects", "Tidewater Foods Ltd",
                      "Osprey Digital GmbH", "Larkspur Hospital", "Granite Peak Bank", "Vireo Systems Inc."],
        "places": [("Boston", "MA", None), ("Edinburgh", None, "United Kingdom"), ("Sydney", "NSW", "Australia"),
                   ("Chicago", "IL", None), ("Amsterdam", None, "Netherlands"), ("Bristol", None, None), ("Denver", "CO", None)],
        "must": ["Minimum of 4 years working with Java and AWS", "Proficiency in Salesforce", "Fluent English and good Spanish",
                 "A degree in engineering or equivalent experience", "Proven ability to manage several projects at once",
                 "HGV licence with a clean record", "Two years of experience in customer service", "Hands-on experience with React and TypeScript",
                 "Willingness to travel up to 20 % of the time"],
        "nice": ["Exposure to GraphQL", "Knowledge of French", "Previous work with non-profit organisations",
                 "Certification in first aid", "Some experience with Power BI"],
        "tasks": ["Plan the work of a team of six", "Answer questions of customers by phone and chat",
                  "Write clear reports about what you find", "Improve how we measure quality"],
        "offer": ["Flexible working time", "Free lunch and fruit", "Company car after the probation period"],
    },
    "de": {
        "titles": ["Vertriebsmitarbeiter (m/w/d)", "Elektroniker (w/m/d)", "Data Engineer (m/w/x)"],
        "companies": ["Rheinblick Versicherung AG", "Tannenhof Logistik GmbH", "Stadtwerke Lindenau GmbH"],
        "places": [("Köln", None, None), ("Stuttgart", None, "Deutschland"), ("Zürich", None, "Schweiz")],
        "must": ["Abgeschlossene Berufsausbildung als Elektroniker", "Mehrjährige Erfahrung mit Python und SQL", "Gute Englischkenntnisse"],
        "nice": ["Erfahrung mit Azure", "Französischkenntnisse"],
        "tasks": ["Sie warten unsere Anlagen", "Sie beraten Kunden am Telefon"],
        "offer": ["Betriebliche Altersvorsorge", "Ein Jobticket"],
    },
    "fr": {
        "titles": ["Chef de projet (H/F)", "Technicien de maintenance (H/F)"],
        "companies": ["Bellerive Industries SA", "Clinique des Acacias"],
        "places": [("Bordeaux", None, None), ("Lille", None, "France")],
        "must": ["Très bon niveau d'anglais", "Expérience avec SAP", "Permis B obligatoire"],
        "nice": ["Connaissances en Python"],
        "tasks": ["Vous coordonnez les équipes", "Vous assurez l'entretien des machines"],
        "offer": ["Mutuelle d'entreprise"],
    },
}

MONTHS = {"en": "January February March April May June July August September October November December".split(),
          "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
          "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()}


def seniority(title):
    low = title.lower()
    for word, level in [("junior", "junior"), ("mid-level", "mid"), ("senior", "senior"), ("lead", "lead"), ("head of", "director"),
                        ("director", "director"), ("principal", "principal"), ("staff ", "staff"), ("supervisor", "lead")]:
        if word in low:
            return level
    return None


def place_text(place, sep=", "):
    return sep.join(part for part in place if part)


def iso(day):
    return "%04d-%02d-%02d" % day


def date_text(day, style, lang):
    year, month, date = day
    name = MONTHS[lang][month - 1]
    return {"iso": iso(day), "long": f"{date} {name} {year}", "us": f"{name} {date}, {year}",
            "dotted": f"{date:02d}.{month:02d}.{year}", "short": f"{date} {name[:3]} {year}",
            "long_de": f"{date}. {name} {year}", "slash": f"{date:02d}/{month:02d}/{year}"}[style]


SALARIES = {
    "dev": [
        ("£45,000 – £55,000 per year", ("GBP", 45000, 55000, "YEAR")), ("$120k-$150k a year", ("USD", 120000, 150000, "YEAR")),
        ("€3,200 gross per month", ("EUR", 3200, 3200, "MONTH")), ("$28.50 per hour", ("USD", 28.5, 28.5, "HOUR")),
        ("up to £600 per day", ("GBP", None, 600, "DAY")), ("from €60,000 per annum", ("EUR", 60000, None, "YEAR")),
        ("CAD 80,000 to 95,000 annually", ("CAD", 80000, 95000, "YEAR")),
    ],
    "held": [
        ("$95,000 - $110,000/yr", ("USD", 95000, 110000, "YEAR")), ("£14.20 an hour", ("GBP", 14.2, 14.2, "HOUR")),
        ("EUR 70.000 - 82.000 per year", ("EUR", 70000, 82000, "YEAR")), ("AUD 105k per annum", ("AUD", 105000, 105000, "YEAR")),
        ("$4,500 monthly", ("USD", 4500, 4500, "MONTH")), ("between £38k and £44k", ("GBP", 38000, 44000, "YEAR")),
        ("starting at $21/hour", ("USD", 21, None, "HOUR")), ("€450-500 daily rate", ("EUR", 450, 500, "DAY")),
    ],
    "dev-de": [("55.000 – 65.000 € pro Jahr", ("EUR", 55000, 65000, "YEAR")), ("ab 3.400 Euro brutto im Monat", ("EUR", 3400, None, "MONTH"))],
    "held-de": [("48.000 bis 58.000 EUR jährlich", ("EUR", 48000, 58000, "YEAR")), ("18,50 € pro Stunde", ("EUR", 18.5, 18.5, "HOUR"))],
    "dev-fr": [("42 000 à 48 000 € brut par an", ("EUR", 42000, 48000, "YEAR")), ("2 600 € par mois", ("EUR", 2600, 2600, "MONTH"))],
    "held-fr": [("entre 38 000 € et 45 000 € par an", ("EUR", 38000, 45000, "YEAR")), ("14,80 € de l'heure", ("EUR", 14.8, 14.8, "HOUR"))],
}
TYPES = {
    "dev": [("Full-time", ["FULL_TIME"]), ("Part-time", ["PART_TIME"]), ("Contract", ["CONTRACTOR"]), ("Full-time, permanent", ["FULL_TIME"]), ("Internship", ["INTERN"])],
    "held": [("Full time", ["FULL_TIME"]), ("part time", ["PART_TIME"]), ("Temporary", ["TEMPORARY"]), ("Freelance", ["CONTRACTOR"]), ("Permanent, full-time", ["FULL_TIME"])],
    "de": [("Vollzeit", ["FULL_TIME"]), ("Teilzeit", ["PART_TIME"])],
    "fr": [("CDI, temps plein", ["FULL_TIME"]), ("CDD, temps plein", ["FULL_TIME", "TEMPORARY"])],
}
HOURS = {
    "dev": [("40 hours per week", 40, 40), ("37.5 hours a week", 37.5, 37.5)],
    "held": [("20-25 hours per week", 20, 25), ("38 hrs/week", 38, 38)],
    "de": [("38,5 Stunden pro Woche", 38.5, 38.5), ("40 Wochenstunden", 40, 40)],
    "fr": [("35 heures par semaine", 35, 35)],
}
REMOTE = {
    "dev": [("Hybrid, two days a week in the office", "hybrid"), ("Fully remote within the UK", "remote"), ("On-site", "onsite")],
    "held": [("This is a hybrid position: three days at the office", "hybrid"), ("100 % remote", "remote"), ("This role is based in our office and cannot be done from home", "onsite"), ("Work from home anywhere in the EU", "remote")],
    "de": [("Homeoffice an zwei Tagen pro Woche möglich", "hybrid"), ("Vor Ort", "onsite")],
    "fr": [("Télétravail partiel, deux jours par semaine", "hybrid"), ("Sur site", "onsite")],
}


class Ad:
    def __init__(self, rnd, half, lang, number):
        self.rnd, self.half, self.lang = rnd, half, lang
        pools = (DEV if half == "dev" else HELD)[lang]
        key = half if lang == "en" else lang
        pick = rnd.choice
        self.title = pools["titles"][number % len(pools["titles"])]
        self.company = pools["companies"][number % len(pools["companies"])]
        self.place = pools["places"][number % len(pools["places"])]
        self.must = rnd.sample(pools["must"], 3)
        self.nice = rnd.sample(pools["nice"], min(2, len(pools["nice"]))) if rnd.random() < .8 else []
        self.tasks, self.offer = pools["tasks"], pools["offer"]
        self.salary = pick(SALARIES[half if lang == "en" else f"{half}-{lang}"]) if rnd.random() < .8 else None
        self.type = pick(TYPES[key]) if rnd.random() < .9 else None
        self.hours = pick(HOURS[key]) if rnd.random() < .5 else None
        self.remote = pick(REMOTE[key]) if rnd.random() < .6 else None
        self.posted = (2026, rnd.randint(1, 6), rnd.randint(1, 28)) if rnd.random() < .5 else None
        self.until = (2026, rnd.randint(7, 12), rnd.randint(1, 28)) if rnd.random() < .6 else None
        self.start = (2027, rnd.randint(1, 6), 1) if rnd.random() < .3 else None
        host = "".join(c for c in self.company.lower().split()[0] if c.isalpha())
        self.mail = f"jobs@{host}.example" if rnd.random() < .6 else None
        self.url = None if self.mail else f"https://{host}.example/careers/{1000 + number}"

    def clean_title(self):
        title = self.title
        for mark in (" (m/w/d)", " (w/m/d)", " (m/w/x)", " (H/F)"):
            title = title.replace(mark, "")
        return title

    def truth(self, **left_out):
        truth = {"title": self.clean_title(), "company": self.company, "places": [self.place[0]],
                 "region": self.place[1], "country": self.place[2],
                 "salary": self.salary and dict(zip(("currency", "min", "max", "unit"), self.salary[1])),
                 "employment": self.type and self.type[1], "hours": self.hours and [self.hours[1], self.hours[2]],
                 "remote": self.remote and self.remote[1], "seniority": seniority(self.title),
                 "must": self.must, "nice": self.nice,
                 "posted": self.posted and iso(self.posted), "until": self.until and iso(self.until),
                 "start": self.start and iso(self.start), "email": self.mail, "url": self.url}
        truth.update(left_out)
        return {key: value for key, value in truth.items() if value not in (None, [], "")}


def bullets(lines, mark="- "):
    return "\n".join(mark + line for line in lines)


# The layouts of the first half.

def labelled(ad):
    lines = [f"Job title: {ad.title}", f"Company: {ad.company}", f"Location: {place_text(ad.place)}"]
    if ad.type: lines.append(f"Employment type: {ad.type[0]}")
    if ad.hours: lines.append(f"Working hours: {ad.hours[0]}")
    if ad.salary: lines.append(f"Salary: {ad.salary[0]}")
    if ad.remote: lines.append(f"Workplace: {ad.remote[0]}")
    if ad.posted: lines.append(f"Posted: {date_text(ad.posted, 'iso', 'en')}")
    if ad.until: lines.append(f"Closing date: {date_text(ad.until, 'long', 'en')}")
    if ad.start: lines.append(f"Start date: {date_text(ad.start, 'long', 'en')}")
    lines += ["", "Your tasks", bullets(ad.tasks), "", "Requirements", bullets(ad.must)]
    if ad.nice: lines += ["", "Nice to have", bullets(ad.nice)]
    lines += ["", "What we offer", bullets(ad.offer), "", "How to apply", f"Send your documents to {ad.mail}." if ad.mail else f"Apply online: {ad.url}"]
    return "\n".join(lines)


def headed(ad):
    lines = [f"# {ad.title}", f"{ad.company} · {place_text(ad.place)}" + (f" · {ad.type[0]}" if ad.type else ""), ""]
    if ad.salary: lines.append(f"We pay {ad.salary[0]}." + (f" The working week has {ad.hours[0]}." if ad.hours else ""))
    elif ad.hours: lines.append(f"The working week has {ad.hours[0]}.")
    if ad.remote: lines.append(f"{ad.remote[0]}.")
    lines += ["", "## About us", f"{ad.company} has served its customers since 1987.", "", "## What you will do", bullets(ad.tasks, "* "),
              "", "## What you bring", bullets(ad.must, "* ")]
    if ad.nice: lines += ["", "## Bonus points", bullets(ad.nice, "* ")]
    lines += ["", "## Benefits", bullets(ad.offer, "* "), ""]
    lines.append(f"To apply, write to {ad.mail}" if ad.mail else f"Apply at {ad.url}")
    if ad.until: lines[-1] += f" by {date_text(ad.until, 'us', 'en')}"
    lines[-1] += "."
    if ad.start: lines.append(f"You start on {date_text(ad.start, 'long', 'en')}.")
    if ad.posted: lines.append(f"Date posted: {date_text(ad.posted, 'short', 'en')}")
    return "\n".join(lines)


def prose(ad):
    article = "an" if ad.title[0] in "AEIOU" else "a"
    text = f"{ad.company} is looking for {article} {ad.title} in {place_text(ad.place)}."
    if ad.type: text += f" The position is {ad.type[0].lower()}" + (f" ({ad.hours[0]})." if ad.hours else ".")
    elif ad.hours: text += f" You work {ad.hours[0]}."
    if ad.salary: text += f" The salary is {ad.salary[0]}."
    if ad.remote: text += f" {ad.remote[0]}."
    text += "\n\nRequirements: " + "; ".join(ad.must) + "."
    if ad.nice: text += " Nice to have: " + "; ".join(ad.nice) + "."
    text += "\n\nWe offer: " + "; ".join(ad.offer) + "."
    text += f"\n\nPlease send your application to {ad.mail}" if ad.mail else f"\n\nPlease apply on {ad.url}"
    if ad.until: text += f" before {date_text(ad.until, 'long', 'en')}"
    text += "."
    if ad.start: text += f" Start: {date_text(ad.start, 'long', 'en')}."
    if ad.posted: text += f"\nPosted on {date_text(ad.posted, 'us', 'en')}"
    return text


def german(ad):
    lines = [ad.title, ad.company, place_text(ad.place)]
    facts = [ad.type and ad.type[0], ad.hours and ad.hours[0], ad.remote and ad.remote[0]]
    lines += [" | ".join(fact for fact in facts if fact), "", "Ihre Aufgaben", bullets(ad.tasks, "• "), "", "Ihr Profil", bullets(ad.must, "• ")]
    if ad.nice: lines += ["", "Von Vorteil", bullets(ad.nice, "• ")]
    lines += ["", "Wir bieten", bullets(ad.offer, "• ")]
    if ad.salary: lines.append(f"• Gehalt: {ad.salary[0]}")
    lines += ["", f"Bewerbung an {ad.mail}" if ad.mail else f"Jetzt bewerben: {ad.url}"]
    if ad.until: lines.append(f"Bewerbungsfrist: {date_text(ad.until, 'dotted', 'de')}")
    if ad.start: lines.append(f"Eintrittsdatum: {date_text(ad.start, 'dotted', 'de')}")
    if ad.posted: lines.append(f"Veröffentlicht am {date_text(ad.posted, 'dotted', 'de')}")
    return "\n".join(lines)


def french(ad):
    lines = [ad.title, f"Entreprise : {ad.company}", f"Lieu : {place_text(ad.place)}"]
    if ad.type: lines.append(f"Contrat : {ad.type[0]}")
    if ad.hours: lines.append(f"Durée du travail : {ad.hours[0]}")
    if ad.salary: lines.append(f"Salaire : {ad.salary[0]}")
    if ad.remote: lines.append(ad.remote[0])
    lines += ["", "Vos missions", bullets(ad.tasks), "", "Votre profil", bullets(ad.must)]
    if ad.nice: lines += ["", "Les plus", bullets(ad.nice)]
    lines += ["", "Nous offrons", bullets(ad.offer), "", f"Envoyez votre CV à {ad.mail}" if ad.mail else f"Postulez sur {ad.url}"]
    if ad.until: lines.append(f"Date limite : {date_text(ad.until, 'long', 'fr')}")
    if ad.start: lines.append(f"Date de début : {date_text(ad.start, 'long', 'fr')}")
    if ad.posted: lines.append(f"Publié le {date_text(ad.posted, 'slash', 'fr')}")
    return "\n".join(lines)


# The layouts of the second half.

def board(ad):
    lines = [f"{ad.title} at {ad.company}", place_text(ad.place), ""]
    if ad.posted: lines.append(f"Date posted: {date_text(ad.posted, 'us', 'en')}")
    if ad.type: lines.append(f"Job type: {ad.type[0]}")
    if ad.salary: lines.append(f"Pay: {ad.salary[0]}")
    if ad.hours: lines.append(f"Expected hours: {ad.hours[0]}")
    lines += ["", "Responsibilities:", bullets(ad.tasks, "• "), "", "Qualifications:", bullets(ad.must, "• ")]
    if ad.nice: lines += ["", "Preferred qualifications:", bullets(ad.nice, "• ")]
    lines += ["", "Perks:", bullets(ad.offer, "• ")]
    if ad.remote: lines += ["", f"{ad.remote[0]}."]
    lines += ["", f"Questions and applications: {ad.mail}" if ad.mail else f"Apply here: {ad.url}"]
    if ad.until: lines.append(f"Application deadline: {date_text(ad.until, 'short', 'en')}")
    if ad.start: lines.append(f"Expected start date: {date_text(ad.start, 'us', 'en')}")
    return "\n".join(lines)


def letter(ad):
    article = "an" if ad.title[0] in "AEIOU" else "a"
    text = f"We are hiring {article} {ad.title}\n\n{ad.company} is growing, and our team in {place_text(ad.place)} needs you."
    if ad.remote: text += f" {ad.remote[0]}."
    text += "\n\nWhat you'll do\n" + bullets(ad.tasks, "– ")
    text += "\n\nWho you are\n" + bullets(ad.must, "– ")
    if ad.nice: text += "\n\nIt would be great if you also have\n" + bullets(ad.nice, "– ")
    text += "\n\nWhat's in it for you\n"
    offers = list(ad.offer)
    if ad.salary: offers.insert(0, f"Compensation: {ad.salary[0]}")
    text += bullets(offers, "– ")
    facts = [ad.type and ad.type[0], ad.hours and ad.hours[0]]
    if any(facts): text += "\n\n" + ", ".join(fact for fact in facts if fact) + "."
    text += f"\n\nInterested? Send us your CV: {ad.mail}" if ad.mail else f"\n\nInterested? Apply now: {ad.url}"
    if ad.until: text += f"\nApplications close on {date_text(ad.until, 'us', 'en')}."
    if ad.start: text += f"\nStarting from {date_text(ad.start, 'long', 'en')}."
    if ad.posted: text += f"\nPublished {date_text(ad.posted, 'iso', 'en')}"
    return text


def piped(ad):
    lines = [" | ".join([ad.title, ad.company, place_text(ad.place)]), ""]
    facts = [f"Contract type: {ad.type[0]}" if ad.type else None, f"Hours: {ad.hours[0]}" if ad.hours else None,
             f"Remuneration: {ad.salary[0]}" if ad.salary else None]
    lines += [fact for fact in facts if fact]
    lines += ["", "ABOUT THE ROLE", " ".join(f"{task}." for task in ad.tasks), "", "REQUIRED SKILLS AND EXPERIENCE"] + ad.must
    if ad.nice: lines += ["", "DESIRABLE"] + ad.nice
    lines += ["", "OUR OFFER"] + list(ad.offer)
    if ad.remote: lines += ["", ad.remote[0]]
    lines += ["", "APPLY", ad.mail or ad.url]
    if ad.until: lines.append(f"Deadline: {date_text(ad.until, 'iso', 'en')}")
    if ad.start: lines.append(f"Start date: {date_text(ad.start, 'iso', 'en')}")
    if ad.posted: lines.append(f"Posted {date_text(ad.posted, 'long', 'en')}")
    return "\n".join(lines)


def german_prose(ad):
    lines = [f"Die {ad.company} sucht in {place_text(ad.place)}:", "", ad.title, ""]
    lines += ["Das erwartet Sie:", bullets(ad.tasks), "", "Das bringen Sie mit:", bullets(ad.must)]
    if ad.nice: lines += ["", "Wünschenswert:", bullets(ad.nice)]
    lines += ["", "Das bieten wir:", bullets(ad.offer), ""]
    if ad.salary: lines.append(f"Vergütung: {ad.salary[0]}")
    if ad.type: lines.append(f"Arbeitszeit: {ad.type[0]}" + (f", {ad.hours[0]}" if ad.hours else ""))
    elif ad.hours: lines.append(f"Arbeitszeit: {ad.hours[0]}")
    if ad.remote: lines.append(ad.remote[0])
    lines.append(f"Ihre Bewerbung senden Sie an {ad.mail}." if ad.mail else f"Hier bewerben: {ad.url}")
    if ad.until: lines.append(f"Bewerbungsschluss: {date_text(ad.until, 'long_de', 'de')}")
    if ad.start: lines.append(f"Beginn: {date_text(ad.start, 'dotted', 'de')}")
    if ad.posted: lines.append(f"Online seit: {date_text(ad.posted, 'dotted', 'de')}")
    return "\n".join(lines)


def french_prose(ad):
    lines = [f"{ad.company} recrute : {ad.title} à {place_text(ad.place)}", ""]
    if ad.type: lines.append(f"Type de contrat : {ad.type[0]}")
    if ad.salary: lines.append(f"Rémunération : {ad.salary[0]}")
    if ad.hours: lines.append(f"Temps de travail : {ad.hours[0]}")
    lines += ["", "Missions :", bullets(ad.tasks, "• "), "", "Profil recherché :", bullets(ad.must, "• ")]
    if ad.nice: lines += ["", "Serait un plus :", bullets(ad.nice, "• ")]
    lines += ["", "Avantages :", bullets(ad.offer, "• ")]
    if ad.remote: lines += ["", ad.remote[0]]
    lines += ["", f"Candidature : {ad.mail or ad.url}"]
    if ad.until: lines.append(f"Candidatures jusqu'au {date_text(ad.until, 'long', 'fr')}")
    if ad.start: lines.append(f"Prise de poste : {date_text(ad.start, 'long', 'fr')}")
    if ad.posted: lines.append(f"Mise en ligne : {date_text(ad.posted, 'long', 'fr')}")
    return "\n".join(lines)


def page(ad, in_graph):
    """A web page whose JSON-LD says everything but the requirements, which are in the description."""
    posting = {"@context": "https://schema.org", "@type": "JobPosting", "title": ad.title,
               "hiringOrganization": {"@type": "Organization", "name": ad.company} if in_graph else ad.company,
               "jobLocation": {"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": ad.place[0],
                               **({"addressRegion": ad.place[1]} if ad.place[1] else {}),
                               **({"addressCountry": ad.place[2]} if ad.place[2] else {})}},
               "description": "<p>Requirements</p><ul>" + "".join(f"<li>{x}</li>" for x in ad.must) + "</ul>"
               + ("<p>Nice to have</p><ul>" + "".join(f"<li>{x}</li>" for x in ad.nice) + "</ul>" if ad.nice else "")}
    if ad.type: posting["employmentType"] = ad.type[1] if in_graph else ad.type[1][0]
    if ad.salary:
        currency, low, high, unit = ad.salary[1]
        value = {"@type": "QuantitativeValue", "unitText": unit}
        if low == high: value["value"] = low
        if low is not None and low != high: value["minValue"] = low
        if high is not None and low != high: value["maxValue"] = str(high) if in_graph else high
        posting["baseSalary"] = {"@type": "MonetaryAmount", "currency": currency, "value": value}
    if ad.posted: posting["datePosted"] = iso(ad.posted)
    if ad.until: posting["validThrough"] = iso(ad.until) + ("T23:59:00+01:00" if in_graph else "")
    if ad.start: posting["jobStartDate"] = iso(ad.start)
    if ad.remote and ad.remote[1] == "remote": posting["jobLocationType"] = "TELECOMMUTE"
    if ad.hours: posting["workHours"] = ad.hours[0]
    if ad.url: posting["url"] = ad.url
    if ad.mail: posting["applicationContact"] = {"@type": "ContactPoint", "email": ad.mail}
    data = {"@context": "https://schema.org", "@graph": [{"@type": "WebSite", "name": "Board"}, posting]} if in_graph else posting
    tag = "<script type='application/ld+json'>" if in_graph else '<script type="application/ld+json">'
    return ("<!doctype html><html><head><meta charset=utf-8><title>Jobs</title>" + tag + json.dumps(data, ensure_ascii=False)
            + "</script></head><body><nav>Home Jobs</nav><h1>" + ad.title + "</h1><p>See the details below.</p></body></html>")


def main():
    rnd = random.Random(24)
    plan = []
    dev = [("en", labelled)] * 9 + [("en", headed)] * 8 + [("en", prose)] * 7 + [("de", german)] * 4 + [("fr", french)] * 2
    held = [("en", board)] * 9 + [("en", letter)] * 7 + [("en", piped)] * 6 + [("de", german_prose)] * 5 + [("fr", french_prose)] * 3
    for half, layouts in (("dev", dev), ("held", held)):
        for number, (lang, layout) in enumerate(layouts):
            ad = Ad(rnd, half, lang, number)
            plan.append({"id": f"{half}-{number:02d}-{layout.__name__}", "held_out": half == "held", "format": "text",
                         "text": layout(ad), "truth": ad.truth()})
        for number in range(5 if half == "dev" else 7):
            ad = Ad(rnd, half, "en", number + 3)
            truth = ad.truth(remote="remote" if ad.remote and ad.remote[1] == "remote" else None)
            plan.append({"id": f"{half}-page-{number:02d}", "held_out": half == "held", "format": "html",
                         "text": page(ad, number % 2 == 0), "truth": truth})
    for ad in plan:
        print(json.dumps(ad, ensure_ascii=False))


if __name__ == "__main__":
    main()
