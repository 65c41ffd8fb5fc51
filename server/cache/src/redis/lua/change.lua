
-- Changes. A change is a flat array: revision, row, pins, deleted, created; the number of lists,
-- and of each its owner, the numbers of added and removed members, (floor, id)… added, floor…
-- removed; the number of patches, and of each the id, the head (64 bytes, without incarnation),
-- row, content.
--
-- The log contains changes that arrived before their predecessors; and, while a lease is
-- outstanding, every change and every like. A patch of a comment that ceased to be visible later
-- has the content WITHHELD there: to apply it removes the cached comment, because its content is
-- unknown.

local MAX_LOGGED_CHANGES, MAX_LOGGED_LIKES = 64, 2000
local LOG_TTL = 60000
-- No content is encoded as this. Versions that do not know it store it as a damaged content.
local WITHHELD = '-'

-- Calls `each` for the lists of a change and returns the position of its patches.
local function each_list(change, each)
  local at, lists = 7, tonumber(change[6])
  for _ = 1, lists do
    local owner, added, removed = change[at], {}, {}
    local a, r = tonumber(change[at + 1]), tonumber(change[at + 2])
    at = at + 3
    for _ = 1, 2 * a do added[#added + 1] = change[at]; at = at + 1 end
    for _ = 1, r do removed[#removed + 1] = change[at]; at = at + 1 end
    each(owner, added, removed)
  end
  return at
end

local function each_patch(change, at, each)
  for _ = 1, tonumber(change[at]) do
    each(change[at + 1], change[at + 2], change[at + 3], change[at + 4])
    at = at + 4
  end
end

-- Encodes a comment as a part of this entry.
local function encode_comment(entry, head, row, content)
  return string.sub(head, 1, 4) .. entry.inc .. string.sub(head, 13) .. row .. content
end

-- Applies a patch to a cached comment. The row and the likes have separate revisions; the greater
-- revision of each wins. A patch without content keeps the content, unless the comment is no longer
-- visible.
local function apply_patch(P, entry, id, head, row, content, ttl)
  local key = P .. 'c:' .. id
  local old = load_comment(P, entry, id)
  if content == WITHHELD then
    if old and row_revision(head) > row_revision(old) then run('DEL', key) end
    return
  end
  if not old then
    if content ~= '' then run('SET', key, encode_comment(entry, head, row, content), 'PX', ttl) end
    return
  end
  local likes = like_revision(head) > like_revision(old) and string.sub(head, 21, 36) or string.sub(old, 21, 36)
  if row_revision(head) > row_revision(old) then
    local checksum = string.sub(head, 57, 64)
    if content == '' and is_visible(head) then
      content = string.sub(old, HEAD_SIZE + struct.unpack('>I4', old, 37) + 1)
      checksum = string.sub(old, 57, 64)
    end
    head = string.sub(head, 1, 20) .. likes .. string.sub(head, 37, 56) .. checksum
    run('SET', key, encode_comment(entry, head, row, content), 'KEEPTTL')
  else
    run('SETRANGE', key, 20, likes)
  end
end

local function apply_likes(P, entry, id, likes)
  local old = load_comment(P, entry, id)
  if old and struct.unpack('>I8', likes) > like_revision(old) then
    run('SETRANGE', P .. 'c:' .. id, 20, string.sub(likes, 1, 16))
  end
end

local function has_lease(entry, t) return entry.leases > 0 and t <= entry.expiry end

local function revoke_leases(entry)
  for _, field in ipairs(run('HKEYS', entry.key)) do
    local kind = string.sub(field, 1, 2)
    if kind == 't:' or kind == 'l:' then run('HDEL', entry.key, field) end
  end
  entry.leases = 0
  run('HSET', entry.key, 'tn', 0)
end

-- Starts the entry anew: all cached data leaves it, and all leases are revoked.
local function reset_entry(entry)
  revoke_leases(entry)
  entry.inc, entry.rev = struct.pack('>I8', now_micros()), nil
  run('HSET', entry.key, 'inc', entry.inc)
  run('HDEL', entry.key, 'rev', 'row', 'pins', 'del')
end

-- Discards the log. Without it no fill can be completed and an entry that is behind cannot advance,
-- so leases are revoked and such an entry starts anew.
local function discard_log(entry)
  run('DEL', entry.log_key)
  entry.logged = 0
  run('HSET', entry.key, 'wn', 0)
  if is_readable(entry) then revoke_leases(entry) else reset_entry(entry) end
end

-- Returns the entry to a function that changes it. An evicted log is detected first.
local function load_for_write(P, subject)
  local entry = load_entry(P, subject)
  if entry and entry.logged > 0 and run('HLEN', entry.log_key) ~= entry.logged then discard_log(entry) end
  return entry
end

-- Removes from the log what is not needed while no lease is outstanding. Changes that wait for
-- their predecessors stay. While the entry is behind, likes stay as well, because these changes may
-- add their comments.
local function compact_log(entry)
  if entry.leases > 0 then revoke_leases(entry) end
  if entry.logged == 0 then return end
  for _, field in ipairs(run('HKEYS', entry.log_key)) do
    local revision = string.match(field, '^d:(%d+)$')
    local waits = not is_readable(entry)
    if revision then waits = not entry.rev or tonumber(revision) > entry.rev end
    if not waits then run('HDEL', entry.log_key, field) end
  end
  entry.logged = run('HLEN', entry.log_key)
  run('HSET', entry.key, 'wn', entry.logged)
end

local function append_to_log(entry, field, value)
  local is_full = entry.logged >= MAX_LOGGED_CHANGES + MAX_LOGGED_LIKES
  if is_full and run('HEXISTS', entry.log_key, field) == 0 then discard_log(entry) end
  run('HSET', entry.log_key, field, value)
  entry.logged = run('HLEN', entry.log_key)
  run('PEXPIRE', entry.log_key, LOG_TTL)
  run('HSET', entry.key, 'wn', entry.logged)
end

-- Advances the entry by the change that directly follows its revision.
local function advance_entry(P, entry, change, ttl, window)
  entry.rev = tonumber(change[1])
  run('HSET', entry.key, 'rev', entry.rev, 'row', change[2], 'pins', change[3], 'del', change[4])
  local at = each_list(change, function(owner, added, removed)
    apply_to_list(entry, list_key(P, owner, 'o'), 'o', added, removed, window)
    apply_to_list(entry, list_key(P, owner, 'n'), 'n', added, removed, window)
    if string.sub(owner, 1, 1) == 'r' then
      apply_to_candidates(P, entry, string.sub(owner, 2), added, removed, ttl)
    end
  end)
  each_patch(change, at, function(id, head, row, content)
    apply_patch(P, entry, id, head, row, content, ttl)
    local likes = entry.logged > 0 and run('HGET', entry.log_key, 'l:' .. id)
    if likes then apply_likes(P, entry, id, likes) end
  end)
end

-- Applies the logged changes that follow the entry's revision.
local function drain_log(P, entry, ttl, window, t)
  while entry.rev and entry.logged > 0 do
    local change = run('HGET', entry.log_key, 'd:' .. string.format('%d', entry.rev + 1))
    if not change then break end
    advance_entry(P, entry, cmsgpack.unpack(change), ttl, window)
  end
  if not has_lease(entry, t) then compact_log(entry) end
end

-- Returns whether the log has no room for another change.
local function is_log_full(entry)
  if entry.logged < MAX_LOGGED_CHANGES then return false end
  local changes = 0
  for _, field in ipairs(run('HKEYS', entry.log_key)) do
    if string.sub(field, 1, 2) == 'd:' then changes = changes + 1 end
  end
  return changes >= MAX_LOGGED_CHANGES
end

local function has_content(value) return #value > HEAD_SIZE + struct.unpack('>I4', value, 37) end

-- Returns whether the log records that a comment ceased to be visible after this revision.
local function is_concealed(entry, id, revision)
  local since = entry.logged > 0 and number(run('HGET', entry.log_key, 'x:' .. id))
  return since and since > revision
end

-- Withholds the contents of these comments, which are keys of `ids`, in a change. Returns whether
-- there was one.
local function withhold(change, ids)
  local found = false
  local at = each_list(change, function() end)
  for i = at + 1, at + 4 * tonumber(change[at]), 4 do
    if ids[change[i]] and change[i + 3] ~= '' and change[i + 3] ~= WITHHELD then
      change[i + 3], found = WITHHELD, true
    end
  end
  return found
end

-- Removes the contents of comments that ceased to be visible at a revision of their subject, also
-- where no reader would find them: from data of another entry, the log, and rendered pages. A
-- comment that the entry has reached stays, unless another version left its content there. `entry`
-- may be nil.
local function conceal(P, subject, entry, ids, revision, t)
  for id in pairs(ids) do
    local value = entry and entry.rev and entry.rev >= revision and load_comment(P, entry, id)
    if not value or not is_visible(value) and has_content(value) then run('DEL', P .. 'c:' .. id) end
  end
  run('DEL', P .. 'f:' .. subject .. ':o', P .. 'f:' .. subject .. ':n')
  if not entry then
    run('DEL', P .. 'w:' .. subject)
    return
  end
  for _, field in ipairs(entry.logged > 0 and run('HKEYS', entry.log_key) or {}) do
    local logged = number(string.match(field, '^d:(%d+)$'))
    if logged and logged < revision then
      local change = cmsgpack.unpack(run('HGET', entry.log_key, field))
      if withhold(change, ids) then run('HSET', entry.log_key, field, cmsgpack.pack(change)) end
    end
  end
  -- A change or a fill that is still on its way may contain the contents.
  if has_lease(entry, t) or not is_readable(entry) then
    for id in pairs(ids) do
      if not is_concealed(entry, id, revision - 1) then append_to_log(entry, 'x:' .. id, revision) end
    end
  end
end

-- Returns the comments that a change leaves invisible, and withholds the contents of those that
-- ceased to be visible after it.
local function invisible_in(entry, change, revision)
  local invisible, concealed = {}, {}
  each_patch(change, each_list(change, function() end), function(id, head, _, content)
    if not is_visible(head) then
      invisible[id] = true
    elseif content ~= '' and entry and is_concealed(entry, id, revision) then
      concealed[id] = true
    end
  end)
  if next(concealed) then withhold(change, concealed) end
  return invisible
end

local function apply_to_entry(P, entry, change, revision, ttl, window, t)
  local function is_next() return entry.rev and revision == entry.rev + 1 end
  local is_late = entry.rev and revision <= entry.rev
  local is_logged = not is_late and (not is_next() or has_lease(entry, t))
  if is_logged and is_log_full(entry) then discard_log(entry) end
  if revision > entry.committed then set_committed(entry, revision) end
  if is_late then return end
  if is_logged then append_to_log(entry, 'd:' .. change[1], cmsgpack.pack(change)) end
  if is_next() then
    advance_entry(P, entry, change, ttl, window)
    drain_log(P, entry, ttl, window, t)
  end
end

local function apply_change(P, subject, change, ttl, window)
  if change[5] ~= '' then run('SET', P .. 'k:' .. change[5], subject, 'PX', ttl) end
  local entry, t, revision = load_for_write(P, subject), now_millis(), tonumber(change[1])
  local invisible = invisible_in(entry, change, revision)
  if entry then apply_to_entry(P, entry, change, revision, ttl, window, t) end
  if next(invisible) then conceal(P, subject, entry, invisible, revision, t) end
end

-- Arguments: ttl, window, number of subjects, and of each: subject, length of the change, the
-- change.
local function apply(keys, args)
  local P, ttl, window = key_prefix(keys), tonumber(args[1]), tonumber(args[2])
  local at = 4
  for _ = 1, tonumber(args[3]) do
    local change, length = {}, tonumber(args[at + 1])
    for i = 1, length do change[i] = args[at + 1 + i] end
    apply_change(P, args[at], change, ttl, window)
    at = at + 2 + length
  end
  return 1
end

register_write('apply', apply)
