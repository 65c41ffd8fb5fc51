//! The mutants of the Redis functions. Each replaces a line or more of the library.

use riposte_cache::REDIS_LIBRARY;

/// A mutant: its name, and the replaced lines. It has more than one line where each change alone
/// would hide the effect of the other.
struct LuaMutant {
    name: &'static str,
    lines: &'static [Line],
}

/// An original line and its replacement.
struct Line {
    sound: &'static str,
    broken: &'static str,
}

const MUTANTS: [LuaMutant; 10] = [
    LuaMutant {
        name: "entries-behind-shown",
        lines: &[Line {
            sound: "return entry and entry.rev and entry.rev >= entry.committed",
            broken: "return entry and entry.rev",
        }],
    },
    LuaMutant {
        name: "likes-in-any-order",
        lines: &[
            Line { sound: "if old and struct.unpack('>I8', likes) > like_revision(old) then", broken: "if old then" },
            // With this mutant the relay skips the likes that a server has already applied;
            // otherwise it would repair likes that were applied in a wrong order.
            Line {
                sound: "local function like(keys, args)\n  local P, t = key_prefix(keys), now_millis()\n",
                broken: "local seen = {}\nlocal function like(keys, args)\n  local P, t = key_prefix(keys), now_millis()\n  \
                         for i = 1, #args, 3 do seen[args[i + 1] .. string.sub(args[i + 2], 1, 8)] = true end\n",
            },
            Line {
                sound: "apply_like(P, args[at + 1], args[at + 2], args[at + 3], t)",
                broken: "if not seen[args[at + 2] .. string.sub(args[at + 3], 1, 8)] then \
                         apply_like(P, args[at + 1], args[at + 2], args[at + 3], t) end",
            },
        ],
    },
    LuaMutant {
        name: "removals-not-applied",
        lines: &[Line {
            sound: "for _, floor in ipairs(removed) do run('ZREMRANGEBYSCORE', key, floor, floor) end",
            broken: "",
        }],
    },
    LuaMutant {
        name: "arrivals-not-applied",
        lines: &[Line {
            sound: "if floor >= s.low and floor <= s.high then run('ZADD', key, floor, added[i + 1]) end",
            broken: "",
        }],
    },
    LuaMutant {
        name: "content-version-unchanged",
        lines: &[Line {
            sound: "entry.content_version = math.max(now_micros(), entry.content_version + 1)",
            broken: "",
        }],
    },
    LuaMutant {
        name: "trim-keeps-bound",
        lines: &[Line { sound: "store_bounds(entry, key, s.sentinel, tonumber(first[2]), s.high)", broken: "" }],
    },
    LuaMutant { name: "fills-not-brought", lines: &[Line { sound: "(read and not is_replayed())", broken: "false" }] },
    LuaMutant {
        name: "invalidations-ignored",
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
    LuaMutant {
        name: "edits-not-applied",
        lines: &[Line { sound: "if content == '' then\n      content", broken: "if true then\n      content" }],
    },
    LuaMutant {
        name: "rows-not-applied",
        lines: &[Line {
            sound: "run('HSET', entry.key, 'rev', entry.rev, 'row', change[2], 'pins', change[3], 'del', change[4])",
            broken: "run('HSET', entry.key, 'rev', entry.rev)",
        }],
    },
];

/// Returns the library with the named mutant; `None` if no mutant of the functions has this name.
///
/// # Panics
/// Panics unless each line of the mutant occurs exactly once in the library.
pub(crate) fn library(name: &str) -> Option<String> {
    let LuaMutant { lines, .. } = MUTANTS.iter().find(|mutant| mutant.name == name)?;
    let replace = |library: String, Line { sound, broken }: &Line| {
        assert_eq!(library.matches(sound).count(), 1, "{name} replaces a line that must occur exactly once: {sound}");
        library.replacen(sound, broken, 1)
    };
    Some(lines.iter().fold(REDIS_LIBRARY.to_owned(), replace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_replaces_lines_that_occur_once_in_the_library() {
        for LuaMutant { name, lines } in MUTANTS {
            assert!(!lines.is_empty(), "{name}");
            let library = library(name).unwrap();
            for Line { sound, broken } in lines {
                assert!(library.contains(broken) && !library.lines().any(|line| line.trim() == *sound), "{name}");
                assert_ne!(sound, broken, "{name}");
            }
        }
        assert_eq!(library("none"), None);
    }
}
