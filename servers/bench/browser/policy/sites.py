"""Small sites: a search engine, a phone book, posts, a menu of dishes, flights."""

import re

from policy.eye import GaveUp, number
from policy.lists import take_suggestion
from policy.pickers import pick_date

RESULTS_PER_PAGE = 3
PAGES_MAX = 6
POST_ICONS = ("reply", "retweet", "like")


def search(eye):
    words, _ = eye.quoted()[:2]
    place = number(eye.must(r"click the (\d\w\w) search result")) - 1
    eye.type(eye.fields()[0], words)
    eye.click(eye.button("Search"))
    eye.look()
    page = place // RESULTS_PER_PAGE + 1
    if page > 1:
        eye.click(eye.one("link", str(page)))
        eye.look()
    results = [node for node in eye.all("link") if not re.fullmatch(r"\d+|<|>", node.name)]
    eye.click(results[place % RESULTS_PER_PAGE])


def phone_book(eye):
    person, what = eye.must(r"Find (.+) in the contact book and click on their (\w+)")
    for _ in range(PAGES_MAX):
        if any(node.name == person for node in eye.texts()):
            return eye.click(_property(eye, what))
        eye.click(eye.one(name=">"))
        eye.look()
    raise GaveUp(f"no {person}")


def _property(eye, what):
    label = next(node for node in eye.texts() if node.name.lower().startswith(what))
    value = eye.all(after=label)
    if label.name.rstrip(": ").lower() == what and value:
        return value[0]
    return eye.ref_of(label.name)


def posts(eye):
    """One post of a user; some buttons are in a menu that three dots open."""
    user, what = eye.must(r'For the user (@\S+), click on the "(.+)" button')
    post = _posts_of(eye, user)[0]
    if what.lower() in POST_ICONS:
        return _click_icon(eye, _post_icon(eye, post, what.lower()))
    _click_icon(eye, _post_icon(eye, post, "more"))
    eye.look()
    found = [node for node in eye.nodes if node.name == what or node.name == f"{what} {user}"]
    if not found:
        raise GaveUp(f"no {what} in {eye.nodes}")
    eye.click(found[0].ref or eye.ref_of(found[0].name))


def several_posts(eye):
    what, which, user = eye.must(r'Click the "(.+)" button on (all|\d+) posts? by (@\S+) and then click Submit')
    chosen = _posts_of(eye, user)
    if which != "all":
        chosen = chosen[: int(which)]
    for icon in [_post_icon(eye, post, what.lower()) for post in chosen]:
        _click_icon(eye, icon)
    eye.submit()


def _click_icon(eye, icon):
    """An icon changes its picture under the mouse; it is clicked when that has happened."""
    eye.hover(icon)
    eye.click(icon)


def _posts_of(eye, user):
    found = [node for node in eye.texts() if re.search(rf"{re.escape(user)}(?![a-z])", _handle(node.name))]
    if not found:
        raise GaveUp(f"no post of {user}")
    return found


def _handle(text):
    """A name and what follows it may be written together: `Ada@ada9h ago`."""
    return re.sub(r"(@[a-z]+?)(·?\s*\d+h ago)", r"\1 \2", text)


def _post_icon(eye, post, what):
    icons = [node for node in eye.all(after=post) if not node.name or node.name.lower() == what][:4]
    told = [node for node in icons if node.hints(rf"\b{what}\b")]
    order = (*POST_ICONS, "share" if what == "share" else "more")
    return told[0] if told else icons[order.index(what)]


def food(eye):
    kind = eye.said(r"Order (\d+) items that are (.+)")
    if kind:
        dish = _dish_of_kind(eye, kind[1])
        for _ in range(int(kind[0])):
            eye.click(dish)
    else:
        for name in eye.must(r"Order one of each item: (.+)").split(", "):
            at = next(node for node in eye.texts() if node.name.strip().startswith(name.strip()))
            eye.click(eye.one(name="+", after=at))
    eye.click(eye.button("Order!"))


def _dish_of_kind(eye, kind):
    sign = next(node for node in eye.nodes if re.search(rf"\b{kind}\b", node.name) and node.name != eye.task)
    return eye.one(name="+", after=sign)


def minutes(text):
    found = re.search(r"(\d+)h (\d+)m", text)
    return int(found.group(1)) * 60 + int(found.group(2)) if found else None


def offers(eye):
    """Buttons that book, each with its price and the duration that stands before it."""
    found, duration = [], None
    for node in eye.nodes:
        duration = minutes(node.name) or duration
        price = re.search(r"Book (?:flight )?for \$(\d+)", node.name)
        if price and node.ref:
            found.append((int(price.group(1)), duration, node))
    if not found:
        raise GaveUp(f"nothing to book in {eye.nodes}")
    return found


def best(eye, wish):
    found = offers(eye)
    return {
        "cheapest": lambda: min(found, key=lambda offer: offer[0]),
        "most expensive": lambda: max(found, key=lambda offer: offer[0]),
        "shortest": lambda: min(found, key=lambda offer: offer[1]),
        "longest": lambda: max(found, key=lambda offer: offer[1]),
    }[wish]()[2]


def ticket(eye):
    eye.click(best(eye, eye.must(r"with the (cheapest|most expensive|shortest|longest)")))


def flight(eye):
    wish, start, goal, day = eye.must(r"Book the (cheapest|shortest) one-way flight from: (.+) to: (.+) on (\d\d/\d\d/\d{4})")
    for place, city in enumerate((start, goal)):
        take_suggestion(eye, place, city, lambda name, city=city: _is_airport(name, city))
    pick_date(eye, eye.fields()[2], day)
    eye.look()
    eye.click(eye.button("Search"))
    eye.look()
    eye.click(best(eye, wish))


def _is_airport(name, city):
    return name.startswith(f"{city} (") or f"({city})" in name or re.match(rf"{re.escape(city)}\b.*\([A-Z]{{3}}", name) is not None


STRATEGIES = {
    "search-engine": search,
    "phone-book": phone_book,
    "social-media": posts,
    "social-media-all": several_posts,
    "social-media-some": several_posts,
    "order-food": food,
    "buy-ticket": ticket,
    "book-flight": flight,
    "book-flight-nodelay": flight,
}
