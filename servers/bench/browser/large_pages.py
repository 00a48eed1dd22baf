"""Ten larger pages, made here and the same in every run, with what is done on each: steps that both servers take by CSS selector."""

import functools
import random

WORDS = (
    "harbour copper lantern meadow signal orchard granite velvet compass timber saddle beacon marble willow anchor kettle "
    "ribbon cobalt thistle hollow ember quarry linen falcon amber cedar drift pewter maple summit raven clover basin ivory"
).split()

STYLE = """<style>
body{font-family:sans-serif;margin:0;display:flow-root} nav ul{list-style:none;display:flex;gap:1em} nav ul ul{display:none}
nav li.open>ul{display:block} .cards{display:grid;grid-template-columns:repeat(4,1fr);gap:1em} .card{border:1px solid #ccc;padding:.5em}
main{max-width:1200px;margin:auto} footer{background:#eee;padding:2em} .panel{display:none} .panel.shown{display:block}
</style>"""


def words(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count))


def sentence(rng):
    return words(rng, rng.randint(7, 16)).capitalize() + "."


def paragraph(rng):
    return " ".join(sentence(rng) for _ in range(rng.randint(3, 6)))


def frame(title, main, script=""):
    """A page with what sites have around their content: a banner, navigation and a footer."""
    links = "".join(f'<li><a href="#{name}">{name.capitalize()}</a></li>' for name in WORDS[:9])
    legal = "".join(f'<li><a href="#{name}-{number}">{name.capitalize()} {number}</a></li>' for number, name in enumerate(WORDS[9:24]))
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{STYLE}</head><body>"
        f'<header><div class=wrap><div class=inner><a href="#home"><span>Example</span></a>'
        f"<nav aria-label=Main><ul>{links}</ul></nav>"
        f'<form role=search onsubmit="return false"><input id=q type=search aria-label="Search the site"><button>Search</button></form>'
        f"</div></div></header><main><div class=layout><h1>{title}</h1>{main}</div></main>"
        f'<footer><div class=wrap><ul>{legal}</ul><p>© Example. All prices in euro.</p></div></footer><script>{script}</script></body></html>'
    )


def shop(rng):
    cards = []
    for number in range(120):
        name = words(rng, 3).title()
        cards.append(
            f'<div class=card><div class=picture><a href="#product-{number}"><img src="data:," alt="{name}" width=80 height=80></a></div>'
            f'<div class=body><h3><a href="#product-{number}">{name}</a></h3><div class=rating><span aria-label="{rng.randint(2, 5)} of 5 stars">★★★★</span>'
            f" <span>({rng.randint(3, 900)})</span></div><p>{sentence(rng)}</p><div class=price><b>€{rng.randint(5, 400)}.{rng.randint(0, 9)}9</b></div>"
            f'<div class=buttons><button class=add data-n={number}>Add to cart</button><button class=wish aria-label="Wish list">♡</button></div></div></div>'
        )
    filters = "".join(f"<label><input type=checkbox value={name}>{name.capitalize()} ({rng.randint(1, 90)})</label><br>" for name in WORDS[:20])
    order = "".join(f"<option>{name}</option>" for name in ("Relevance", "Price, low to high", "Price, high to low", "Newest"))
    main = (
        f'<p id=cart aria-live=polite>Cart: 0 items</p><aside><h2>Filters</h2><fieldset><legend>Brand</legend>{filters}</fieldset></aside>'
        f"<label>Sort by <select id=sort>{order}</select></label><div class=cards>{''.join(cards)}</div>"
        '<nav aria-label=Pages><a href="#1">1</a> <a href="#2">2</a> <a href="#3">3</a> <a href="#next">Next</a></nav>'
    )
    script = (
        "var n=0;document.querySelectorAll('.add').forEach(b=>b.onclick=()=>{n++;cart.textContent='Cart: '+n+(n==1?' item':' items');b.textContent='In the cart'});"
    )
    return frame("Garden tools", main, script)


def table(rng):
    rows = []
    for number in range(500):
        rows.append(
            f"<tr><td>{10_000 + number}</td><td>{words(rng, 2).title()}</td><td>{rng.choice(('Paid', 'Open', 'Late', 'Void'))}</td>"
            f"<td>2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}</td><td>€{rng.randint(10, 9000)}.00</td>"
            f'<td><button class=row data-n={number}>Details</button></td></tr>'
        )
    head = "".join(f"<th><button class=sort>{name}</button></th>" for name in ("Number", "Customer", "State", "Date", "Amount")) + "<th></th>"
    script = (
        "document.querySelectorAll('.row').forEach(b=>b.onclick=()=>{detail.textContent='Invoice '+(10000+ +b.dataset.n)+' is open'});"
        "document.querySelectorAll('.sort').forEach(b=>b.onclick=()=>{b.setAttribute('aria-pressed','true')});"
    )
    return frame("Invoices", f"<p id=detail role=status></p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>", script)


