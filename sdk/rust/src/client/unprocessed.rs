use std::error::Error;

/// Returns whether a call failed without being processed: its request was not sent, or the server
/// said by HTTP/2 that it refused the stream.
///
/// A connection has a limited number of streams, and calls beyond it wait. When the server closes
/// the connection, as it does at a certain age, they end with such an error. The client repeats
/// them by itself; this function is for programs that use the generated clients over a channel of
/// their own. `error` is what tonic returns: a status or a transport error.
pub fn is_unprocessed(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // Of HTTP/2, hyper cancels nothing but a request that its connection has not taken.
        let is_unsent = error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled);
        if is_unsent || error.downcast_ref::<h2::Error>().is_some_and(is_refused) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Returns whether a stream was refused, or began after the last one that the server takes before
/// it closes the connection: RFC 9113, section 8.7.
fn is_refused(error: &h2::Error) -> bool {
    // Of a connection and not of a stream, so that it came in GOAWAY.
    let is_late = !error.is_reset() && error.reason() == Some(h2::Reason::NO_ERROR);
    error.is_remote() && (is_late || error.reason() == Some(h2::Reason::REFUSED_STREAM))
}
