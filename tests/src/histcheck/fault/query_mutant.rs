//! The mutants of text queries. They alter what the proxies carry between a server and a database,
//! as a bug in the writer of literals or in the assignment of results would, so that the shipped
//! code contains no switch for them.
//!
//! The packets are those of the client/server protocol of MySQL: three bytes of length, a sequence
//! number, and the payload (dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::proxy::{ConnectionFilter, PieceFilter};

/// A mutant of text queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueryMutant {
    /// The last byte of some texts is written as a question mark, as a lossy conversion would.
    LiteralsAltered,
    /// The results of two statements of a query are sometimes exchanged.
    ResultsSwapped,
}

/// The mutants of text queries, by name.
const MUTANTS: [(&str, QueryMutant); 2] = [
    // `cargo xtask prove` reads one name from each line.
    ("literals-altered", QueryMutant::LiteralsAltered),
    ("results-swapped", QueryMutant::ResultsSwapped),
];

/// The reciprocal of the share of texts, and of responses, that are altered.
const ONE_OF: u32 = 8;

impl QueryMutant {
    /// Returns the mutant of this name, if it is one of text queries.
    pub(crate) fn named(name: &str) -> Option<Self> {
        MUTANTS.iter().find(|(known, _)| *known == name).map(|(_, mutant)| *mutant)
    }

    /// Returns the filters of a new connection to a database.
    pub(crate) fn filter(self) -> ConnectionFilter {
        let in_query = Arc::new(AtomicBool::new(false));
        ConnectionFilter {
            to_store: Box::new(Requests { mutant: self, packets: Packets::default(), in_query: Arc::clone(&in_query) }),
            to_server: Box::new(Responses { packets: Packets::default(), in_query, response: Response::default() }),
        }
    }
}

/// Divides a stream into packets.
#[derive(Debug, Default)]
struct Packets {
    /// The bytes that are not a whole packet yet.
    rest: Vec<u8>,
}

/// A packet with its header.
type Packet = Vec<u8>;

/// The length of the header of a packet.
const HEADER: usize = 4;

impl Packets {
    /// Returns the packets that a piece completes.
    fn of(&mut self, piece: &[u8]) -> Vec<Packet> {
        self.rest.extend_from_slice(piece);
        let (mut packets, mut begin) = (Vec::new(), 0);
        while let Some([low, middle, high, _]) = self.rest.get(begin..begin + HEADER) {
            let end = begin + HEADER + u32::from_le_bytes([*low, *middle, *high, 0]) as usize;
            let Some(packet) = self.rest.get(begin..end) else { break };
            packets.push(packet.to_vec());
            begin = end;
        }
        self.rest.drain(..begin);
        packets
    }
}

/// The commands of a server.
struct Requests {
    mutant: QueryMutant,
    packets: Packets,
    /// True while the response to a query of several statements is expected, if results are
    /// swapped.
    in_query: Arc<AtomicBool>,
}

impl PieceFilter for Requests {
    fn pass(&mut self, piece: &[u8]) -> Vec<u8> {
        /// The first byte of a text query.
        const QUERY: u8 = 3;
        let mut packets = self.packets.of(piece);
        for packet in &mut packets {
            let is_query = packet.get(HEADER) == Some(&QUERY);
            match self.mutant {
                QueryMutant::LiteralsAltered if is_query => alter_literals(&mut packet[HEADER..]),
                QueryMutant::LiteralsAltered => {}
                QueryMutant::ResultsSwapped => {
                    self.in_query.store(is_query && packet.contains(&b';'), Ordering::Release);
                }
            }
        }
        packets.concat()
    }
}

