
-- Like counts of comments, and the likes of a member in a subject.

-- An invalidation that is not ended expires after this time, in milliseconds.
local INVALIDATION_TTL = 30000
local MAX_MEMBER_LIKES = 2000

local function apply_like(P, subject, id, likes, t)
  local entry = load_for_write(P, subject)
  if not entry then return end
  renew_content_version(entry)
  apply_likes(P, entry, id, likes)
  local candidates = #likes >= 36 and load_candidates(P, entry, string.sub(likes, 17, 32))
  if candidates and invalidates(candidates, id, likes) then run('DEL', P .. 'p:' .. candidates.root) end
  if not has_lease(entry, t) and is_readable(entry) then return end
  local old = run('HGET', entry.log_key, 'l:' .. id)
  if not old or struct.unpack('>I8', likes) > struct.unpack('>I8', old) then append_to_log(entry, 'l:' .. id, likes) end
end

-- Arguments: (subject, comment, likes)…
local function like(keys, args)
  local P, t = key_prefix(keys), now_millis()
  for i = 1, #args, 3 do apply_like(P, args[i], args[i + 1], args[i + 2], t) end
  return 1
end

-- Returns whether an invalidation of a member's likes is active. Deletes expired ones.
local function is_invalidated(key, t)
  for _, field in ipairs(run('HKEYS', key)) do
    if string.sub(field, 1, 1) == '!' then
      if tonumber(run('HGET', key, field)) >= t then return true end
      run('HDEL', key, field)
    end
  end
  return false
end

-- Begins an invalidation: removes members' likes and prevents fills until it ends.
-- Arguments: token, names…
local function begin_invalidation(keys, args)
  local P, t = key_prefix(keys), now_millis()
  for i = 2, #args do
    local key = P .. 'm:' .. args[i]
    local fields = {}
    if run('HEXISTS', key, 'ok') == 0 then
      for _, field in ipairs(run('HKEYS', key)) do
        if string.sub(field, 1, 1) == '!' then
          fields[#fields + 1] = field
          fields[#fields + 1] = run('HGET', key, field)
        end
      end
    end
    run('DEL', key)
    fields[#fields + 1] = '!' .. args[1]
    fields[#fields + 1] = t + INVALIDATION_TTL
    run('HSET', key, unpack(fields))
    run('PEXPIRE', key, INVALIDATION_TTL)
  end
  return 1
end

-- Removes a member's likes and the token that fills them, but no invalidation.
local function remove_member_likes(key)
  for _, field in ipairs(run('HKEYS', key)) do
    if string.sub(field, 1, 1) ~= '!' then run('HDEL', key, field) end
  end
end

-- Ends an invalidation. If it no longer exists, a reader may have filled likes that it read before
-- the commit, so they are removed again. Arguments: token, names…
local function end_invalidation(keys, args)
  local P = key_prefix(keys)
  for i = 2, #args do
    local key = P .. 'm:' .. args[i]
    if run('HDEL', key, '!' .. args[1]) == 0 then remove_member_likes(key) end
  end
  return 1
end

-- Arguments: name, token, time to live of the lease.
local function open_states(keys, args)
  local P = key_prefix(keys)
  local key, g, t = P .. 'm:' .. args[1], generation(P), now_millis()
  if not g or is_invalidated(key, t) then return 0 end
  run('DEL', key)
  run('HSET', key, '?', args[2], 'g', g)
  run('PEXPIRE', key, args[3])
  return 1
end

-- Arguments: name, token, ttl, (id, value)…
local function fill_states(keys, args)
  local P = key_prefix(keys)
  local key = P .. 'm:' .. args[1]
  local lease = run('HMGET', key, '?', 'g')
  if lease[1] ~= args[2] or lease[2] ~= generation(P) then return 0 end
  run('HDEL', key, '?')
  run('HSET', key, 'ok', 1)
  for i = 4, #args, 2 do run('HSET', key, args[i], args[i + 1]) end
  run('PEXPIRE', key, args[3])
  return 1
end

-- Records that these comments exist and have no value of the member. Arguments: name, ids…
local function record_existing(keys, args)
  local key = key_prefix(keys) .. 'm:' .. args[1]
  if run('HEXISTS', key, 'ok') == 0 or run('HLEN', key) > MAX_MEMBER_LIKES then return 0 end
  for i = 2, #args do run('HSETNX', key, args[i], 0) end
  return 1
end

local LETTERS = { ['0'] = '0', ['1'] = '1', ['-1'] = '-' }

-- Returns a letter for each id: the member's like, or a blank if it is unknown whether the subject
-- has this comment. One string of many letters is transferred much faster than many strings.
-- Arguments: the subject's name, the member's, the ids in one string.
local function states(keys, args)
  local P = key_prefix(keys)
  local found = find(P, args[1])
  if found[1] ~= 'hit' then return found end
  if found[3] ~= '' then return { 'absent' } end
  local entry, count, ids = found[4], #args[3] / ID_SIZE, {}
  for i = 1, count do ids[i] = string.sub(args[3], ID_SIZE * (i - 1) + 1, ID_SIZE * i) end
  ids[count + 1], ids[count + 2] = 'ok', 'g'
  local values = run('HMGET', P .. 'm:' .. args[2], unpack(ids))
  if not values[count + 1] or values[count + 2] ~= generation(P) then return { 'miss' } end
  local letters, unknown, indexes = {}, {}, {}
  for i = 1, count do
    if values[i] then
      letters[i] = LETTERS[values[i]] or '?'
    else
      unknown[#unknown + 1], indexes[#indexes + 1] = ids[i], i
    end
  end
  for i, value in ipairs(load_many(P .. 'c:', unknown)) do
    letters[indexes[i]] = belongs_to(entry, value) and '0' or ' '
  end
  return { 'hit', table.concat(letters) }
end

register_write('like', like)
register_write('doubt', begin_invalidation)
register_write('settle', end_invalidation)
register_write('open_states', open_states)
register_write('fill_states', fill_states)
register_write('exist', record_existing)
register_read('states', states)
