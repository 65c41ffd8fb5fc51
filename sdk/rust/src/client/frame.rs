use prost::bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::encoding::{DecodeContext, WireType, decode_key, encode_key, encode_varint, skip_field};

/// The length of a gRPC frame's header: one byte for compression, four for the length; the message
/// follows.
const HEAD: usize = 5;

/// Returns the frame with the text field of this number filled: unchanged if the field has text,
/// else with the text of `make` added. `None` if the frame cannot be parsed, because it is
/// compressed or not a single message.
pub(crate) fn with_text(frame: &Bytes, field: u32, make: impl FnOnce() -> String) -> Option<Bytes> {
    let message = frame.get(HEAD..)?;
    let length = u32::try_from(message.len()).ok()?;
    if !frame.starts_with(&[0]) || frame.get(1..HEAD)? != length.to_be_bytes() {
        return None;
    }
    if has_text(message, field)? {
        return Some(frame.clone());
    }
    let text = make();
    let mut added = BytesMut::with_capacity(text.len() + 8);
    encode_key(field, WireType::LengthDelimited, &mut added);
    encode_varint(text.len() as u64, &mut added);
    added.put_slice(text.as_bytes());
    let mut filled = BytesMut::with_capacity(frame.len() + added.len());
    filled.put_u8(0);
    filled.put_u32(u32::try_from(message.len() + added.len()).ok()?);
    filled.put_slice(message);
    filled.put_slice(&added);
    Some(filled.freeze())
}

/// Returns true if the field of the message has text; `None` if the bytes are not a message.
fn has_text(mut message: &[u8], field: u32) -> Option<bool> {
    while message.has_remaining() {
        let (number, wire_type) = decode_key(&mut message).ok()?;
        let before = message.remaining();
        skip_field(wire_type, number, &mut message, DecodeContext::default()).ok()?;
        // An empty text is encoded as one byte, its length.
        if number == field && before - message.remaining() > 1 {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::SetLikeRequest;
    use prost::Message;

    fn framed(request: &SetLikeRequest) -> Bytes {
        let mut frame = BytesMut::new();
        frame.put_u8(0);
        frame.put_u32(u32::try_from(request.encoded_len()).unwrap());
        request.encode(&mut frame).unwrap();
        frame.freeze()
    }

    #[test]
    fn a_missing_request_id_is_added_and_a_given_one_is_kept() {
        let mut request = SetLikeRequest { comment_id: 7, member_id: "ünï".into(), value: 2, ..Default::default() };
        let filled = with_text(&framed(&request), 4, || "new".into()).unwrap();
        request.request_id = "new".into();
        assert_eq!(filled, framed(&request));
        assert_eq!(with_text(&filled, 4, || "other".into()).unwrap(), filled);
    }

    #[test]
    fn a_frame_that_is_not_one_plain_message_is_not_changed() {
        let frame = framed(&SetLikeRequest { comment_id: 7, ..Default::default() });
        for broken in [&[][..], &[0, 0, 0], &[1, 0, 0, 0, 0], &frame[..frame.len() - 1], &[0, 0, 0, 0, 1, 0xff]] {
            assert_eq!(with_text(&Bytes::copy_from_slice(broken), 4, || "new".into()), None);
        }
    }
}
