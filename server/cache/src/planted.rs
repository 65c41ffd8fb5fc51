//! Mutants of the Redis functions, which `cargo xtask prove` has to detect. Each mutant replaces a
//! line or two of the library. They exist only in builds with the feature `planted`, and take
//! effect only in a process in which the variable `RIPOSTE_PLANTED` names one.

/// The variable that names the mutant.
#[cfg(feature = "planted")]
const VARIABLE: &str = "RIPOSTE_PLANTED";

/// A mutant: its name, and the replaced lines. It has more than one line where each change alone
/// would hide the effect of the other.
struct Bug {
    name: &'static str,
    lines: &'static [Line],
}

/// An original line and its replacement.
struct Line {
    sound: &'static str,
    broken: &'static str,
}

const BUGS: [Bug; 10] = [
    Bug {
        name: "copies-behind-shown",
        lines: &[Line {
            sound: "return entry and entry.rev and entry.rev >= entry.committed",
            broken: "return entry and entry.rev",
        }],
    },
    Bug {
        name: "likes-in-any-order",
        lines: &[
            Line { sound: "if old and struct.unpack('>I8', likes) > like_revision(old) then", broken: "if old then" },
            // With this mutant the relay skips the likes that a server has already applied;
            // otherwise it would repair likes that were applied in a wrong order.
            Line {
                sound: "local function like(keys, args)\n  local P, t = key_prefix(keys), now_millis()\n",
                broken: "local told = {}\nlocal function like(keys, args)\n  local P, t = key_prefix(keys), now_millis()\n  \
                         for i = 1, #args, 3 do told[args[i + 1] .. string.sub(args[i + 2], 1, 8)] = true end\n",
            },
            Line {
                sound: "apply_like(P, args[at + 1], args[at + 2], args[at + 3], t)",
                broken: "if not told[args[at + 2] .. string.sub(args[at + 3], 1, 8)] then \
                         apply_like(P, args[at + 1], args[at + 2], args[at + 3], t) end",
            },
        ],
    },
    Bug {
        name: "removals-unheard",
        lines: &[Line {
            sound: "for _, floor in ipairs(removed) do run('ZREMRANGEBYSCORE', key, floor, floor) end",
            broken: "",
        }],
    },
    Bug {
        name: "arrivals-unheard",
        lines: &[Line {
            sound: "if floor >= s.low and floor <= s.high then run('ZADD', key, floor, added[i + 1]) end",
            broken: "",
        }],
    },
    Bug {
        name: "stamp-stands-still",
        lines: &[Line {
            sound: "entry.content_version = math.max(now_micros(), entry.content_version + 1)",
            broken: "",
        }],
    },
    Bug {
        name: "trim-keeps-bound",
        lines: &[Line { sound: "store_bounds(entry, key, s.sentinel, tonumber(first[2]), s.high)", broken: "" }],
    },
    Bug { name: "fills-not-brought", lines: &[Line { sound: "(read and not is_replayed())", broken: "false" }] },
    Bug {
        name: "doubts-ignored",
        lines: &[
            Line {
                sound: "if not g or is_invalidated(key, t) then return 0 end",
                broken: "if not g then return 0 end",
            },
            Line {
                sound: "if run('HDEL', key, '!' .. args[1]) == 0 then remove_member_likes(key) end",
                broken: "run('HDEL', key, '!' .. args[1])",
            },
            Line { sound: "for i = at + 1, #args do remove_member_likes(P .. 'm:' .. args[i]) end", broken: "" },
        ],
    },
    Bug {
        name: "edits-unheard",
        lines: &[Line { sound: "if content == '' then\n      content", broken: "if true then\n      content" }],
    },
    Bug {
        name: "rows-unheard",
        lines: &[Line {
            sound: "run('HSET', entry.key, 'rev', entry.rev, 'row', change[2], 'pins', change[3], 'del', change[4])",
            broken: "run('HSET', entry.key, 'rev', entry.rev)",
        }],
    },
];

/// Returns the library, with the mutant that is selected for this process, if any.
#[cfg(feature = "planted")]
pub(crate) fn library(sound: &str) -> String {
    let named = std::env::var_os(VARIABLE);
    let bug = BUGS.iter().find(|bug| named.as_deref().is_some_and(|named| named == bug.name));
    let lines = bug.map_or(&[][..], |bug| bug.lines);
    lines.iter().fold(sound.to_owned(), |library, line| library.replacen(line.sound, line.broken, 1))
}

#[cfg(test)]
mod tests {
    use super::{BUGS, Bug, Line};

    #[test]
    fn every_bug_breaks_a_line_that_stands_once_in_the_library() {
        let library = crate::redis::client::LIBRARY;
        for Bug { name, lines } in BUGS {
            assert!(!lines.is_empty(), "{name}");
            for Line { sound, broken } in lines {
                assert_eq!(library.matches(sound).count(), 1, "{name}: {sound}");
                assert_ne!(sound, broken, "{name}");
            }
        }
    }
}
