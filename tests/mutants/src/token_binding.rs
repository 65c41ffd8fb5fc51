//! Mutants of page tokens. Their tokens are bound to less than their list.

use std::sync::Arc;

use riposte_grpc::page_token::{TokenBinding, TokenContext, TokenPart};

use crate::mutant::Mutant;

/// Returns the binding of page tokens under a mutant; `None` if the mutant does not change it.
pub(crate) fn of(mutant: Mutant) -> Option<TokenBinding> {
    if mutant == Mutant::TokensUnbound {
        return Some(without(|_| true));
    }
    if mutant == Mutant::TokenIgnoresFilter {
        return Some(Arc::new(without_filter));
    }
    (mutant == Mutant::TokensOfAnySubject).then(|| without(|part| matches!(part, TokenPart::Subject(_))))
}

/// Leaves out the filter of a position in the feed of events.
fn without_filter(list: &TokenContext) -> TokenContext {
    let is_feed = list.parts().contains(&TokenPart::Method("events".to_owned()));
    let is_bound = |part: &&TokenPart| !(is_feed && matches!(part, TokenPart::Argument(_)));
    list.parts().iter().filter(is_bound).cloned().collect()
}

/// Returns a binding that leaves out these parts.
fn without(left_out: fn(&TokenPart) -> bool) -> TokenBinding {
    Arc::new(move |list: &TokenContext| list.parts().iter().filter(|part| !left_out(part)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use riposte_core::{Caller, Error, Millis, SubjectKey};
    use riposte_grpc::page_token::{PageTokenCodec, TokenCursor};

    use super::*;

    fn list(caller: &str, object_id: &str) -> TokenContext {
        let key = SubjectKey::stored("video".to_owned(), object_id.to_owned());
        TokenContext::new(&Caller::unrestricted(caller), "ListComments").subject(&key)
    }

    /// Returns the outcomes of a token of one list: in the list of another subject, and in the list
    /// of another caller.
    fn outcomes(mutant: Mutant) -> [Result<TokenCursor, Error>; 2] {
        let tokens = PageTokenCodec::new(Vec::new()).bound_by(of(mutant));
        let token = tokens.seal(&list("app", "1"), &TokenCursor::Revision(1), Millis(0)).unwrap();
        assert_eq!(tokens.open(&list("app", "1"), &token), Ok(TokenCursor::Revision(1)));
        [list("app", "2"), list("dev", "1")].map(|other| tokens.open(&other, &token))
    }

    #[test]
    fn a_mutant_accepts_tokens_of_other_lists_and_a_correct_server_accepts_none() {
        let (accepted, refused) = (Ok(TokenCursor::Revision(1)), Err(Error::PageTokenMismatch));
        assert_eq!(outcomes(Mutant::TokensUnbound), [accepted.clone(), accepted.clone()]);
        assert_eq!(outcomes(Mutant::TokensOfAnySubject), [accepted, refused.clone()]);
        assert_eq!(outcomes(Mutant::LateLikes), [refused.clone(), refused]);
    }
}
