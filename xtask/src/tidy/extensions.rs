//! The rule that the extensions of a request are no hidden channel: the middleware inserts a few
//! known values, in one file, and a handler sees them as fields of its call.

use super::Violation;
use super::source::{Source, closing, line_of, words};

const SERVER: &str = "server/";
/// The only file that inserts values.
const INSERTS: &str = "server/grpc/src/middleware/call.rs";
/// The expressions that it inserts, each with the reason.
const INSERTED: [(&str, &str); 4] = [
    ("caller", "the authenticated caller"),
    ("CallId(request_id::text(id).to_owned())", "the request id"),
    ("deadline", "the deadline of the caller"),
    ("attempt.handler_started()", "the middleware records a rejected call, and the handler one that it has started"),
];
/// The files that read values, each with the reason.
const READS: [(&str, &str); 2] = [
    ("server/grpc/src/call.rs", "moves them into the call that a handler receives"),
    ("server/grpc/src/audited.rs", "marks an audited handler as started"),
];
/// The type that the transport inserts; the middleware reads it.
const OF_THE_TRANSPORT: &str = "extensions().get::<PeerIdentity>()";

/// Returns the paths that the rule names.
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
    READS.iter().map(|(path, _)| *path).chain([SERVER, INSERTS])
}

/// Finds other uses of extensions, in production code.
pub(crate) fn check(source: &Source, faults: &mut Vec<Violation>) {
    if !source.path.starts_with(SERVER) {
        return;
    }
    let code = &source.production;
    let reads = READS.iter().any(|(path, _)| *path == source.path);
    let forbidden: &[&str] = if reads { &["extensions_mut"] } else { &["extensions_mut", "extensions", "Extensions"] };
    let uses = forbidden.iter().flat_map(|word| words(code, word));
    for at in uses.filter(|at| source.path != INSERTS || !is_known(&code[*at..])) {
        let what = "an unknown value in the extensions of a request is a hidden channel: pass it as an argument";
        faults.push(Violation::new(&source.path, line_of(code, at), what));
    }
}

/// Returns `true` for a use that the tables list.
fn is_known(code: &str) -> bool {
    const INSERT: &str = "extensions_mut().insert";
    let Some(arguments) = code.strip_prefix(INSERT).filter(|rest| rest.starts_with('(')) else {
        return code.starts_with(OF_THE_TRANSPORT);
    };
    let value = &arguments[1..closing(arguments, 0) - 1];
    INSERTED.iter().any(|(known, _)| *known == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let mut faults = Vec::new();
        check(&Source::new(path, text.to_owned()), &mut faults);
        faults.iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn a_hidden_channel_is_found() {
        for text in
            ["request.extensions_mut().insert(Hint(1));", "request.extensions().get::<Hint>();", "f(e: Extensions);"]
        {
            assert_eq!(lines(INSERTS, text), [1], "{text}");
            assert_eq!(lines("server/grpc/src/services/like/set_like.rs", text), [1], "{text}");
        }
        let known = "request.extensions_mut().insert(caller);";
        assert_eq!(lines("server/grpc/src/middleware/limit.rs", known), [1], "one file inserts");
        assert_eq!(lines("server/grpc/src/call.rs", known), [1], "a file that reads inserts nothing");
    }

    #[test]
    fn the_known_values_may_be_inserted_and_read() {
        for (value, _) in INSERTED {
            assert!(lines(INSERTS, &format!("request.extensions_mut().insert({value});")).is_empty(), "{value}");
        }
        assert!(lines(INSERTS, "request.extensions().get::<PeerIdentity>();").is_empty());
        assert!(lines("server/grpc/src/call.rs", "let caller = extensions.remove();").is_empty());
        assert!(lines("tests/src/a.rs", "request.extensions_mut().insert(Hint(1));").is_empty());
    }
}
