//! Agents on the left, the gateway in the middle, servers on the right, and the traffic between them. The
//! lists below have the same data in words, so the picture is omitted on small screens and for screen
//! readers.

use maud::{Markup, html};

use super::data::{TrafficData, TrafficPrincipalData, TrafficServerData};
use super::several;
use crate::address::PageAddress;
use crate::pages::counted;
use crate::parts::{number, text};

/// The number drawn on a side; the lists have all of them.
const SIDE_MAX: usize = 10;
const NAME_CHARS: usize = 20;

const WIDTH: f64 = 960.0;
/// Frames are drawn on both sides of their edge.
const EDGE: f64 = 2.0;
const ROW: f64 = 54.0;
const BOX_WIDTH: f64 = 250.0;
const BOX_HEIGHT: f64 = 42.0;
const GATE_WIDTH: f64 = 130.0;
const GATE_HEIGHT: f64 = 64.0;
const LINE_WIDEST: f64 = 12.0;
const LINE_NARROWEST: f64 = 1.5;

pub(super) fn draw(traffic: &TrafficData, servers: &[TrafficServerData]) -> Markup {
    let callers: Vec<&TrafficPrincipalData> = traffic.principals.iter().take(SIDE_MAX).collect();
    let servers: Vec<&TrafficServerData> = servers.iter().take(SIDE_MAX).collect();
    let rows = callers.len().max(servers.len()).max(1) as f64;
    let height = rows * ROW + 8.0;
    let middle = height / 2.0;
    let busiest = traffic.principals.iter().map(|one| one.calls);
    let busiest =
        busiest.chain(servers.iter().map(|one| traffic.to_server(&one.name).calls)).max().unwrap_or(0);
    html! {
        svg.chart.picture viewBox=(format!("0 0 {WIDTH} {height}")) role="group" aria-label="Agents, gateway and servers" {
            @for (place, one) in callers.iter().enumerate() {
                (flow((BOX_WIDTH, row_at(place, callers.len(), height)), (gate_left(), middle), one.calls, one.failed, busiest))
            }
            @for (place, one) in servers.iter().enumerate() {
                @let edge = traffic.to_server(&one.name);
                (flow((gate_right(), middle), (WIDTH - BOX_WIDTH, row_at(place, servers.len(), height)), edge.calls, edge.failed, busiest))
            }
            (gate(middle))
            @for (place, one) in callers.iter().enumerate() { (caller(traffic, one, row_at(place, callers.len(), height))) }
            @if callers.is_empty() { (absent(middle, 0.0, "No calls in the last hour")) }
            @for (place, one) in servers.iter().enumerate() { (server(one, row_at(place, servers.len(), height))) }
            @if servers.is_empty() { (absent(middle, WIDTH - BOX_WIDTH, "No server yet")) }
        }
    }
}

fn gate_left() -> f64 {
    (WIDTH - GATE_WIDTH) / 2.0
}

fn gate_right() -> f64 {
    (WIDTH + GATE_WIDTH) / 2.0
}

/// The middle of a row; the shorter side is centred.
fn row_at(place: usize, count: usize, height: f64) -> f64 {
    let top = (height - count as f64 * ROW) / 2.0;
    top + (place as f64 + 0.5) * ROW
}

/// A line as wide as its traffic, and on it a dashed one as wide as the failed part.
fn flow(from: (f64, f64), to: (f64, f64), calls: u64, errors: u64, busiest: u64) -> Markup {
    let share = if busiest == 0 { 0.0 } else { calls as f64 / busiest as f64 };
    let width = LINE_NARROWEST + (LINE_WIDEST - LINE_NARROWEST) * share.sqrt();
    let bend = (from.0 + to.0) / 2.0;
    let path = format!(
        "M {:.0} {:.1} C {bend:.0} {:.1}, {bend:.0} {:.1}, {:.0} {:.1}",
        from.0, from.1, from.1, to.1, to.0, to.1
    );
    let failed = if calls == 0 { 0.0 } else { errors as f64 / calls as f64 };
    let failing = (width * failed).max(LINE_NARROWEST);
    html! {
        path class=(if calls == 0 { "idle" } else { "flow" }) d=(path) fill="none" stroke-width=(format!("{width:.1}")) {}
        @if errors > 0 { path.failing d=(path) fill="none" stroke-width=(format!("{failing:.1}")) {} }
    }
}

