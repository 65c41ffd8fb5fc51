
-- Preview candidates: the replies from which the preview of a root is selected. They are all
-- replies from floor 1 to a highest floor, and some beyond it. No other reply precedes their bound,
-- a rank position (likes, floor).

-- The maximum number of candidates that contain all replies of a root.
local MAX_COMPLETE = 16

local function decode_candidates(entry, root, value)
  if not value or #value % 20 ~= 0 or string.sub(value, 1, 8) ~= entry.inc then return nil end
  local candidates = { owner = 'r' .. root, root = root, low = 1, members = {} }
  candidates.likes, candidates.floor, candidates.high = struct.unpack('>I4I4I4', value, 9)
  for at = 21, #value, 20 do
    candidates.members[(struct.unpack('>I4', value, at))] = string.sub(value, at + 4, at + 19)
  end
  return candidates
end

local function load_candidates(P, entry, root)
  return decode_candidates(entry, root, run('GET', P .. 'p:' .. root))
end

local function store_candidates(P, entry, candidates, ttl)
  local parts = { entry.inc, '' }
  local count, last = 0, 0
  for floor, id in pairs(candidates.members) do
    parts[#parts + 1] = struct.pack('>I4', floor) .. id
    count, last = count + 1, math.max(last, floor)
  end
  -- Candidates with all replies become a closed range here; later replies are outside it.
  if candidates.high == MAX_FLOOR and count > MAX_COMPLETE then candidates.high = last end
  parts[2] = struct.pack('>I4I4I4', candidates.likes, candidates.floor, candidates.high)
  run('SET', P .. 'p:' .. candidates.root, table.concat(parts), 'PX', ttl)
end

-- Adds and removes replies of a root as a commit did.
local function apply_to_candidates(P, entry, root, added, removed, ttl)
  local candidates = load_candidates(P, entry, root)
  if not candidates then
    -- The first replies of a root are all its replies.
    local value = load_comment(P, entry, root)
    if not value or string.byte(value, 4) % 2 == 1 then return end
    candidates = { root = root, likes = 0, floor = 0, high = MAX_FLOOR, members = {} }
  end
  local changed = false
  for _, floor in ipairs(removed) do
    changed = changed or candidates.members[tonumber(floor)] ~= nil
    candidates.members[tonumber(floor)] = nil
  end
  for i = 1, #added, 2 do
    local floor = tonumber(added[i])
    if floor <= candidates.high then candidates.members[floor], changed = added[i + 1], true end
  end
  if changed then store_candidates(P, entry, candidates, ttl) end
end

-- Returns whether these likes invalidate the candidates: their reply is not a candidate, and might
-- precede the bound.
local function invalidates(candidates, id, likes)
  if #likes < 36 or candidates.root ~= string.sub(likes, 17, 32) then return false end
  local count, floor = struct.unpack('>I4', likes, 9), struct.unpack('>I4', likes, 33)
  if count == 0 or floor <= candidates.high or candidates.members[floor] == id then return false end
  return count > candidates.likes or count == candidates.likes and floor < candidates.floor
end

-- Orders replies by likes, descending, then by floor.
local function precedes(x, y)
  return x[1] > y[1] or x[1] == y[1] and x[2] < y[2]
end

-- Selects a preview from the floors and cached comments of candidates. Returns 1 if more replies
-- exist, otherwise 0, and then the replies of the preview. Returns nil if another reply might
-- belong to the preview, or if a comment is not cached.
local function select_preview(entry, candidates, floors, values, size)
  if #floors <= size and candidates.high < MAX_FLOOR then return nil end
  local replies = {}
  for i, floor in ipairs(floors) do
    local value = values[i]
    if not belongs_to(entry, value) then return nil end
    -- A tombstone has no likes.
    replies[i] = { is_visible(value) and struct.unpack('>I4', value, 29) or 0, floor, value }
  end
  table.sort(replies, precedes)
  local last = replies[math.min(size, #replies)]
  if last and candidates.high < MAX_FLOOR then
    local floor = math.max(candidates.floor, candidates.high)
    if last[1] < candidates.likes or last[1] == candidates.likes and last[2] > floor then return nil end
  end
  local preview = { #replies > size and 1 or 0 }
  for i = 1, math.min(size, #replies) do preview[i + 1] = replies[i][3] end
  return preview
end

-- Returns the previews of cached roots, as pairs of a root and its preview. A root without replies
-- has none. Returns nil if the preview of a root is unknown.
local function previews(P, entry, ids, values, size)
  local roots, found = {}, {}
  for i, id in ipairs(ids) do
    -- If the digit is odd, the root has listed replies: they are visible or above a visible one.
    if string.byte(values[i], 4) % 2 == 1 then roots[#roots + 1] = id end
  end
  if size == 0 then
    for i, root in ipairs(roots) do found[i] = { root, { 1 } } end
    return found
  end
  local stored, all, members = load_many(P .. 'p:', roots), {}, {}
  for i, root in ipairs(roots) do
    local candidates = decode_candidates(entry, root, stored[i])
    if not candidates then return nil end
    all[i], candidates.floors = candidates, {}
    for floor, id in pairs(candidates.members) do
      candidates.floors[#candidates.floors + 1], members[#members + 1] = floor, id
    end
  end
  local replies, from = load_many(P .. 'c:', members), 0
  for i, candidates in ipairs(all) do
    local cached = {}
    for n = 1, #candidates.floors do cached[n] = replies[from + n] end
    from = from + #candidates.floors
    local preview = select_preview(entry, candidates, candidates.floors, cached, size)
    if not preview then return nil end
    found[i] = { candidates.root, preview }
  end
  return found
end
