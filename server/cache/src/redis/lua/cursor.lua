
-- The cursor: the position of the relay in a partition, and the partition's generation.

-- Moves the cursor and reports the events between the two positions. Returns 0 if the cursor is not
-- at the first position, which means that the cache has lost data.
-- Arguments: from, to, number of revisions, (subject, revision)…, number of likes, (subject,
-- comment, likes)…, number of comments that are not visible, (subject, comment, revision)…,
-- members' names….
local function advance(keys, args)
  local P = key_prefix(keys)
  if run('HGET', keys[1], 'n') ~= args[1] then return 0 end
  local t, at = now_millis(), 4
  for _ = 1, tonumber(args[3]) do
    local entry, revision = load_for_write(P, args[at]), tonumber(args[at + 1])
    if entry and (not entry.rev or entry.rev < revision) and entry.committed < revision then
      set_committed(entry, revision)
    end
    at = at + 2
  end
  -- Likes follow the revisions, so that a like of a comment that has not arrived is logged.
  for _ = 1, tonumber(args[at]) do
    apply_like(P, args[at + 1], args[at + 2], args[at + 3], t)
    at = at + 3
  end
  local members = at + 2 + 3 * tonumber(args[at + 1])
  for i = at + 2, members - 1, 3 do
    conceal(P, args[i], load_for_write(P, args[i]), { [args[i + 1]] = true }, tonumber(args[i + 2]), t)
  end
  for i = members, #args do remove_member_likes(P .. 'm:' .. args[i]) end
  run('HSET', keys[1], 'n', args[2])
  return 1
end

-- Returns the position; nothing before the relay has written it, or if the key has another type.
local function cursor(keys)
  if run('TYPE', keys[1]).ok ~= 'hash' then return nil end
  return run('HGET', keys[1], 'n')
end

-- Begins a new generation. Arguments: position, generation.
local function renew(keys, args)
  run('DEL', keys[1])
  run('HSET', keys[1], 'n', args[1], 'g', args[2])
  return 1
end

register_write('advance', advance)
register_write('renew', renew)
register_read('cursor', cursor)
