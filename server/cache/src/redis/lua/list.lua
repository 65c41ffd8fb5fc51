
-- Lists: the roots of a subject and the replies of a root, by floor. A list is cached from one end,
-- "n" (newest) or "o" (oldest), without gaps between the floors LOW and HIGH of its sentinel.

local function list_key(P, owner, ending) return P .. 'z:' .. owner .. ':' .. ending end

-- Returns the bounds of a cached list; nil if the list does not belong to this entry.
local function load_bounds(entry, key)
  local s = run('ZRANGEBYSCORE', key, '-inf', '-inf')[1]
  if not s or string.sub(s, 2, 9) ~= entry.inc then return nil end
  local low, high = string.match(string.sub(s, 10), '^:(%d+):(%d+)$')
  if not low then return nil end
  return { low = tonumber(low), high = tonumber(high), sentinel = s }
end

local function store_bounds(entry, key, old, low, high)
  if old then run('ZREM', key, old) end
  run('ZADD', key, '-inf', '#' .. entry.inc .. string.format(':%d:%d', low, high))
end

-- Returns up to `low` members at and below a floor, descending, and up to `high` members above it,
-- ascending; nil if the cached range does not contain all of them.
local function slice_one(entry, key, floor, low, high)
  local s = load_bounds(entry, key)
  if not s then return nil end
  local lows, highs = {}, {}
  if low > 0 then
    if floor > s.high then return nil end
    lows = run('ZREVRANGEBYSCORE', key, floor, 1, 'LIMIT', 0, low)
    if #lows < low and s.low > 0 then return nil end
  end
  if high > 0 then
    if floor < s.low - 1 then return nil end
    highs = run('ZRANGEBYSCORE', key, '(' .. string.format('%d', floor), '+inf', 'LIMIT', 0, high)
    if #highs < high and s.high < MAX_FLOOR then return nil end
  end
  return lows, highs
end

-- Returns a slice of the list that is cached from this end, else from the other one.
local function slice(P, entry, owner, ending, floor, low, high)
  local lows, highs = slice_one(entry, list_key(P, owner, ending), floor, low, high)
  if lows then return lows, highs end
  return slice_one(entry, list_key(P, owner, ending == 'o' and 'n' or 'o'), floor, low, high)
end

-- Adds and removes members, and trims the list once it is a quarter longer than `window`.
local function apply_to_list(entry, key, ending, added, removed, window)
  local s = load_bounds(entry, key)
  if not s then return end
  for i = 1, #added, 2 do
    local floor = tonumber(added[i])
    if floor >= s.low and floor <= s.high then run('ZADD', key, floor, added[i + 1]) end
  end
  for _, floor in ipairs(removed) do run('ZREMRANGEBYSCORE', key, floor, floor) end
  local count = run('ZCARD', key) - 1
  if count <= window + math.floor(window / 4) then return end
  if ending == 'n' then
    run('ZREMRANGEBYRANK', key, 1, count - window)
    local first = run('ZRANGE', key, 1, 1, 'WITHSCORES')
    store_bounds(entry, key, s.sentinel, tonumber(first[2]), s.high)
  else
    run('ZREMRANGEBYRANK', key, window + 1, -1)
    local last = run('ZRANGE', key, -1, -1, 'WITHSCORES')
    store_bounds(entry, key, s.sentinel, s.low, tonumber(last[2]))
  end
end

-- Extends a cached list by an adjacent or overlapping range, or begins one at its end.
local function fill_list(entry, key, ending, low, high, members, window, ttl)
  local s = load_bounds(entry, key)
  if s then
    if high < s.low - 1 or low > s.high + 1 or run('ZCARD', key) > window then return end
    store_bounds(entry, key, s.sentinel, math.min(low, s.low), math.max(high, s.high))
  else
    if (ending == 'o' and low > 0) or (ending == 'n' and high < MAX_FLOOR) then return end
    run('DEL', key)
    store_bounds(entry, key, nil, low, high)
    run('PEXPIRE', key, ttl)
  end
  for floor, id in pairs(members) do run('ZADD', key, floor, id) end
end