def article(rng):
    parts, contents = [], []
    for number in range(24):
        title = words(rng, 4).capitalize()
        contents.append(f'<li><a href="#s{number}">{title}</a></li>')
        body = "".join(
            f'<p>{paragraph(rng)} <a href="#r{number}">{words(rng, 2)}</a>{sentence(rng)}<sup><a href="#n{number}">[{number}]</a></sup></p>' for _ in range(4)
        )
        parts.append(f"<section><h2 id=s{number}>{title}</h2>{body}</section>")
    comments = '<button id=more aria-expanded=false>Show comments</button><div id=comments class=panel><p>First comment.</p><p>Second comment.</p></div>'
    script = "more.onclick=()=>{comments.classList.add('shown');more.setAttribute('aria-expanded','true')}"
    return frame("On lanterns", f"<ol>{''.join(contents)}</ol><article>{''.join(parts)}</article>{comments}", script)


def form(rng):
    groups = []
    for group in range(10):
        fields = []
        for field in range(8):
            name, label = f"f{group * 8 + field}", words(rng, 2).capitalize()
            kind = ("text", "text", "email", "select", "checkbox", "date", "textarea", "number")[field]
            if kind == "select":
                inner = f"<select id={name}>" + "".join(f"<option>{word.capitalize()}</option>" for word in WORDS[group : group + 12]) + "</select>"
            elif kind == "textarea":
                inner = f"<textarea id={name}></textarea>"
            else:
                inner = f"<input id={name} type={kind}{' required' if field < 2 else ''}>"
            fields.append(f"<div class=field><label for={name}>{label}</label><div class=control>{inner}</div><small>{words(rng, 5)}</small></div>")
        groups.append(f"<fieldset><legend>{words(rng, 2).capitalize()}</legend>{''.join(fields)}</fieldset>")
    script = "go.onclick=e=>{e.preventDefault();said.textContent='Saved as a draft'}"
    return frame("Application", f"<form>{''.join(groups)}<button id=go>Save</button></form><p id=said role=status></p>", script)


def menus(rng):
    def level(depth, path):
        items = []
        for number in range(6 if depth else 8):
            name = f"{rng.choice(WORDS).capitalize()} {path}{number}"
            below = level(depth - 1, f"{path}{number}.") if depth else ""
            mark = f'<button aria-expanded=false id="m{path.replace(".", "-")}{number}">{name}</button>' if below else f'<a href="#{path}{number}">{name}</a>'
            items.append(f"<li>{mark}{below}</li>")
        return f"<ul>{''.join(items)}</ul>"

    script = (
        "document.querySelectorAll('nav button').forEach(b=>b.onclick=()=>{b.parentNode.classList.toggle('open');"
        "b.setAttribute('aria-expanded',b.parentNode.classList.contains('open'))})"
    )
    return frame("Departments", f"<nav aria-label=Departments>{level(2, '')}</nav><p>{paragraph(rng)}</p>", script)


def dashboard(rng):
    tiles = []
    for number in range(24):
        bars = "".join(f'<rect x="{8 * bar}" y="0" width="6" height="{rng.randint(3, 40)}"></rect>' for bar in range(20))
        tiles.append(
            f'<section class=card aria-label="{words(rng, 2).title()}"><header><h3>{words(rng, 2).title()}</h3><button aria-label="Options of tile {number}">⋮</button></header>'
            f'<svg width=160 height=40 role=img aria-label="Twenty days">{bars}</svg><p><b>{rng.randint(10, 9999)}</b> <span>+{rng.randint(1, 40)}%</span></p></section>'
        )
    script = "range.onchange=()=>{shown.textContent='Showing '+range.value}"
    ranges = "".join(f"<option>{name}</option>" for name in ("Today", "This week", "This month", "This year"))
    return frame("Dashboard", f"<label>Range <select id=range>{ranges}</select></label><p id=shown role=status>Showing Today</p><div class=cards>{''.join(tiles)}</div>", script)


def thread(rng):
    posts = []
    for number in range(60):
        posts.append(
            f'<article class=card><header><a href="#u{number}">{words(rng, 1)}{number}</a> <time>{rng.randint(1, 50)} min</time></header>'
            f'<div class=text><p>{paragraph(rng)}</p></div><footer><button class=like data-n={number}>Like</button><button>Reply</button><button aria-label="Share">↗</button></footer></article>'
        )
    script = "document.querySelectorAll('.like').forEach(b=>b.onclick=()=>{b.textContent='Liked';b.setAttribute('aria-pressed','true')})"
    return frame("Thread", f"<textarea id=reply aria-label='Your reply'></textarea><button id=send>Send</button>{''.join(posts)}", script)


