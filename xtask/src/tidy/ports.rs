//! The size of the ports: a trait in `server/core/src/ports` has at most eight methods, so that an
//! implementation and a caller take one capability and not the whole backend.

use super::Violation;
use super::source::{Source, closing, in_name, line_of, words};

/// The largest number of methods of a port.
const METHODS: usize = 8;
pub(super) const PORTS: [&str; 2] = ["server/core/src/ports.rs", "server/core/src/ports/"];

/// Finds ports with too many methods.
pub(crate) fn check(source: &Source, faults: &mut Vec<Violation>) {
    if !PORTS.iter().any(|place| source.path.starts_with(place)) {
        return;
    }
    let code = &source.production;
    for at in words(code, "trait") {
        let Some(open) = code[at..].find('{').map(|open| at + open) else { continue };
        let methods = methods(&code[open..closing(code, open)]);
        if methods > METHODS {
            let head = code[at + "trait".len()..open].trim_start();
            let name = &head[..head.find(|c| !in_name(c)).unwrap_or(head.len())];
            let what = format!("the port `{name}` has {methods} methods (≤ {METHODS}); split it by capability");
            faults.push(Violation::new(&source.path, line_of(code, at), what));
        }
    }
}

/// Returns the number of functions that a trait declares, and not those inside their bodies.
fn methods(body: &str) -> usize {
    words(body, "fn").filter(|at| depth(&body[..*at]) == 1).count()
}

fn depth(before: &str) -> usize {
    let count = |bracket| before.matches(bracket).count();
    count('{').saturating_sub(count('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, methods: usize) -> Vec<String> {
        let method = "    /// A fn.\n    async fn a(&self) -> u8 {\n        fn inner() {}\n        1\n    }\n";
        let text = format!("/// A port.\npub trait Rows: Send {{\n{}}}\n", method.repeat(methods));
        let mut faults = Vec::new();
        check(&Source::new(path, text), &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_port_with_nine_methods_is_found() {
        assert_eq!(faults("server/core/src/ports/rows.rs", 8), [""; 0]);
        let found = faults("server/core/src/ports/rows.rs", 9);
        assert!(found[0].contains("rows.rs:2: the port `Rows` has 9 methods"), "{found:?}");
        assert_eq!(faults("server/cache/src/port.rs", 9), [""; 0], "a port of the cache alone is free");
    }
}
