//! The demo conversation: a short evening under an article of a local paper.

/// One comment of the demo, identified by its index in [`COMMENTS`].
pub(super) struct DemoComment {
    /// The index of the comment that this one replies to.
    pub(super) parent: Option<usize>,
    pub(super) member: &'static str,
    /// Minutes after the first comment.
    pub(super) minute: i64,
    pub(super) likes: usize,
    pub(super) dislikes: usize,
    pub(super) text: &'static str,
}

const fn line(
    parent: Option<usize>,
    member: &'static str,
    minute: i64,
    votes: [usize; 2],
    text: &'static str,
) -> DemoComment {
    DemoComment { parent, member, minute, likes: votes[0], dislikes: votes[1], text }
}

/// All comments, parents before their replies.
#[rustfmt::skip]
pub(super) const COMMENTS: &[DemoComment] = &[
    line(None, "ada", 0, [9, 0], "The bridge by the old mill opens again on Saturday. Who is coming to the first walk across?"),
    line(Some(0), "ben", 4, [3, 0], "Me, with both kids and too much cake."),
    line(Some(1), "ada", 6, [2, 0], "There is no such thing as too much cake."),
    line(Some(0), "chen", 9, [1, 0], "我也来，几点集合？"),
    line(Some(0), "dora", 15, [0, 0], "Is it step-free by now? My mother uses a wheelchair."),
    line(Some(4), "ada", 21, [6, 0], "Yes: a ramp on the north side since May, 6 % at the steepest."),
    line(Some(5), "dora", 25, [2, 0], "Then we are three. Thank you!"),
    line(Some(5), "emil", 31, [1, 0], "I measured 5.4 %. Small victory."),
    line(Some(4), "farid", 40, [1, 0], "The south side has a lift too, but it closes at eight."),
    line(None, "ben", 32, [5, 1], "Could the lamps be a little warmer? The cold white ones made the whole quay look like a parking lot."),
    line(Some(9), "gita", 38, [4, 0], "They are 2,700 K now. I was on the committee; it took eleven meetings."),
    line(Some(10), "ben", 41, [7, 0], "Eleven meetings for the right colour. I take everything back."),
    line(Some(10), "emil", 44, [2, 0], "Twelve. You left before the last one."),
    line(Some(9), "hugo", 58, [0, 3], "Lamps are lamps."),
    line(None, "chen", 47, [8, 0], "老桥的石头还在吗？我爷爷当年在这里修过船。"),
    line(Some(14), "ada", 52, [4, 0], "在的！The old stones are the floor of the new jetty, numbered as they were found."),
    line(Some(15), "chen", 55, [5, 0], "太好了，谢谢你！"),
    line(Some(16), "iris", 70, [1, 0], "Number 41 still carries a mason's mark. Look for it on the left."),
    line(Some(14), "farid", 81, [0, 0], "Is there a photo of the boats somewhere?"),
    line(None, "dora", 64, [4, 0], "Please remember that the heron nests below the third arch until July. No drones, no loud music."),
    line(Some(19), "iris", 66, [6, 0], "I will bring signs. The last ones were eaten, I believe by the heron."),
    line(Some(19), "hugo", 75, [1, 2], "One Saturday will not kill a bird."),
    line(Some(19), "gita", 77, [3, 0], "It might not kill it, but it may leave. We waited nine years for it."),
    line(Some(22), "hugo", 90, [2, 0], "Fair. I did not know that."),
    line(None, "emil", 88, [2, 0], "I made a small map of the way from the station: 1.2 km, flat, one road to cross."),
    line(Some(24), "jana", 93, [1, 0], "Does the number 7 tram still stop at the mill?"),
    line(Some(24), "emil", 95, [1, 0], "It does, every ten minutes until 21:00."),
    line(Some(26), "jana", 97, [0, 0], "Perfect."),
    line(None, "farid", 101, [3, 2], "Honest question: what did it cost, and who paid?"),
    line(Some(28), "gita", 108, [5, 0], "4.1 million. Two thirds the region, the rest the town and 312 private gifts. The books are open."),
    line(Some(29), "farid", 111, [4, 0], "An answer with numbers within seven minutes. I am not used to this."),
    line(Some(29), "hugo", 119, [0, 4], "And the swimming pool stays closed."),
    line(Some(28), "ben", 123, [1, 0], "Worth every cent. My way to work is eighteen minutes shorter."),
    line(Some(32), "kofi", 126, [1, 0], "Mine grew by two, since I stop to look."),
    line(None, "gita", 130, [4, 0], "Choir on the bridge at noon, if the wind allows. We need two more basses."),
    line(Some(34), "kofi", 133, [3, 0], "One bass here. I sing better than I type."),
    line(Some(34), "emil", 140, [1, 0], "Half a bass, if half counts."),
    line(None, "iris", 150, [6, 0], "🚲 Cyclists: please walk your bike at the narrow part. It is 2.4 m, and everyone will stand there with cameras 📷."),
    line(Some(37), "jana", 152, [2, 0], "Will do 🙌"),
    line(Some(37), "hugo", 156, [1, 1], "Or widen it."),
    line(None, "jana", 171, [2, 0], "Does someone collect old pictures of the mill? I found a box from 1934."),
    line(Some(40), "ada", 175, [3, 0], "The archive would love them; I can scan them here on Saturday."),
    line(Some(41), "jana", 178, [1, 0], "I bring the box, you bring the scanner, Ben brings the cake."),
    line(Some(41), "ben", 180, [4, 0], "Ben brings the cake."),
    line(None, "kofi", 190, [3, 0], "שבת שלום לכולם, and see you at the north ramp at eleven."),
    line(Some(44), "dora", 193, [1, 0], "Eleven it is."),
    line(None, "hugo", 204, [2, 0], "For the record: I complained about the lamps, the birds and the width, and I will be there at ten to help with the chairs."),
    line(Some(46), "gita", 206, [8, 0], "This is the most us thing I have read all year."),
    line(None, "ada", 215, [7, 0], "Weather: sun, 19 degrees, light wind from the west. Bring something to drink, there is no tap yet."),
    line(Some(48), "emil", 217, [1, 0], "The tap comes in the second phase, together with the bench."),
];