def results(rng):
    hits = "".join(
        f'<div class=hit><h3><a href="#hit-{number}">{words(rng, 5).capitalize()}</a></h3><cite>https://{rng.choice(WORDS)}.example/{rng.choice(WORDS)}</cite>'
        f"<p>{sentence(rng)} {sentence(rng)}</p></div>"
        for number in range(50)
    )
    script = "document.querySelectorAll('.hit a').forEach(a=>a.onclick=()=>{said.textContent='Opened '+a.textContent})"
    return frame("Results for copper", f"<p id=said role=status>About 50 results</p>{hits}", script)


def settings(rng):
    tabs = "".join(f'<button role=tab id=t{number} aria-selected={"true" if not number else "false"}>{WORDS[number].capitalize()}</button>' for number in range(6))
    panels = "".join(
        f'<div role=tabpanel id=p{number} class="panel{" shown" if not number else ""}">'
        + "".join(
            f"<div class=row><span id=l{number}-{row}>{words(rng, 3).capitalize()}</span><button role=switch aria-checked=false aria-labelledby=l{number}-{row} class=switch id=s{number}-{row}></button>"
            f"<p>{sentence(rng)}</p></div>"
            for row in range(20)
        )
        + "</div>"
        for number in range(6)
    )
    script = (
        "document.querySelectorAll('[role=tab]').forEach((t,i)=>t.onclick=()=>{document.querySelectorAll('[role=tab]').forEach(o=>o.setAttribute('aria-selected',o===t));"
        "document.querySelectorAll('.panel').forEach((p,j)=>p.classList.toggle('shown',i===j))});"
        "document.querySelectorAll('.switch').forEach(s=>s.onclick=()=>s.setAttribute('aria-checked',s.getAttribute('aria-checked')!=='true'))"
    )
    return frame("Settings", f"<style>.switch{{width:30px;height:16px}}</style><div role=tablist>{tabs}</div>{panels}", script)


def calendar(rng):
    days = []
    for day in range(1, 31):
        events = "".join(f'<li><a href="#e{day}-{number}">{rng.randint(8, 18)}:00 {words(rng, 2)}</a></li>' for number in range(rng.randint(0, 5)))
        days.append(f'<div role=gridcell class=card><button class=day aria-label="{day} June">{day}</button><ul>{events}</ul></div>')
    script = "document.querySelectorAll('.day').forEach(b=>b.onclick=()=>{said.textContent=b.getAttribute('aria-label')+' is chosen'})"
    return frame("June", f"<p id=said role=status></p><div role=grid class=cards>{''.join(days)}</div>", script)


PAGES = {
    "shop": (shop, [("click", ".add[data-n='3']"), ("click", ".add[data-n='40']"), ("select", "#sort", "Newest"), ("type", "#q", "spade")]),
    "table": (table, [("click", ".row[data-n='2']"), ("click", ".row[data-n='450']"), ("click", "th:nth-child(3) .sort")]),
    "article": (article, [("click", "#more"), ("type", "#q", "lantern"), ("click", "a[href='#s5']")]),
    "form": (form, [("type", "#f0", "Ada"), ("type", "#f9", "Lovelace"), ("select", "#f3", "Signal"), ("click", "#f12"), ("click", "#go")]),
    "menus": (menus, [("click", "#m0"), ("click", "#m0-0"), ("click", "#m3")]),
    "dashboard": (dashboard, [("select", "#range", "This month"), ("hover", "section:nth-child(2) button"), ("click", "section:nth-child(2) button")]),
    "thread": (thread, [("click", ".like[data-n='0']"), ("type", "#reply", "Thank you"), ("click", ".like[data-n='50']")]),
    "results": (results, [("click", "a[href='#hit-0']"), ("click", "a[href='#hit-30']"), ("type", "#q", "copper lantern")]),
    "settings": (settings, [("click", "#s0-0"), ("click", "#t2"), ("click", "#s2-4")]),
    "calendar": (calendar, [("click", "[aria-label='3 June']"), ("click", "[aria-label='28 June']"), ("hover", "[aria-label='4 June']")]),
}


@functools.cache
def page(name):
    """The page of this name, or nothing."""
    if name not in PAGES:
        return None
    return PAGES[name][0](random.Random(f"large page {name}"))


def steps(name):
    return PAGES[name][1]
