
-- Fill leases, and the fills that they allow.

-- Takes a lease. Returns {"cold"} before the relay has written its position, {"unknown"} if the
-- subject's name is not cached, {"busy"} if another reader fills, else {"ticket", subject,
-- position}.
-- Arguments: name, kind, shared, token, time to live of the lease, ttl.
local function open(keys, args)
  local P, kind, t, lease_ttl = key_prefix(keys), args[2], now_millis(), tonumber(args[5])
  local g = generation(P)
  if not g then return { 'cold' } end
  local subject = run('GET', P .. 'k:' .. args[1])
  if not subject or #subject ~= ID_SIZE then
    run('SET', P .. 'k:' .. args[1], '?' .. args[4], 'PX', lease_ttl)
    return { 'unknown' }
  end
  local entry = load_for_write(P, subject)
  if not entry then
    local key = P .. 'h:' .. subject
    run('DEL', key, P .. 'w:' .. subject)
    run('HSET', key, 'inc', args[4], 'g', g)
    run('PEXPIRE', key, args[6])
    entry = load_entry(P, subject)
  end
  -- Single comments are read without a revision of their subject. So they are filled only into an
  -- entry with a revision, which advances by its log or starts anew.
  if args[3] == '1' and not entry.rev then return { 'busy' } end
  if not has_lease(entry, t) then compact_log(entry) end
  local field = 'l:' .. kind
  local holder = args[3] == '0' and run('HGET', entry.key, field)
  local expiry = holder and number(run('HGET', entry.key, 't:' .. holder))
  if expiry and expiry >= t then return { 'busy' } end
  expiry = t + lease_ttl
  run('HSET', entry.key, 't:' .. args[4], expiry, 'until', math.max(expiry, entry.expiry), 'tn', entry.leases + 1)
  if args[3] == '0' then run('HSET', entry.key, field, args[4]) end
  return { 'ticket', subject, run('HGET', keys[1], 'n') }
end

-- Releases a lease. A lease that no longer exists changes nothing.
local function release(entry, kind, token, t)
  if run('HDEL', entry.key, 't:' .. token) == 0 then return end
  entry.leases = entry.leases - 1
  run('HSET', entry.key, 'tn', entry.leases)
  if run('HGET', entry.key, 'l:' .. kind) == token then run('HDEL', entry.key, 'l:' .. kind) end
  if not has_lease(entry, t) then compact_log(entry) end
end

-- Arguments: subject, kind, token.
local function close(keys, args)
  local entry = load_for_write(key_prefix(keys), args[1])
  if entry then release(entry, args[2], args[3], now_millis()) end
  return 1
end

-- Replays the log on lists that were read at an older revision. Returns false if the log does not
-- reach back to it.
local function replay(entry, lists, read)
  for revision = read + 1, entry.rev do
    local packed = run('HGET', entry.log_key, 'd:' .. string.format('%d', revision))
    if not packed then return false end
    each_list(cmsgpack.unpack(packed), function(owner, added, removed)
      for _, list in ipairs(lists) do
        if list.owner == owner then
          for _, floor in ipairs(removed) do list.members[tonumber(floor)] = nil end
          for i = 1, #added, 2 do
            local floor = tonumber(added[i])
            if floor >= list.low and floor <= list.high then list.members[floor] = added[i + 1] end
          end
        end
      end
    end)
  end
  return true
end

-- Applies what was logged since the comments were read.
local function replay_comments(P, entry, filled, ttl)
  local logged = run('HGETALL', entry.log_key)
  for i = 1, #logged, 2 do
    local revision, id = string.match(logged[i], '^d:(%d+)$'), string.match(logged[i], '^l:(%x+)$')
    -- A change beyond the entry's revision is applied when the entry reaches it.
    if revision and tonumber(revision) <= entry.rev then
      local change = cmsgpack.unpack(logged[i + 1])
      local at = each_list(change, function() end)
      each_patch(change, at, function(of, head, row, content)
        if filled[of] then apply_patch(P, entry, of, head, row, content, ttl) end
      end)
    elseif id and filled[id] then
      apply_likes(P, entry, id, logged[i + 1])
    end
  end
end

-- Returns the comments that the log records as no longer visible, with their revisions.
local function logged_concealments(entry)
  local revisions = {}
  for _, field in ipairs(entry.logged > 0 and run('HKEYS', entry.log_key) or {}) do
    local id = string.match(field, '^x:(%x+)$')
    if id then revisions[id] = number(run('HGET', entry.log_key, field)) end
  end
  return revisions
end