/// Replaces the last byte of some texts by a question mark. The same text is always altered or
/// never, so that what is altered can still be found. JSON stays, because a row with broken JSON
/// ends a run before its history is checked.
fn alter_literals(query: &mut [u8]) {
    const TEXT: &[u8] = b"_utf8mb4 x'";
    let mut begin = 0;
    while let Some(at) = find(&query[begin..], TEXT) {
        let digits = begin + at + TEXT.len();
        let Some(length) = find(&query[digits..], b"'") else { return };
        begin = digits + length;
        let sum: u32 = query[digits..begin].iter().copied().map(u32::from).sum();
        let is_json = query[digits..begin].ends_with(b"5d") || query[digits..begin].ends_with(b"7d");
        if length > 2 && !is_json && sum.is_multiple_of(ONE_OF) {
            query[begin - 2..begin].copy_from_slice(b"3f");
        }
    }
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// The responses of a database.
struct Responses {
    packets: Packets,
    in_query: Arc<AtomicBool>,
    response: Response,
}

impl PieceFilter for Responses {
    fn pass(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut passed = Vec::new();
        for packet in self.packets.of(piece) {
            if !self.in_query.load(Ordering::Acquire) {
                passed.extend(packet);
            } else if self.response.receive(packet) {
                passed.extend(std::mem::take(&mut self.response).swapped());
            }
        }
        passed
    }
}

/// The response to a query of several statements.
#[derive(Debug, Default)]
struct Response {
    /// All packets so far.
    packets: Vec<Packet>,
    /// The results of statements that return rows, each as the range of its packets without the
    /// last one, which also says whether another result follows.
    results: Vec<std::ops::Range<usize>>,
    /// The first packet of the result that is received; `None` between results.
    begun: Option<usize>,
    /// The number of columns that are not received yet.
    columns_left: u64,
}

impl Response {
    /// Receives a packet, and returns true if it is the last one.
    fn receive(&mut self, packet: Packet) -> bool {
        const OK: u8 = 0;
        const END: u8 = 0xfe;
        const ERROR: u8 = 0xff;
        let number = self.packets.len();
        let payload = packet[HEADER..].to_vec();
        self.packets.push(packet);
        match (payload.first(), self.begun) {
            (Some(&ERROR) | None, _) => true,
            _ if self.columns_left > 0 => {
                self.columns_left -= 1;
                false
            }
            (Some(&OK), None) => !more_results(&payload),
            (Some(&END), Some(begun)) => {
                self.results.push(begun..number);
                self.begun = None;
                !more_results(&payload)
            }
            (Some(_), None) => {
                self.begun = Some(number);
                self.columns_left = length_encoded(&payload).map_or(0, |(columns, _)| columns);
                false
            }
            (Some(_), Some(_)) => false,
        }
    }

    /// Returns the bytes of the response; in some responses the first two neighbouring results of
    /// different lengths or columns are exchanged.
    fn swapped(mut self) -> Vec<u8> {
        // Sequence numbers are consecutive from that of the first packet.
        let number = self.packets.first().map_or(1, |packet| packet[HEADER - 1]);
        if rand::random_range(0..ONE_OF) == 0 {
            let content = |range: &std::ops::Range<usize>| -> Vec<&[u8]> {
                self.packets[range.clone()].iter().map(|packet| &packet[HEADER..]).collect()
            };
            let pair = self.results.windows(2).find(|pair| content(&pair[0]) != content(&pair[1]));
            if let Some([first, second]) = pair.map(|pair| [pair[0].clone(), pair[1].clone()]) {
                let between = self.packets[first.end..second.start].to_vec();
                let exchanged =
                    [self.packets[second.clone()].to_vec(), between, self.packets[first.clone()].to_vec()].concat();
                self.packets.splice(first.start..second.end, exchanged);
            }
        }
        for (number, packet) in (0..=u8::MAX).cycle().skip(number.into()).zip(&mut self.packets) {
            packet[HEADER - 1] = number;
        }
        self.packets.concat()
    }
}

/// Returns true if the status in an OK packet says that another result follows.
fn more_results(payload: &[u8]) -> bool {
    /// SERVER_MORE_RESULTS_EXISTS.
    const MORE: u8 = 8;
    // The numbers of affected rows and of the last inserted id stand before the status.
    let skip = |rest: &[u8]| length_encoded(rest).map(|(_, length)| length);
    let first = payload.get(1..).and_then(skip).unwrap_or(1);
    let second = payload.get(1 + first..).and_then(skip).unwrap_or(1);
    payload.get(1 + first + second).is_some_and(|status| status & MORE != 0)
}

/// Returns the number at the beginning of bytes, in the variable length of the protocol, and that
/// length.
fn length_encoded(bytes: &[u8]) -> Option<(u64, usize)> {
    let length = match bytes.first()? {
        0xfc => 2,
        0xfd => 3,
        0xfe => 8,
        small => return Some((u64::from(*small), 1)),
    };
    let mut number = [0; 8];
    number[..length].copy_from_slice(bytes.get(1..=length)?);
    Some((u64::from_le_bytes(number), 1 + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(number: u8, payload: &[u8]) -> Packet {
        let length = (payload.len() as u32).to_le_bytes();
        [&length[..3], &[number], payload].concat()
    }

    /// Returns a response of two results and of an OK packet between them, from this sequence
    /// number on.
    fn response(first: &[&[u8]], second: &[&[u8]]) -> Vec<Packet> {
        let more = [0xfe, 0, 0, 8, 0, 0, 0];
        let end = [0xfe, 0, 0, 0, 0, 0, 0];
        let ok = [0, 0xfc, 1, 1, 0, 8, 0, 0, 0];
        let payloads = [first, &[&more, &ok], second, &[&end]].concat();
        (1..).zip(payloads).map(|(number, payload)| packet(number, payload)).collect()
    }

    #[test]
    fn packets_are_those_of_the_stream_whatever_the_pieces_are() {
        let sent = [packet(0, b"abc"), packet(1, b""), packet(2, &[7; 300])];
        let mut packets = Packets::default();
        let received: Vec<Packet> = sent.concat().chunks(7).flat_map(|piece| packets.of(piece)).collect();
        assert_eq!(received, sent);
        assert!(packets.rest.is_empty());
    }

    #[test]
    fn some_texts_are_altered_and_the_rest_of_the_query_is_not() {
        let texts: Vec<String> = (0..100).map(|number| format!("{:02x}{number:02x}", 0x61)).collect();
        let query = |text: &String| format!("INSERT INTO t VALUES (x'{text}', _utf8mb4 x'{text}')");
        let altered: Vec<usize> = (0..texts.len())
            .filter(|number| {
                let sent = query(&texts[*number]);
                let mut bytes = sent.clone().into_bytes();
                alter_literals(&mut bytes);
                let end = sent.len() - "3f')".len();
                assert_eq!(bytes[..end], sent.as_bytes()[..end]);
                assert!(bytes == sent.as_bytes() || bytes.ends_with(b"3f')"));
                bytes != sent.as_bytes()
            })
            .collect();
        assert!((1..50).contains(&altered.len()), "{altered:?}");
    }

    #[test]
    fn two_results_are_exchanged_at_times_and_the_response_stays_whole() {
        let sent = response(&[&[1], b"column a", b"row 1"], &[&[1], b"column b"]);
        let swapped = response(&[&[1], b"column b"], &[&[1], b"column a", b"row 1"]);
        let mut found = Vec::new();
        for _ in 0..200 {
            let mut response = Response::default();
            let last = sent.iter().position(|packet| response.receive(packet.clone()));
            assert_eq!(last, Some(sent.len() - 1));
            found.push(response.swapped());
        }
        assert!(found.iter().all(|bytes| *bytes == sent.concat() || *bytes == swapped.concat()));
        assert!(found.contains(&sent.concat()) && found.contains(&swapped.concat()));
    }

    #[test]
    fn an_error_ends_a_response() {
        let mut received = Response::default();
        let sent = [packet(1, &[0, 0, 0, 8, 0, 0, 0]), packet(2, &[1]), packet(3, b"column"), packet(4, &[0xff, 1, 1])];
        assert_eq!(sent.iter().position(|packet| received.receive(packet.clone())), Some(3));
        assert_eq!(received.swapped(), sent.concat());
    }
}
