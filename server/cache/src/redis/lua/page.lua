
-- Reads of subjects, comments and pages, and rendered first pages.

-- Returns for each name the row: "" if the subject does not exist, nothing if it is not cached.
local function subjects(keys, args)
  local P, rows = key_prefix(keys), {}
  for i, name in ipairs(args) do
    local found = find(P, name)
    rows[i] = found[1] == 'hit' and found[2] or found[1] == 'absent' and '' or false
  end
  return rows
end

-- Returns for each id nothing, or the index of its subject's row and the comment; then the rows.
local function comments(keys, args)
  local P, found, rows, readable = key_prefix(keys), {}, {}, {}
  local values = load_many(P .. 'c:', args)
  for i = 1, #args do
    found[i] = false
    local value = values[i]
    if value and #value >= HEAD_SIZE then
      local subject = string.sub(value, 41, 56)
      local entry_row = readable[subject]
      if entry_row == nil then
        local entry = load_entry(P, subject)
        entry_row = false
        if is_readable(entry) then
          rows[#rows + 1] = entry.row
          entry_row = { inc = entry.inc, index = #rows }
        end
        readable[subject] = entry_row
      end
      if entry_row and entry_row.inc == string.sub(value, 5, 12) then found[i] = { entry_row.index, value } end
    end
  end
  return { found, rows }
end

-- Returns how many members before and after the start are on the page.
local function split_page(start, limit, before, after)
  if start == 'f' then return 0, math.min(after, limit) end
  if start == 'b' then return math.min(before, limit), 0 end
  local forward = math.min(after, limit - math.min(before, math.floor(limit / 2)))
  return math.min(before, limit - forward), forward
end

-- Returns the ids of a page, and whether there are more before and after it; nil if the list is not
-- cached. The request is the order, start, limit, floor, low and high of a window; or "i" and the
-- ids.
local function select_ids(P, entry, owner, args)
  local ids = {}
  if args[4] == 'i' then
    for i = 5, #args do ids[i - 4] = args[i] end
    return ids, 0, 0
  end
  local lows, highs = slice(P, entry, owner, args[4], tonumber(args[7]), tonumber(args[8]), tonumber(args[9]))
  if not lows then return nil end
  local before, after = lows, highs
  if args[4] == 'n' then before, after = highs, lows end
  local backward, forward = split_page(args[5], tonumber(args[6]), #before, #after)
  for i = backward, 1, -1 do ids[#ids + 1] = before[i] end
  for i = 1, forward do ids[#ids + 1] = after[i] end
  return ids, #before > backward and 1 or 0, #after > forward and 1 or 0
end

-- Returns the version of the entry, to which a page rendered now belongs.
local function entry_version(entry)
  return entry.inc .. string.format(':%d:%d:', entry.rev, entry.content_version)
end

-- Returns whether the first page of roots is requested, from either end.
local function is_first_page(args)
  local from = args[4] == 'o' and 0 or MAX_FLOOR
  return args[2] == '' and args[4] ~= 'i' and args[5] == 'f' and tonumber(args[7]) == from
end

-- Returns a rendered first page: {"miss"}, {"absent"}, or {"hit", row, version, page}.
-- Arguments: name, end, request and form.
local function rendered_page(keys, args)
  local P = key_prefix(keys)
  local found = find(P, args[1])
  if found[1] ~= 'hit' then return found end
  if found[3] ~= '' then return { 'absent' } end
  local entry = found[4]
  local version = entry_version(entry)
  local stored, header = run('GET', P .. 'f:' .. entry.subject .. ':' .. args[2]), version .. args[3] .. '\n'
  if not stored or string.sub(stored, 1, #header) ~= header then return { 'miss' } end
  return { 'hit', found[2], version, string.sub(stored, #header + 1) }
end

-- Returns the version under which the page is to be stored as rendered; "" if it is not to be
-- stored: it is not a first page, or it is stored already.
local function version_to_render(P, entry, args)
  if not args[10] or not is_first_page(args) then return '' end
  local version = entry_version(entry)
  local header = version .. args[10] .. '\n'
  return run('GETRANGE', P .. 'f:' .. entry.subject .. ':' .. args[4], 0, #header - 1) == header and '' or version
end

-- Returns the cached pinned roots of a page of roots, with their ids; nil if one is missing.
local function load_pinned(P, entry, args)
  local ids = {}
  if args[2] == '' then
    for id in string.gmatch(entry.pins or '', '................') do ids[#ids + 1] = id end
  end
  return load_comments(P, entry, ids), ids
end

-- Returns the previews of the roots of a page and of its pinned roots.
local function load_previews(P, entry, args, ids, items, pins, pinned)
  if args[2] ~= '' then return {} end
  local roots, values = {}, {}
  for i, id in ipairs(ids) do roots[i], values[i] = id, items[i] end
  for i, id in ipairs(pins) do roots[#roots + 1], values[#values + 1] = id, pinned[i] end
  return previews(P, entry, roots, values, tonumber(args[3]))
end

-- Returns a page: {"miss"}, {"absent"}, or {"hit", row, version, root, before, after, items,
-- pinned, previews}. The version is "" if the page is not to be stored as rendered.
-- Arguments: name, root or "", size of previews, selection; and, if the selection is a window whose
-- page may be stored as rendered, request and form.
local function page(keys, args)
  local P = key_prefix(keys)
  local found = find(P, args[1])
  if found[1] ~= 'hit' then return found end
  if found[3] ~= '' then return { 'absent' } end
  local entry, root = found[4], ''
  local version = version_to_render(P, entry, args)
  if args[2] ~= '' then
    root = load_comment(P, entry, args[2])
    if not root then return { 'miss' } end
  end
  local owner = args[2] ~= '' and 'r' .. args[2] or 's' .. entry.subject
  local ids, before, after = select_ids(P, entry, owner, args)
  if not ids then return { 'miss' } end
  local items = load_comments(P, entry, ids)
  if not items then return { 'miss' } end
  local pinned, pins = load_pinned(P, entry, args)
  if not pinned then return { 'miss' } end
  local replies = load_previews(P, entry, args, ids, items, pins, pinned)
  if not replies then return { 'miss' } end
  return { 'hit', found[2], version, root, before, after, items, pinned, replies }
end

-- Stores a rendered first page, if it still belongs to the entry's version.
-- Arguments: subject, end, ttl, version, request and form, page.
local function store_rendered_page(keys, args)
  local P = key_prefix(keys)
  local entry = load_entry(P, args[1])
  if not is_readable(entry) then return 0 end
  if entry_version(entry) ~= args[4] then return 0 end
  run('SET', P .. 'f:' .. args[1] .. ':' .. args[2], args[4] .. args[5] .. '\n' .. args[6], 'PX', args[3])
  return 1
end

register_read('subjects', subjects)
register_read('comments', comments)
register_read('printed', rendered_page)
register_read('page', page)
register_write('keep', store_rendered_page)
