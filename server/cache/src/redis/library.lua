#!lua name=riposte7
-- The protocol of the copies (see port.rs), each operation one function and so one step.
--
-- Every function gets one key, the cursor of a partition; all others of the partition begin like it, so that they lie in
-- one slot:
--   cur                 hash   n (where the relay is), g (the generation)
--   k:TYPE:OBJECT       string the subject's id; "-" = there is none; "?TOKEN" = somebody looks
--   h:SUBJECT           hash   the block: inc g rev W row pins del stamp; until tn wn (its log); t:TOKEN (a ticket, until
--                              when); l:KIND (the token of who fills it)
--   f:SUBJECT:END       string a first page of roots in print: what it is of ("INC:REVISION:STAMP:"), how it was asked for and
--                              printed, a line's end, the print
--   z:OWNER:END         zset   a list by floor, and at -inf its sentinel "#INC:LOW:HIGH"; OWNER is a subject ("s" before
--                              its id) or a root ("r"), END the end that it is kept from
--   c:COMMENT           string head of 64 bytes, row, content
--   p:ROOT              string what its preview is chosen from: incarnation, likes and floor of its place, its high floor (4
--                              bytes each), and of each member: floor (4 bytes), id
--   w:SUBJECT           hash   the log: d:REVISION = a change, l:COMMENT = likes
--   m:TYPE:OBJECT:MEMBER hash  ok g ID=value; "?" = who fills, "!TOKEN" = doubts
-- Ids are 16 hexadecimal digits: Lua's numbers hold 53 bits. Revisions and floors are numbers. Likes are revision (8 bytes),
-- likes and dislikes (4 each), and for a visible reply its root and its floor (4).

local INF = 2147483647
local GROWS = 16
local LOG, LOGGED_LIKES, DOUBT = 64, 2000, 30000
-- The digit 2: from it on, a copy's head says that the comment is visible.
local VISIBLE = 50
local HEAD = 64
local ID = 16
local AT_ONCE = 1000

-- What a command answers where there is no key; those that are not here answer with a list.
local NOTHING = { GET = false, GETRANGE = '', HGET = false, HEXISTS = 0, HLEN = 0, ZCARD = 0 }

-- A command on a copy. A key of another type is no copy: writers take it away, readers find nothing there.
local function ask(command, key, ...)
  local answer = redis.pcall(command, key, ...)
  if type(answer) ~= 'table' or not answer.err then return answer end
  if not string.find(answer.err, 'WRONGTYPE', 1, true) then error(answer) end
  local gone = redis.pcall('DEL', key)
  if type(gone) == 'number' then return redis.call(command, key, ...) end
  local nothing = NOTHING[command]
  if nothing == nil then return {} end
  return nothing
end

local function micros()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000000 + tonumber(t[2])
end

local function now() return math.floor(micros() / 1000) end

local function prefix(keys)
  return string.sub(keys[1], 1, -4)
end

local function number(text)
  return text and tonumber(text) or nil
end

-- The generation of the partition; nil before the relay has come.
local function generation(P)
  return ask('HGET', P .. 'cur', 'g') or nil
end

-- The block of a subject, if it is of the present generation; with its row, deletion and pins.
local function block(P, sid)
  local key = P .. 'h:' .. sid
  local h = ask('HMGET', key, 'inc', 'g', 'rev', 'W', 'until', 'tn', 'wn', 'row', 'del', 'pins', 'stamp')
  local g = generation(P)
  if not h[1] or not g or h[2] ~= g then return nil end
  return { sid = sid, key = key, w = P .. 'w:' .. sid, inc = h[1], rev = number(h[3]), W = number(h[4]) or 0,
    till = number(h[5]) or 0, tn = number(h[6]) or 0, wn = number(h[7]) or 0, row = h[8], del = h[9], pins = h[10], stamp = number(h[11]) or 0 }
end

-- Likes and fills change copies at a revision: what was put together before is of another stamp. None comes twice, nor on a
-- replica that took over and does not know the last ones.
local function stamp(b)
  b.stamp = math.max(micros(), b.stamp + 1)
  ask('HSET', b.key, 'stamp', string.format('%d', b.stamp))
end

local function answers(b)
  return b and b.rev and b.rev >= b.W
end

-- Whether a value is the copy of a comment, and a part of this block.
local function belongs(b, value)
  return value and #value >= HEAD and string.sub(value, 5, 12) == b.inc
end

-- The value of a comment's copy, if it is a part of this block.
local function copy(P, b, id)
  local value = ask('GET', P .. 'c:' .. id)
  return belongs(b, value) and value or nil
end