fn gate(middle: f64) -> Markup {
    html! {
        a href="/console/calls" aria-label="Toolgate: all calls" {
            rect.gate x=(gate_left()) y=(middle - GATE_HEIGHT / 2.0) width=(GATE_WIDTH) height=(GATE_HEIGHT) rx="12" {}
            text.gate-name x=(WIDTH / 2.0) y=(middle + 5.0) text-anchor="middle" font-size="17" font-weight="600" { "Toolgate" }
        }
    }
}

fn caller(traffic: &TrafficData, one: &TrafficPrincipalData, middle: f64) -> Markup {
    let detail = match one.failed {
        0 => several(one.calls, "call"),
        errors => format!("{}, {} failed", several(one.calls, "call"), number(errors)),
    };
    let address = traffic.list(counted::ENDED).with("principal", &one.id);
    html! {
        a href=(address) {
            rect.node x=(EDGE) y=(middle - BOX_HEIGHT / 2.0) width=(BOX_WIDTH - EDGE) height=(BOX_HEIGHT) rx="8" {}
            (words(14.0, middle, &one.id, &detail))
        }
    }
}

fn server(one: &TrafficServerData, middle: f64) -> Markup {
    let left = WIDTH - BOX_WIDTH;
    let detail = match one.instances {
        0 | 1 => format!("{}, {}", one.health, several(one.tools, "tool")),
        all => {
            format!("{}, {} of {} up, {}", one.health, one.instances_healthy, all, several(one.tools, "tool"))
        }
    };
    html! {
        a href=(PageAddress::of(["console", "servers", &one.name])) {
            rect.node x=(left) y=(middle - BOX_HEIGHT / 2.0) width=(BOX_WIDTH - EDGE) height=(BOX_HEIGHT) rx="8" {}
            (health(&one.health, left + 20.0, middle))
            (words(left + 40.0, middle, &one.name, &detail))
        }
    }
}

fn words(left: f64, middle: f64, name: &str, detail: &str) -> Markup {
    let (shown, left_out) = text::cut_at(name, NAME_CHARS);
    let dots = if left_out > 0 { "…" } else { "" };
    html! {
        text.ink x=(left) y=(middle - 3.0) font-size="14" font-weight="600" { (text::made_visible(shown)) (dots) }
        text.soft x=(left) y=(middle + 13.0) font-size="12" { (detail) }
    }
}

/// A disc with a tick, a triangle, or a ring: recognisable without colour.
fn health(health: &str, x: f64, y: f64) -> Markup {
    match health {
        "healthy" => html! {
            circle.good cx=(x) cy=(y) r="9" {}
            path.tick d=(format!("M {} {} l 3 4 l 6 -7", x - 4.5, y + 0.5)) fill="none" stroke-width="2" {}
        },
        "degraded" => html! {
            path.bad d=(format!("M {x} {} l 10 18 h -20 z", y - 10.0)) {}
            text.on-bad x=(x) y=(y + 6.0) text-anchor="middle" font-size="13" font-weight="700" { "!" }
        },
        _ => html! { circle.ring cx=(x) cy=(y) r="7" fill="none" stroke-width="3" {} },
    }
}

fn absent(middle: f64, left: f64, said: &str) -> Markup {
    html! {
        rect.absent x=(left + 1.0) y=(middle - BOX_HEIGHT / 2.0) width=(BOX_WIDTH - 2.0) height=(BOX_HEIGHT) rx="8" fill="none" stroke-dasharray="5 5" {}
        text.soft x=(left + BOX_WIDTH / 2.0) y=(middle + 5.0) text-anchor="middle" font-size="14" { (said) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(id: &str, calls: u64) -> TrafficPrincipalData {
        TrafficPrincipalData { id: id.to_owned(), calls, ..TrafficPrincipalData::default() }
    }

    fn busy(principals: Vec<TrafficPrincipalData>) -> TrafficData {
        TrafficData { principals, ..TrafficData::default() }
    }

    #[test]
    fn hostile_names_stay_text_and_short() {
        let name = format!("<script>\u{202e}{}", "x".repeat(5_000));
        let drawn = draw(&busy(vec![principal(&name, 3)]), &[]).into_string();
        assert!(!drawn.contains("<script>") && drawn.contains("&lt;script&gt;⟨U+202E⟩"), "{drawn}");
        let mut words = drawn.split("<text").skip(1).filter_map(|words| words.split("</text>").next());
        assert!(words.all(|words| words.len() < 200), "{drawn}");
    }

    #[test]
    fn the_busiest_line_is_the_broadest() {
        let drawn = draw(&busy(vec![principal("a", 100), principal("b", 1)]), &[]).into_string();
        assert!(
            drawn.contains(r#"stroke-width="12.0""#) && drawn.contains(r#"stroke-width="2.5""#),
            "{drawn}"
        );
    }
}