-- Stores comments that were read at a revision, but those that ceased to be visible after it.
local function fill_comments(P, entry, items, read, ttl)
  local filled, concealed = {}, logged_concealments(entry)
  for _, item in ipairs(items) do
    local id, head, row, content = item[1], item[2], item[3], item[4]
    local old = load_comment(P, entry, id)
    if concealed[id] and concealed[id] > read then
      run('DEL', P .. 'c:' .. id)
    elseif not old then
      run('SET', P .. 'c:' .. id, encode_comment(entry, head, row, content), 'PX', ttl)
      filled[id] = true
    elseif row_revision(old) == row_revision(head) then
      -- The cached row has the same revision, but its value may be damaged: a reader missed it.
      local likes = string.sub(like_revision(old) > like_revision(head) and old or head, 21, 36)
      head = string.sub(head, 1, 20) .. likes .. string.sub(head, 37)
      run('SET', P .. 'c:' .. id, encode_comment(entry, head, row, content), 'KEEPTTL')
    end
  end
  if entry.logged > 0 and next(filled) then replay_comments(P, entry, filled, ttl) end
end

-- Stores preview candidates, unless a like that was logged meanwhile invalidates them.
local function fill_candidates(P, entry, all, ttl)
  if #all == 0 then return end
  local logged = entry.logged > 0 and run('HGETALL', entry.log_key) or {}
  for _, candidates in ipairs(all) do
    local invalid = false
    for i = 1, #logged, 2 do
      local id = string.match(logged[i], '^l:(%x+)$')
      invalid = invalid or id and invalidates(candidates, id, logged[i + 1])
    end
    if invalid then run('DEL', P .. 'p:' .. candidates.root) else store_candidates(P, entry, candidates, ttl) end
  end
end

-- Parses a count and that number of pairs (floor, id). Returns the pairs and the position behind
-- them.
local function parse_members(args, at)
  local members, count = {}, tonumber(args[at])
  for i = at + 1, at + 2 * count, 2 do members[tonumber(args[i])] = args[i + 1] end
  return members, at + 1 + 2 * count
end

local function parse_fill(args, at)
  local lists, items, all = {}, {}, {}
  local count = tonumber(args[at]); at = at + 1
  for i = 1, count do
    local low, high = tonumber(args[at + 2]), tonumber(args[at + 3])
    local list = { owner = args[at], ending = args[at + 1], low = low, high = high }
    list.members, at = parse_members(args, at + 4)
    lists[i] = list
  end
  count = tonumber(args[at]); at = at + 1
  for i = 1, count do
    items[i] = { args[at], args[at + 1], args[at + 2], args[at + 3] }
    at = at + 4
  end
  count = tonumber(args[at]); at = at + 1
  for i = 1, count do
    local candidates = { owner = 'r' .. args[at], root = args[at], low = 1, likes = tonumber(args[at + 1]),
      floor = tonumber(args[at + 2]), high = tonumber(args[at + 3]) }
    candidates.members, at = parse_members(args, at + 4)
    all[i] = candidates
  end
  return lists, items, all
end

-- Fills an entry. Returns "kept"; "refused" if the lease or the log does not allow it; "behind" if
-- the entry is older than the rows that were read.
-- Arguments: subject, kind, token, ttl, ttl of the entry, window, force, revision of the subject
-- after single comments were read, revision of the row (or ""), row, pins, deleted; number of
-- lists, and of each: owner, end, low, high, count, (floor, id)…; number of comments, and of each:
-- id, head, row, content; number of candidates, and of each: root, likes, floor, high, count,
-- (floor, id)….
local function fill(keys, args)
  local P, t = key_prefix(keys), now_millis()
  local entry = load_for_write(P, args[1])
  local expiry = entry and number(run('HGET', entry.key, 't:' .. args[3]))
  if not expiry or t > expiry then return 'refused' end
  local ttl, window, read = tonumber(args[4]), tonumber(args[6]), number(args[9])
  local required = read or tonumber(args[8])
  if entry.rev and required > entry.rev then
    -- The cached data may lack changes between the two revisions.
    if args[7] == '0' then return 'behind' end
    if read then reset_entry(entry) end
  end
  local lists, items, all = parse_fill(args, 13)
  local function is_replayed() return replay(entry, lists, read) and replay(entry, all, read) end
  if read and not entry.rev then
    entry.rev = read
    run('HSET', entry.key, 'rev', read, 'row', args[10], 'pins', args[11], 'del', args[12])
  elseif not entry.rev or required > entry.rev or (read and not is_replayed()) then
    release(entry, args[2], args[3], t)
    return 'refused'
  end
  if read and read > entry.committed then set_committed(entry, read) end
  for _, list in ipairs(lists) do
    local key = list_key(P, list.owner, list.ending)
    fill_list(entry, key, list.ending, list.low, list.high, list.members, window, ttl)
  end
  fill_comments(P, entry, items, required, ttl)
  fill_candidates(P, entry, all, ttl)
  renew_content_version(entry)
  run('PEXPIRE', entry.key, args[5])
  drain_log(P, entry, ttl, window, t)
  release(entry, args[2], args[3], t)
  return 'kept'
end

register_write('open', open)
register_write('close', close)
register_write('fill', fill)
