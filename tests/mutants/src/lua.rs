//! The mutants of the Redis functions. Each replaces a line or more of the library.

use riposte_cache::REDIS_LIBRARY;

/// A mutant: its name, and the replaced lines. A mutant has several lines where one of them
/// alone would have no effect.
struct LuaMutant {
    name: &'static str,
    lines: &'static [Line],
}

/// An original line and its replacement.
struct Line {
    original: &'static str,
    replacement: &'static str,
}

const MUTANTS: [LuaMutant; 11] = [
    LuaMutant {
        name: "entries-behind-shown",
        lines: &[Line {
            original: "return entry and entry.rev and entry.rev >= entry.committed",
            replacement: "return entry and entry.rev",
        }],
    },
    LuaMutant {
        name: "likes-in-any-order",
        lines: &[
            Line {
                original: "if old and struct.unpack('>I8', likes) > like_revision(old) then",
                replacement: "if old then",
            },
            // With this mutant the relay skips the likes that a server has already applied;
            // otherwise it would repair likes that were applied in a wrong order.
            Line {
                original: "local function like(keys, args)\n  local P, t = key_prefix(keys), now_millis()\n",
                replacement: "local seen = {}\nlocal function like(keys, args)\n  local P, t = key_prefix(keys), now_millis()\n  \
                         for i = 1, #args, 3 do seen[args[i + 1] .. string.sub(args[i + 2], 1, 8)] = true end\n",
            },
            Line {
                original: "apply_like(P, args[at + 1], args[at + 2], args[at + 3], t)",
                replacement: "if not seen[args[at + 2] .. string.sub(args[at + 3], 1, 8)] then \
                         apply_like(P, args[at + 1], args[at + 2], args[at + 3], t) end",
            },
        ],
    },
    LuaMutant {
        name: "removals-not-applied",
        lines: &[Line {
            original: "for _, floor in ipairs(removed) do run('ZREMRANGEBYSCORE', key, floor, floor) end",
            replacement: "",
        }],
    },
    LuaMutant {
        name: "arrivals-not-applied",
        lines: &[Line {
            original: "if floor >= s.low and floor <= s.high then run('ZADD', key, floor, added[i + 1]) end",
            replacement: "",
        }],
    },
    LuaMutant {
        name: "content-version-unchanged",
        lines: &[Line {
            original: "entry.content_version = math.max(now_micros(), entry.content_version + 1)",
            replacement: "",
        }],
    },
    LuaMutant {
        name: "trim-keeps-bound",
        lines: &[Line {
            original: "store_bounds(entry, key, s.sentinel, tonumber(first[2]), s.high)",
            replacement: "",
        }],
    },
    LuaMutant {
        name: "fills-not-brought",
        lines: &[Line { original: "(read and not is_replayed())", replacement: "false" }],
    },
    LuaMutant {
        name: "invalidations-ignored",
        lines: &[
            Line {
                original: "if not g or is_invalidated(key, t) then return 0 end",
                replacement: "if not g then return 0 end",
            },
            Line {
                original: "if run('HDEL', key, '!' .. args[1]) == 0 then remove_member_likes(key) end",
                replacement: "run('HDEL', key, '!' .. args[1])",
            },
            Line {
                original: "for i = members, #args do remove_member_likes(P .. 'm:' .. args[i]) end",
                replacement: "",
            },
        ],
    },
    LuaMutant {
        name: "edits-not-applied",
        lines: &[Line {
            original: "if content == '' and is_visible(head) then",
            replacement: "if is_visible(head) then",
        }],
    },
    LuaMutant {
        name: "hidden-text-stays",
        lines: &[
            Line { original: "if content == '' and is_visible(head) then", replacement: "if content == '' then" },
            Line {
                original: "if not value or not is_visible(value) and has_content(value) then",
                replacement: "if false then",
            },
        ],
    },
    LuaMutant {
        name: "rows-not-applied",
        lines: &[Line {
            original: "run('HSET', entry.key, 'rev', entry.rev, 'row', change[2], 'pins', change[3], 'del', change[4])",
            replacement: "run('HSET', entry.key, 'rev', entry.rev)",
        }],
    },
];

/// Returns the library with the named mutant; `None` if no mutant of the functions has this name.
///
/// # Panics
/// Panics unless each line of the mutant occurs exactly once in the library.
pub(crate) fn library(name: &str) -> Option<String> {
    let LuaMutant { lines, .. } = MUTANTS.iter().find(|mutant| mutant.name == name)?;
    let replace = |library: String, Line { original, replacement }: &Line| {
        assert_eq!(
            library.matches(original).count(),
            1,
            "{name} replaces a line that must occur exactly once: {original}"
        );
        library.replacen(original, replacement, 1)
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
            for Line { original, replacement } in lines {
                assert!(
                    library.contains(replacement) && !library.lines().any(|line| line.trim() == *original),
                    "{name}"
                );
                assert_ne!(original, replacement, "{name}");
            }
        }
        assert_eq!(library("none"), None);
    }
}