-- The values of keys that begin alike, in one command for each thousand: a call costs more than what it brings. What is of
-- another type counts as nothing.
local function many(beginning, ids)
  if #ids == 0 then return {} end
  local values = {}
  for from = 1, #ids, AT_ONCE do
    local keys = {}
    for i = from, math.min(from + AT_ONCE - 1, #ids) do keys[#keys + 1] = beginning .. ids[i] end
    local some = redis.call('MGET', unpack(keys))
    if #ids <= AT_ONCE then return some end
    for i = 1, #keys do values[from + i - 1] = some[i] end
  end
  return values
end

-- The copies of comments; nil where one is missing.
local function copies(P, b, ids)
  local values = many(P .. 'c:', ids)
  for i = 1, #ids do
    if not belongs(b, values[i]) then return nil end
  end
  return values
end

local function rrev(value) return (struct.unpack('>I8', value, 13)) end
local function lrev(value) return (struct.unpack('>I8', value, 21)) end

-- Lists -----------------------------------------------------------------------------------------------------------

local function list_key(P, owner, ending) return P .. 'z:' .. owner .. ':' .. ending end

local function bounds(b, key)
  local s = ask('ZRANGEBYSCORE', key, '-inf', '-inf')[1]
  if not s or string.sub(s, 2, 9) ~= b.inc then return nil end
  local low, high = string.match(string.sub(s, 10), '^:(%d+):(%d+)$')
  if not low then return nil end
  return { low = tonumber(low), high = tonumber(high), sentinel = s }
end

local function bound(b, key, old, low, high)
  if old then ask('ZREM', key, old) end
  ask('ZADD', key, '-inf', '#' .. b.inc .. string.format(':%d:%d', low, high))
end

-- Members at and below a floor downward, and above it upward; nil where what decides is not kept.
local function slice_of(b, key, floor, low, high)
  local s = bounds(b, key)
  if not s then return nil end
  local lows, highs = {}, {}
  if low > 0 then
    if floor > s.high then return nil end
    lows = ask('ZREVRANGEBYSCORE', key, floor, 1, 'LIMIT', 0, low)
    if #lows < low and s.low > 0 then return nil end
  end
  if high > 0 then
    if floor < s.low - 1 then return nil end
    highs = ask('ZRANGEBYSCORE', key, '(' .. string.format('%d', floor), '+inf', 'LIMIT', 0, high)
    if #highs < high and s.high < INF then return nil end
  end
  return lows, highs
end

local function slice(P, b, owner, ending, floor, low, high)
  local lows, highs = slice_of(b, list_key(P, owner, ending), floor, low, high)
  if lows then return lows, highs end
  return slice_of(b, list_key(P, owner, ending == 'o' and 'n' or 'o'), floor, low, high)
end

local function list_apply(b, key, ending, came, went, window)
  local s = bounds(b, key)
  if not s then return end
  for i = 1, #came, 2 do
    local floor = tonumber(came[i])
    if floor >= s.low and floor <= s.high then ask('ZADD', key, floor, came[i + 1]) end
  end
  for _, floor in ipairs(went) do ask('ZREMRANGEBYSCORE', key, floor, floor) end
  local count = ask('ZCARD', key) - 1
  if count <= window + math.floor(window / 4) then return end
  if ending == 'n' then
    ask('ZREMRANGEBYRANK', key, 1, count - window)
    local first = ask('ZRANGE', key, 1, 1, 'WITHSCORES')
    bound(b, key, s.sentinel, tonumber(first[2]), s.high)
  else
    ask('ZREMRANGEBYRANK', key, window + 1, -1)
    local last = ask('ZRANGE', key, -1, -1, 'WITHSCORES')
    bound(b, key, s.sentinel, s.low, tonumber(last[2]))
  end
end

local function list_fill(b, key, ending, low, high, members, window, ttl)
  local s = bounds(b, key)
  if s then
    if high < s.low - 1 or low > s.high + 1 or ask('ZCARD', key) > window then return end
    bound(b, key, s.sentinel, math.min(low, s.low), math.max(high, s.high))
  else
    if (ending == 'o' and low > 0) or (ending == 'n' and high < INF) then return end
    ask('DEL', key)
    bound(b, key, nil, low, high)
    ask('PEXPIRE', key, ttl)
  end
  for floor, id in pairs(members) do ask('ZADD', key, floor, id) end
end

-- Choices ---------------------------------------------------------------------------------------------------------
-- What the preview of a root is chosen from: like a list from floor 1 to its high one, and some replies beyond it.

local function choice_in(b, root, value)
  if not value or #value % 20 ~= 0 or string.sub(value, 1, 8) ~= b.inc then return nil end
  local choice = { owner = 'r' .. root, root = root, low = 1, members = {} }
  choice.likes, choice.floor, choice.high = struct.unpack('>I4I4I4', value, 9)
  for at = 21, #value, 20 do choice.members[(struct.unpack('>I4', value, at))] = string.sub(value, at + 4, at + 19) end
  return choice
end

local function choice_of(P, b, root)
  return choice_in(b, root, ask('GET', P .. 'p:' .. root))
end

local function choice_keep(P, b, choice, ttl)
  local words = { b.inc, '' }
  local count, last = 0, 0
  for floor, id in pairs(choice.members) do
    words[#words + 1] = struct.pack('>I4', floor) .. id
    count, last = count + 1, math.max(last, floor)
  end
  -- One that holds all replies grows so far; those that come later are others.
  if choice.high == INF and count > GROWS then choice.high = last end
  words[2] = struct.pack('>I4I4I4', choice.likes, choice.floor, choice.high)
  ask('SET', P .. 'p:' .. choice.root, table.concat(words), 'PX', ttl)
end

-- Brings what a commit did to the replies of a root.
local function choice_apply(P, b, root, came, went, ttl)
  local choice = choice_of(P, b, root)
  if not choice then
    -- The first replies of a root are all there are.
    local value = copy(P, b, root)
    if not value or string.byte(value, 4) % 2 == 1 then return end
    choice = { root = root, likes = 0, floor = 0, high = INF, members = {} }
  end
  local differs = false
  for _, floor in ipairs(went) do
    differs = differs or choice.members[tonumber(floor)] ~= nil
    choice.members[tonumber(floor)] = nil
  end
  for i = 1, #came, 2 do
    local floor = tonumber(came[i])
    if floor <= choice.high then choice.members[floor], differs = came[i + 1], true end
  end
  if differs then choice_keep(P, b, choice, ttl) end
end

-- Whether a choice ends with these likes: those of a reply that it does not hold, and that might stand before its place.
local function ends_with(choice, id, likes)
  if #likes < 36 or choice.root ~= string.sub(likes, 17, 32) then return false end
  local count, floor = struct.unpack('>I4', likes, 9), struct.unpack('>I4', likes, 33)
  if count == 0 or floor <= choice.high or choice.members[floor] == id then return false end
  return count > choice.likes or count == choice.likes and floor < choice.floor
end

-- The most liked first, and of equals the oldest.
local function stands_before(x, y)
  return x[1] > y[1] or x[1] == y[1] and x[2] < y[2]
end

-- The preview that a choice gives, of its members' floors and copies: whether there is more, and the replies; nil where
-- another might be among these, or a copy is missing.
local function chosen(b, choice, floors, values, size)
  if #floors <= size and choice.high < INF then return nil end
  local replies = {}
  for i, floor in ipairs(floors) do
    local value = values[i]
    if not belongs(b, value) then return nil end
    -- A tombstone has no likes.
    local visible = string.byte(value, 4) >= VISIBLE
    replies[i] = { visible and struct.unpack('>I4', value, 29) or 0, floor, value }
  end
  table.sort(replies, stands_before)
  local last = replies[math.min(size, #replies)]
  if last and choice.high < INF then
    local floor = math.max(choice.floor, choice.high)
    if last[1] < choice.likes or last[1] == choice.likes and last[2] > floor then return nil end
  end
  local shown = { #replies > size and 1 or 0 }
  for i = 1, math.min(size, #replies) do shown[i + 1] = replies[i][3] end
  return shown
end

-- The previews of roots by their copies, as pairs of a root and its preview; roots without replies have none. nil where
-- one is not known.
local function previews_of(P, b, ids, values, size)
  local roots, previews = {}, {}
  for i, id in ipairs(ids) do
    -- A listed reply is visible or stands above a visible one.
    if string.byte(values[i], 4) % 2 == 1 then roots[#roots + 1] = id end
  end
  if size == 0 then
    for i, root in ipairs(roots) do previews[i] = { root, { 1 } } end
    return previews
  end
  local kept, choices, members = many(P .. 'p:', roots), {}, {}
  for i, root in ipairs(roots) do
    local choice = choice_in(b, root, kept[i])
    if not choice then return nil end
    choices[i], choice.floors = choice, {}
    for floor, id in pairs(choice.members) do
      choice.floors[#choice.floors + 1], members[#members + 1] = floor, id
    end
  end
  local replies, from = many(P .. 'c:', members), 0
  for i, choice in ipairs(choices) do
    local of = {}
    for n = 1, #choice.floors do of[n] = replies[from + n] end
    from = from + #choice.floors
    local shown = chosen(b, choice, choice.floors, of, size)
    if not shown then return nil end
    previews[i] = { choice.root, shown }
  end
  return previews
end

-- Changes ---------------------------------------------------------------------------------------------------------
-- A change is a flat list: revision, row, pins, deleted, created; the count of lists, and of each: owner, the counts of
-- who came and went, (floor, id)…, floor…; the count of patches, and of each: id, head (64 bytes, without inc), row, content.

local function patch_lists(change, each)
  local at, lists = 7, tonumber(change[6])
  for _ = 1, lists do
    local owner, came, went = change[at], {}, {}
    local c, w = tonumber(change[at + 1]), tonumber(change[at + 2])
    at = at + 3
    for _ = 1, 2 * c do came[#came + 1] = change[at]; at = at + 1 end
    for _ = 1, w do went[#went + 1] = change[at]; at = at + 1 end
    each(owner, came, went)
  end
  return at
end

local function patch_comments(change, at, each)
  for _ = 1, tonumber(change[at]) do
    each(change[at + 1], change[at + 2], change[at + 3], change[at + 4])
    at = at + 4
  end
end

local function body(b, head, row, content)
  return string.sub(head, 1, 4) .. b.inc .. string.sub(head, 13) .. row .. content
end

-- Brings a comment's copy to a patch. The row and the likes have lines of their own, and on each the greater stands.
local function patch(P, b, id, head, row, content, ttl)
  local key = P .. 'c:' .. id
  local old = copy(P, b, id)
  if not old then
    if content ~= '' then ask('SET', key, body(b, head, row, content), 'PX', ttl) end
    return
  end
  local likes = lrev(head) > lrev(old) and string.sub(head, 21, 36) or string.sub(old, 21, 36)
  if rrev(head) > rrev(old) then
    local sum = string.sub(head, 57, 64)
    if content == '' then
      content = string.sub(old, HEAD + struct.unpack('>I4', old, 37) + 1)
      sum = string.sub(old, 57, 64)
    end
    head = string.sub(head, 1, 20) .. likes .. string.sub(head, 37, 56) .. sum
    ask('SET', key, body(b, head, row, content), 'KEEPTTL')
  else
    ask('SETRANGE', key, 20, likes)
  end
end

local function likes_of(P, b, id, likes)
  local old = copy(P, b, id)
  if old and struct.unpack('>I8', likes) > lrev(old) then
    ask('SETRANGE', P .. 'c:' .. id, 20, string.sub(likes, 1, 16))
  end
end

-- The log ---------------------------------------------------------------------------------------------------------

local function is_open(b, t) return b.tn > 0 and t <= b.till end

-- Tears up all tickets that are out.
local function tear(b)
  for _, field in ipairs(ask('HKEYS', b.key)) do
    local kind = string.sub(field, 1, 2)
    if kind == 't:' or kind == 'l:' then ask('HDEL', b.key, field) end
  end
  b.tn = 0
  ask('HSET', b.key, 'tn', 0)
end

-- Nothing that is kept is a part of the block any more, and no ticket is.
local function begin_anew(b)
  tear(b)
  b.inc, b.rev = struct.pack('>I8', micros()), nil
  ask('HSET', b.key, 'inc', b.inc)
  ask('HDEL', b.key, 'rev', 'row', 'pins', 'del')
end

-- The log is lost: nobody can fill by it, and a block that is behind cannot move on by it.
local function lose(b)
  ask('DEL', b.w)
  b.wn = 0
  ask('HSET', b.key, 'wn', 0)
  if answers(b) then tear(b) else begin_anew(b) end
end

-- The block for one who changes it: a log that was evicted is noticed first.
local function whole(P, sid)
  local b = block(P, sid)
  if b and b.wn > 0 and ask('HLEN', b.w) ~= b.wn then lose(b) end
  return b
end

-- While nobody may fill it forgets what is not needed. What waits for its predecessors stays, and while the block is
-- behind the likes of comments that come with them.
local function settle_log(b)
  if b.tn > 0 then tear(b) end
  if b.wn == 0 then return end
  for _, field in ipairs(ask('HKEYS', b.w)) do
    local revision = string.match(field, '^d:(%d+)$')
    local waits = not answers(b)
    if revision then waits = not b.rev or tonumber(revision) > b.rev end
    if not waits then ask('HDEL', b.w, field) end
  end
  b.wn = ask('HLEN', b.w)
  ask('HSET', b.key, 'wn', b.wn)
end

local function log(b, field, value)
  if b.wn >= LOG + LOGGED_LIKES and ask('HEXISTS', b.w, field) == 0 then lose(b) end
  ask('HSET', b.w, field, value)
  b.wn = ask('HLEN', b.w)
  ask('PEXPIRE', b.w, 60000)
  ask('HSET', b.key, 'wn', b.wn)
end

local function move_on(P, b, change, ttl, window)
  b.rev = tonumber(change[1])
  ask('HSET', b.key, 'rev', b.rev, 'row', change[2], 'pins', change[3], 'del', change[4])
  local at = patch_lists(change, function(owner, came, went)
    list_apply(b, list_key(P, owner, 'o'), 'o', came, went, window)
    list_apply(b, list_key(P, owner, 'n'), 'n', came, went, window)
    if string.sub(owner, 1, 1) == 'r' then choice_apply(P, b, string.sub(owner, 2), came, went, ttl) end
  end)
  patch_comments(change, at, function(id, head, row, content)
    patch(P, b, id, head, row, content, ttl)
    local likes = b.wn > 0 and ask('HGET', b.w, 'l:' .. id)
    if likes then likes_of(P, b, id, likes) end
  end)
end

local function drain(P, b, ttl, window, t)
  while b.rev and b.wn > 0 do
    local change = ask('HGET', b.w, 'd:' .. string.format('%d', b.rev + 1))
    if not change then break end
    move_on(P, b, cmsgpack.unpack(change), ttl, window)
  end
  if not is_open(b, t) then settle_log(b) end
end

-- Whether so many changes are logged that one more is too many.
local function is_full(b)
  if b.wn < LOG then return false end
  local changes = 0
  for _, field in ipairs(ask('HKEYS', b.w)) do
    if string.sub(field, 1, 2) == 'd:' then changes = changes + 1 end
  end
  return changes >= LOG
end

local function apply_one(P, sid, change, ttl, window)
  if change[5] ~= '' then ask('SET', P .. 'k:' .. change[5], sid, 'PX', ttl) end
  local b = whole(P, sid)
  if not b then return end
  local revision, t = tonumber(change[1]), now()
  local function follows() return b.rev and revision == b.rev + 1 end
  local late = b.rev and revision <= b.rev
  local logged = not late and (not follows() or is_open(b, t))
  if logged and is_full(b) then lose(b) end
  if revision > b.W then b.W = revision; ask('HSET', b.key, 'W', revision) end
  if late then return end
  if logged then log(b, 'd:' .. change[1], cmsgpack.pack(change)) end
  if follows() then
    move_on(P, b, change, ttl, window)
    drain(P, b, ttl, window, t)
  end
end

-- ttl, window, count of subjects, and of each: subject, count of words, words.
local function apply(keys, args)
  local P, ttl, window = prefix(keys), tonumber(args[1]), tonumber(args[2])
  local at = 4
  for _ = 1, tonumber(args[3]) do
    local change, count = {}, tonumber(args[at + 1])
    for i = 1, count do change[i] = args[at + 1 + i] end
    apply_one(P, args[at], change, ttl, window)
    at = at + 2 + count
  end
  return 1
end

local function like_one(P, sid, id, likes, t)
  local b = whole(P, sid)
  if not b then return end
  stamp(b)
  likes_of(P, b, id, likes)
  local choice = #likes >= 36 and choice_of(P, b, string.sub(likes, 17, 32))
  if choice and ends_with(choice, id, likes) then ask('DEL', P .. 'p:' .. choice.root) end
  if not is_open(b, t) and answers(b) then return end
  local old = ask('HGET', b.w, 'l:' .. id)
  if not old or struct.unpack('>I8', likes) > struct.unpack('>I8', old) then log(b, 'l:' .. id, likes) end
end

-- (subject, comment, likes)…
local function like(keys, args)
  local P, t = prefix(keys), now()
  for i = 1, #args, 3 do like_one(P, args[i], args[i + 1], args[i + 2], t) end
  return 1
end

-- Tickets and fills -----------------------------------------------------------------------------------------------

-- name, kind, shared, token, lease, ttl
local function open(keys, args)
  local P, kind, t, lease = prefix(keys), args[2], now(), tonumber(args[5])
  local g = generation(P)
  if not g then return { 'cold' } end
  local sid = ask('GET', P .. 'k:' .. args[1])
  if not sid or #sid ~= 16 then
    ask('SET', P .. 'k:' .. args[1], '?' .. args[4], 'PX', lease)
    return { 'unknown' }
  end
  local b = whole(P, sid)
  if not b then
    local key = P .. 'h:' .. sid
    ask('DEL', key, P .. 'w:' .. sid)
    ask('HSET', key, 'inc', args[4], 'g', g)
    ask('PEXPIRE', key, args[6])
    b = block(P, sid)
  end
  -- Only a block with a revision moves on by its log alone: single comments tell none that could be compared.
  if args[3] == '1' and not b.rev then return { 'busy' } end
  if not is_open(b, t) then settle_log(b) end
  local field = 'l:' .. kind
  local taken = args[3] == '0' and ask('HGET', b.key, field)
  local till = taken and number(ask('HGET', b.key, 't:' .. taken))
  if till and till >= t then return { 'busy' } end
  till = t + lease
  ask('HSET', b.key, 't:' .. args[4], till, 'until', math.max(till, b.till), 'tn', b.tn + 1)
  if args[3] == '0' then ask('HSET', b.key, field, args[4]) end
  return { 'ticket', sid, ask('HGET', keys[1], 'n') }
end

-- Takes a ticket back; one that is not out any more changes nothing.
local function release(b, kind, token, t)
  if ask('HDEL', b.key, 't:' .. token) == 0 then return end
  b.tn = b.tn - 1
  ask('HSET', b.key, 'tn', b.tn)
  if ask('HGET', b.key, 'l:' .. kind) == token then ask('HDEL', b.key, 'l:' .. kind) end
  if not is_open(b, t) then settle_log(b) end
end

-- subject, kind, token
local function close(keys, args)
  local b = whole(prefix(keys), args[1])
  if b then release(b, args[2], args[3], now()) end
  return 1
end

-- Brings the members of a list from the revision that was read to the present one.
local function bring(b, lists, read)
  for revision = read + 1, b.rev do
    local packed = ask('HGET', b.w, 'd:' .. string.format('%d', revision))
    if not packed then return false end
    patch_lists(cmsgpack.unpack(packed), function(owner, came, went)
      for _, list in ipairs(lists) do
        if list.owner == owner then
          for _, floor in ipairs(went) do list.members[tonumber(floor)] = nil end
          for i = 1, #came, 2 do
            local floor = tonumber(came[i])
            if floor >= list.low and floor <= list.high then list.members[floor] = came[i + 1] end
          end
        end
      end
    end)
  end
  return true
end

local function take_items(P, b, items, ttl)
  local taken = {}
  for _, item in ipairs(items) do
    local old = copy(P, b, item[1])
    if not old then
      ask('SET', P .. 'c:' .. item[1], body(b, item[2], item[3], item[4]), 'PX', ttl)
      taken[item[1]] = true
    elseif rrev(old) == rrev(item[2]) then
      -- The same row. What is kept of it may be damaged: it was read because somebody missed something.
      local likes = string.sub(lrev(old) > lrev(item[2]) and old or item[2], 21, 36)
      ask('SET', P .. 'c:' .. item[1], body(b, string.sub(item[2], 1, 20) .. likes .. string.sub(item[2], 37), item[3], item[4]), 'KEEPTTL')
    end
  end
  if b.wn == 0 or not next(taken) then return end
  local logged = ask('HGETALL', b.w)
  for i = 1, #logged, 2 do
    local revision, id = string.match(logged[i], '^d:(%d+)$'), string.match(logged[i], '^l:(%x+)$')
    -- What is beyond the present revision comes with it.
    if revision and tonumber(revision) <= b.rev then
      local change = cmsgpack.unpack(logged[i + 1])
      local at = patch_lists(change, function() end)
      patch_comments(change, at, function(of, head, row, content)
        if taken[of] then patch(P, b, of, head, row, content, ttl) end
      end)
    elseif id and taken[id] then
      likes_of(P, b, id, logged[i + 1])
    end
  end
end

-- Takes what previews are chosen from, unless somebody not among it was liked meanwhile.
local function take_choices(P, b, choices, ttl)
  if #choices == 0 then return end
  local logged = b.wn > 0 and ask('HGETALL', b.w) or {}
  for _, choice in ipairs(choices) do
    local ends = false
    for i = 1, #logged, 2 do
      local id = string.match(logged[i], '^l:(%x+)$')
      ends = ends or id and ends_with(choice, id, logged[i + 1])
    end
    if ends then ask('DEL', P .. 'p:' .. choice.root) else choice_keep(P, b, choice, ttl) end
  end
end

local function parse_fill(args, at)
  local lists, items, choices = {}, {}, {}
  local count = tonumber(args[at]); at = at + 1
  for _ = 1, count do
    local list = { owner = args[at], ending = args[at + 1], low = tonumber(args[at + 2]), high = tonumber(args[at + 3]), members = {} }
    local n = tonumber(args[at + 4]); at = at + 5
    for _ = 1, n do list.members[tonumber(args[at])] = args[at + 1]; at = at + 2 end
    lists[#lists + 1] = list
  end
  count = tonumber(args[at]); at = at + 1
  for _ = 1, count do
    items[#items + 1] = { args[at], args[at + 1], args[at + 2], args[at + 3] }
    at = at + 4
  end
  count = tonumber(args[at]); at = at + 1
  for _ = 1, count do
    local choice = { owner = 'r' .. args[at], root = args[at], low = 1, likes = tonumber(args[at + 1]),
      floor = tonumber(args[at + 2]), high = tonumber(args[at + 3]), members = {} }
    local n = tonumber(args[at + 4]); at = at + 5
    for _ = 1, n do choice.members[tonumber(args[at])] = args[at + 1]; at = at + 2 end
    choices[#choices + 1] = choice
  end
  return lists, items, choices
end

-- subject, kind, token, ttl, header's ttl, window, force, seen, revision (or ""), row, pins, deleted; count of lists, and
-- of each: owner, end, low, high, count, (floor, id)…; count of items, and of each: id, head, row, content; count of choices,
-- and of each: root, likes, floor, high, count, (floor, id)….
local function fill(keys, args)
  local P, t = prefix(keys), now()
  local b = whole(P, args[1])
  local till = b and number(ask('HGET', b.key, 't:' .. args[3]))
  if not till or t > till then return 'refused' end
  local ttl, window, read = tonumber(args[4]), tonumber(args[6]), number(args[9])
  local present = read or tonumber(args[8])
  if b.rev and present > b.rev then
    -- What is kept may lack what happened in between.
    if args[7] == '0' then return 'behind' end
    if read then begin_anew(b) end
  end
  local lists, items, choices = parse_fill(args, 13)
  if read and not b.rev then
    b.rev = read
    ask('HSET', b.key, 'rev', read, 'row', args[10], 'pins', args[11], 'del', args[12])
  elseif not b.rev or present > b.rev or (read and not (bring(b, lists, read) and bring(b, choices, read))) then
    release(b, args[2], args[3], t)
    return 'refused'
  end
  if read and read > b.W then b.W = read; ask('HSET', b.key, 'W', read) end
  for _, list in ipairs(lists) do
    list_fill(b, list_key(P, list.owner, list.ending), list.ending, list.low, list.high, list.members, window, ttl)
  end
  take_items(P, b, items, ttl)
  take_choices(P, b, choices, ttl)
  stamp(b)
  ask('PEXPIRE', b.key, args[5])
  drain(P, b, ttl, window, t)
  release(b, args[2], args[3], t)
  return 'kept'
end

-- Names -----------------------------------------------------------------------------------------------------------

local function name(keys, args)
  ask('SET', prefix(keys) .. 'k:' .. args[1], args[2], 'PX', args[3])
  return 1
end

local function absent(keys, args)
  local key = prefix(keys) .. 'k:' .. args[1]
  if ask('GET', key) == '?' .. args[2] then ask('SET', key, '-', 'PX', args[3]) end
  return 1
end

local function forget(keys, args)
  local P = prefix(keys)
  local sid = ask('GET', P .. 'k:' .. args[1])
  if sid and #sid == 16 then ask('DEL', P .. 'h:' .. sid, P .. 'w:' .. sid) end
  ask('DEL', P .. 'k:' .. args[1])
  return 1
end

-- Reads -----------------------------------------------------------------------------------------------------------

-- One of: {"miss"}, {"absent"}, {"hit", row, deleted, block}.
local function find(P, name)
  local sid = ask('GET', P .. 'k:' .. name)
  if sid == '-' then return { 'absent' } end
  if not sid or #sid ~= 16 then return { 'miss' } end
  local b = block(P, sid)
  if not answers(b) then return { 'miss' } end
  return { 'hit', b.row, b.del, b }
end

local function subjects(keys, args)
  local P, found = prefix(keys), {}
  for i, name in ipairs(args) do
    local one = find(P, name)
    found[i] = one[1] == 'hit' and one[2] or one[1] == 'absent' and '' or false
  end
  return found
end

-- Of each id: nothing, or the place of its subject's row and the value. Behind them the rows.
local function comments(keys, args)
  local P, found, rows, blocks = prefix(keys), {}, {}, {}
  local values = many(P .. 'c:', args)
  for i = 1, #args do
    found[i] = false
    local value = values[i]
    if value and #value >= HEAD then
      local sid = string.sub(value, 41, 56)
      local known = blocks[sid]
      if known == nil then
        local b = block(P, sid)
        known = false
        if answers(b) then
          rows[#rows + 1] = b.row
          known = { inc = b.inc, place = #rows }
        end
        blocks[sid] = known
      end
      if known and known.inc == string.sub(value, 5, 12) then found[i] = { known.place, value } end
    end
  end
  return { found, rows }
end


-- How many of those behind and ahead of the cut stand on the page.
local function share(start, limit, behind, ahead)
  if start == 'f' then return 0, math.min(ahead, limit) end
  if start == 'b' then return math.min(behind, limit), 0 end
  local forth = math.min(ahead, limit - math.min(behind, math.floor(limit / 2)))
  return math.min(behind, limit - forth), forth
end

-- The comments that a page shows, and whether there is more before and after: the order, start, limit, floor, low and high of
-- a window; or "i" and the ids themselves.
local function picked(P, b, owner, args)
  local ids = {}
  if args[4] == 'i' then
    for i = 5, #args do ids[i - 4] = args[i] end
    return ids, 0, 0
  end
  local lows, highs = slice(P, b, owner, args[4], tonumber(args[7]), tonumber(args[8]), tonumber(args[9]))
  if not lows then return nil end
  local behind, ahead = lows, highs
  if args[4] == 'n' then behind, ahead = highs, lows end
  local back, forth = share(args[5], tonumber(args[6]), #behind, #ahead)
  for i = back, 1, -1 do ids[#ids + 1] = behind[i] end
  for i = 1, forth do ids[#ids + 1] = ahead[i] end
  return ids, #behind > back and 1 or 0, #ahead > forth and 1 or 0
end

-- What a page that is put together now is of.
local function made_of(b)
  return b.inc .. string.format(':%d:%d:', b.rev, b.stamp)
end

-- Whether the first page of roots is asked for, from either end.
local function is_first(args)
  local from = args[4] == 'o' and 0 or INF
  return args[2] == '' and args[4] ~= 'i' and args[5] == 'f' and tonumber(args[7]) == from
end

-- A first page in print: {"miss"}, {"absent"}, or {"hit", row, what it is of, print}.
-- name, end, how it is asked for and printed
local function printed(keys, args)
  local P = prefix(keys)
  local one = find(P, args[1])
  if one[1] ~= 'hit' then return one end
  if one[3] ~= '' then return { 'absent' } end
  local b = one[4]
  local of = made_of(b)
  local kept, name = ask('GET', P .. 'f:' .. b.sid .. ':' .. args[2]), of .. args[3] .. '\n'
  if not kept or string.sub(kept, 1, #name) ~= name then return { 'miss' } end
  return { 'hit', one[2], of, string.sub(kept, #name + 1) }
end

-- What a page is of, where a print of it is to be kept: of a first page, asked for with the name of its print, that lies there not yet.
local function to_print(P, b, args)
  if not args[10] or not is_first(args) then return '' end
  local of = made_of(b)
  local name = of .. args[10] .. '\n'
  return ask('GETRANGE', P .. 'f:' .. b.sid .. ':' .. args[4], 0, #name - 1) == name and '' or of
end

-- A page: {"miss"}, {"absent"}, or {"hit", row, what it is of, root, before, after, items, pinned, previews}. What it is of is empty
-- where no print of it is to be kept.
-- name, root or "", size of previews, what is picked; of a window, how it is asked for and printed, if a print may be kept
local function page(keys, args)
  local P = prefix(keys)
  local one = find(P, args[1])
  if one[1] ~= 'hit' then return one end
  if one[3] ~= '' then return { 'absent' } end
  local b, root = one[4], ''
  local of = to_print(P, b, args)
  if args[2] ~= '' then
    root = copy(P, b, args[2])
    if not root then return { 'miss' } end
  end
  local owner = args[2] ~= '' and 'r' .. args[2] or 's' .. b.sid
  local ids, before, after = picked(P, b, owner, args)
  if not ids then return { 'miss' } end
  local items = copies(P, b, ids)
  if not items then return { 'miss' } end
  local pins = {}
  if args[2] == '' then
    for id in string.gmatch(b.pins or '', '................') do pins[#pins + 1] = id end
  end
  local pinned = copies(P, b, pins)
  if not pinned then return { 'miss' } end
  local previews = {}
  if args[2] == '' then
    local roots, values = {}, {}
    for i, id in ipairs(ids) do roots[i], values[i] = id, items[i] end
    for i, id in ipairs(pins) do roots[#roots + 1], values[#values + 1] = id, pinned[i] end
    previews = previews_of(P, b, roots, values, tonumber(args[3]))
    if not previews then return { 'miss' } end
  end
  return { 'hit', one[2], of, root, before, after, items, pinned, previews }
end

-- Keeps a first page in print, if it is still of what is kept.
-- subject, end, ttl, what it is of, how it is asked for and printed, print
local function keep(keys, args)
  local P = prefix(keys)
  local b = block(P, args[1])
  if not answers(b) then return 0 end
  if made_of(b) ~= args[4] then return 0 end
  ask('SET', P .. 'f:' .. args[1] .. ':' .. args[2], args[4] .. args[5] .. '\n' .. args[6], 'PX', args[3])
  return 1
end

-- Members' likes --------------------------------------------------------------------------------------------------

local function doubted(key, t)
  for _, field in ipairs(ask('HKEYS', key)) do
    if string.sub(field, 1, 1) == '!' then
      if tonumber(ask('HGET', key, field)) >= t then return true end
      ask('HDEL', key, field)
    end
  end
  return false
end

-- token, names…
local function doubt(keys, args)
  local P, t = prefix(keys), now()
  for i = 2, #args do
    local key = P .. 'm:' .. args[i]
    local kept = {}
    if ask('HEXISTS', key, 'ok') == 0 then
      for _, field in ipairs(ask('HKEYS', key)) do
        if string.sub(field, 1, 1) == '!' then kept[#kept + 1] = field; kept[#kept + 1] = ask('HGET', key, field) end
      end
    end
    ask('DEL', key)
    kept[#kept + 1] = '!' .. args[1]
    kept[#kept + 1] = t + DOUBT
    ask('HSET', key, unpack(kept))
    ask('PEXPIRE', key, DOUBT)
  end
  return 1
end

-- Forgets what a member likes, and who fills it, but not the doubts.
local function forget_states(key)
  for _, field in ipairs(ask('HKEYS', key)) do
    if string.sub(field, 1, 1) ~= '!' then ask('HDEL', key, field) end
  end
end

-- token, names…; where this doubt is gone, somebody may have filled what was read before the commit.
local function settle(keys, args)
  local P = prefix(keys)
  for i = 2, #args do
    local key = P .. 'm:' .. args[i]
    if ask('HDEL', key, '!' .. args[1]) == 0 then forget_states(key) end
  end
  return 1
end

-- name, token, lease
local function open_states(keys, args)
  local P = prefix(keys)
  local key, g, t = P .. 'm:' .. args[1], generation(P), now()
  if not g or doubted(key, t) then return 0 end
  ask('DEL', key)
  ask('HSET', key, '?', args[2], 'g', g)
  ask('PEXPIRE', key, args[3])
  return 1
end

-- name, token, ttl, (id, value)…
local function fill_states(keys, args)
  local P = prefix(keys)
  local key = P .. 'm:' .. args[1]
  local was = ask('HMGET', key, '?', 'g')
  if was[1] ~= args[2] or was[2] ~= generation(P) then return 0 end
  ask('HDEL', key, '?')
  ask('HSET', key, 'ok', 1)
  for i = 4, #args, 2 do ask('HSET', key, args[i], args[i + 1]) end
  ask('PEXPIRE', key, args[3])
  return 1
end

-- name, ids…
local function exist(keys, args)
  local key = prefix(keys) .. 'm:' .. args[1]
  if ask('HEXISTS', key, 'ok') == 0 or ask('HLEN', key) > 2000 then return 0 end
  for i = 2, #args do ask('HSETNX', key, args[i], 0) end
  return 1
end

local LETTERS = { ['0'] = '0', ['1'] = '1', ['-1'] = '-' }

-- A letter for each id: what the member says, or a blank where it is not known whether there is such a comment here. One word of
-- many letters costs much less on its way than many words.
-- the subject's name, the member's, the ids in one word
local function states(keys, args)
  local P = prefix(keys)
  local one = find(P, args[1])
  if one[1] ~= 'hit' then return one end
  if one[3] ~= '' then return { 'absent' } end
  local b, count, ids = one[4], #args[3] / ID, {}
  for i = 1, count do ids[i] = string.sub(args[3], ID * (i - 1) + 1, ID * i) end
  ids[count + 1], ids[count + 2] = 'ok', 'g'
  local values = ask('HMGET', P .. 'm:' .. args[2], unpack(ids))
  if not values[count + 1] or values[count + 2] ~= generation(P) then return { 'miss' } end
  local said, unsaid, places = {}, {}, {}
  for i = 1, count do
    if values[i] then said[i] = LETTERS[values[i]] or '?' else unsaid[#unsaid + 1], places[#places + 1] = ids[i], i end
  end
  for i, copied in ipairs(many(P .. 'c:', unsaid)) do said[places[i]] = belongs(b, copied) and '0' or ' ' end
  return { 'hit', table.concat(said) }
end

-- The relay -------------------------------------------------------------------------------------------------------

-- from, to, count of revisions, (subject, revision)…, count of likes, (subject, comment, likes)…, members' names…
local function advance(keys, args)
  local P = prefix(keys)
  if ask('HGET', keys[1], 'n') ~= args[1] then return 0 end
  local t, at = now(), 4
  for _ = 1, tonumber(args[3]) do
    local b, revision = whole(P, args[at]), tonumber(args[at + 1])
    if b and (not b.rev or b.rev < revision) and b.W < revision then ask('HSET', b.key, 'W', revision) end
    at = at + 2
  end
  -- Behind the revisions: a like of a comment that has not come yet waits for it.
  for _ = 1, tonumber(args[at]) do
    like_one(P, args[at + 1], args[at + 2], args[at + 3], t)
    at = at + 3
  end
  for i = at + 1, #args do forget_states(P .. 'm:' .. args[i]) end
  ask('HSET', keys[1], 'n', args[2])
  return 1
end

-- Nothing where the relay has not come, or somebody has put something else there.
local function cursor(keys)
  if ask('TYPE', keys[1]).ok ~= 'hash' then return nil end
  return ask('HGET', keys[1], 'n')
end

local function renew(keys, args)
  ask('DEL', keys[1])
  ask('HSET', keys[1], 'n', args[1], 'g', args[2])
  return 1
end

-- While a library is loaded there are no loops over tables: one line each.
local function writes(word, callback) redis.register_function('riposte7_' .. word, callback) end
local function reads(word, callback)
  redis.register_function{ function_name = 'riposte7_' .. word, callback = callback, flags = { 'no-writes' } }
end
writes('apply', apply)
writes('like', like)
writes('open', open)
writes('close', close)
writes('fill', fill)
writes('name', name)
writes('keep', keep)
writes('absent', absent)
writes('forget', forget)
writes('doubt', doubt)
writes('settle', settle)
writes('open_states', open_states)
writes('fill_states', fill_states)
writes('exist', exist)
writes('advance', advance)
writes('renew', renew)
reads('subjects', subjects)
reads('comments', comments)
reads('page', page)
reads('printed', printed)
reads('states', states)
reads('cursor', cursor)
