//! The frame of every page, and text in it.

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f4f6f8;color:#15202b}\
header{background:#0b4f6c;color:#fff;padding:.8rem 1.5rem;font-weight:600}\
main{max-width:40rem;margin:1.5rem auto;background:#fff;padding:1.5rem;border-radius:8px;box-shadow:0 1px 3px #0003}\
label{display:block;margin:.8rem 0 .2rem}input[type=text],input[type=email],input[type=tel],input[type=password],textarea\
{width:100%;box-sizing:border-box;padding:.5rem;border:1px solid #9aa7b2;border-radius:4px;font:inherit}\
button{margin-top:1rem;padding:.6rem 1.2rem;border:0;border-radius:4px;background:#0b4f6c;color:#fff;font:inherit}\
iframe{width:100%;height:26rem;border:1px solid #9aa7b2;border-radius:4px}.wrong{color:#a4161a;font-weight:600}\
.good{color:#1b6e3c;font-weight:600}";

/// A whole page.
pub(super) fn page(title: &str, body: &str) -> String {
    framed(title, &format!("<header>Northwind Jobs</header><main><h1>{}</h1>{body}</main>", text(title)))
}

/// A page within another.
pub(super) fn inner(title: &str, body: &str) -> String {
    framed(title, &format!("<h2>{}</h2>{body}", text(title)))
}

fn framed(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{STYLE}</style></head>\
         <body>{body}</body></html>",
        text(title)
    )
}

/// Text that stays text.
pub(super) fn text(raw: &str) -> String {
    raw.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A field with its label.
pub(super) fn field(kind: &str, name: &str, label: &str, value: &str) -> String {
    let value = text(value);
    let input = match kind {
        "textarea" => format!("<textarea id=\"{name}\" name=\"{name}\" rows=\"4\">{value}</textarea>"),
        kind => {
            format!(
                "<input type=\"{kind}\" id=\"{name}\" name=\"{name}\" value=\"{value}\" required autocomplete=\"off\">"
            )
        }
    };
    format!("<label for=\"{name}\">{}</label>{input}", text(label))
}

/// A button that sends its form.
pub(super) fn button(id: &str, label: &str) -> String {
    format!("<button type=\"submit\" id=\"{id}\">{}</button>", text(label))
}

/// A form that posts to an address.
pub(super) fn form(address: &str, label: &str, body: &str) -> String {
    format!("<form method=\"post\" action=\"{}\" aria-label=\"{}\">{body}</form>", text(address), text(label))
}
