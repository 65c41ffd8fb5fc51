//! The rule against global state: a `static` must be constant. A `task_local!` is not global: it
//! lives and ends with its task.

use super::Violation;
use super::source::{Source, line_of, words};

/// Types that make a `static` change after the start, even if only once.
const CHANGING: [&str; 9] =
    ["LazyLock", "LazyCell", "Lazy", "OnceLock", "OnceCell", "Mutex", "RwLock", "Cell", "ArcSwap"];

/// Finds statics that can change, in production code.
pub(crate) fn check(source: &Source, faults: &mut Vec<Violation>) {
    let code = &source.production;
    let scoped = |at: usize| code[..at].trim_end().ends_with("task_local! {");
    for at in words(code, "static").filter(|at| !code[..*at].ends_with('\'') && !scoped(*at)) {
        // `static NAME: Type = …;`: the type ends at the equals sign.
        let kind = code[at..].split(['=', ';']).next().unwrap_or_default();
        let changes = kind.starts_with("static mut")
            || kind.contains("Atomic")
            || CHANGING.iter().any(|name| words(kind, name).next().is_some());
        if changes && kind.contains(':') {
            faults.push(Violation::new(
                &source.path,
                line_of(code, at),
                "global state: pass it from the place that owns it",
            ));
        }
    }
    for word in ["thread_local!", "lazy_static!"] {
        for at in words(code, word) {
            faults.push(Violation::new(&source.path, line_of(code, at), format!("`{word}`: global state")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let mut faults = Vec::new();
        check(&Source::new("server/src/a.rs", text.to_owned()), &mut faults);
        faults.iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn globals_are_found() {
        let violations = [
            "static mut COUNT: u64 = 0;",
            "static CONFIG: OnceLock<Config> = OnceLock::new();",
            "pub(crate) static SEEN: std::sync::Mutex<Vec<u8>> = Mutex::new(Vec::new());",
            "static NEXT: AtomicU64 = AtomicU64::new(1);",
            "static A: std::sync::LazyLock<u8> = LazyLock::new(|| 1);",
            "thread_local! { }",
        ];
        for text in violations {
            assert_eq!(lines(text), [1], "{text}");
        }
    }

    #[test]
    fn constants_lifetimes_and_the_allocator_are_no_globals() {
        let fine = "static NAMES: [&'static str; 1] = [\"a\"];\nfn f(x: &'static Mutex<u8>) {}\n\
                    #[global_allocator]\nstatic ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;\n\
                    tokio::task_local! {\n    static NOTED: Cell<bool>;\n}\n";
        assert!(lines(fine).is_empty());
    }
}
