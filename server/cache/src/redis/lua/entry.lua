#!lua name=riposte8
-- The cache protocol (see port.rs). Each operation is one function and therefore atomic.
--
-- Every function takes one key, the cursor of a partition. All other keys of the partition begin
-- with the same prefix, so that they are in one hash slot:
--   cur                 hash   n (position of the relay), g (generation)
--   k:TYPE:OBJECT       string the subject's id; "-" = no such subject; "?TOKEN" = being loaded
--   h:SUBJECT           hash   the subject entry: inc g rev W row pins del stamp; until tn wn
--                              (expiry and number of leases, length of the log);
--                              t:TOKEN (expiry of a lease); l:KIND (the token that fills it)
--   f:SUBJECT:END       string a rendered first page of roots: the version of the entry that it
--                              belongs to ("INC:REVISION:VERSION:"), the request and the form of
--                              the encoding, a newline, the page
--   z:OWNER:END         zset   a list by floor, and at -inf its sentinel "#INC:LOW:HIGH"; OWNER is
--                              a subject ("s" before its id) or a root ("r"), END the end from
--                              which the list is cached
--   c:COMMENT           string a head of 64 bytes, the row, the content
--   p:ROOT              string preview candidates: the incarnation; likes and floor of the bound
--                              and the highest floor (4 bytes each); of each candidate its floor
--                              (4 bytes) and its id
--   w:SUBJECT           hash   the log: d:REVISION = a change, l:COMMENT = likes,
--                              x:COMMENT = the revision at which it ceased to be visible
--   m:TYPE:OBJECT:MEMBER hash  a member's likes: ok g ID=value; "?" = the token that fills them,
--                              "!TOKEN" = the expiry of an invalidation
-- Ids are 16 hexadecimal digits, because numbers in Lua have 53 bits. Revisions and floors are
-- numbers. Likes are the revision (8 bytes), likes and dislikes (4 each), and for a visible reply
-- its root and its floor (4).
--
-- Only a visible comment has a content: other processes, and people with access to Redis, read only
-- what every reader may see. A comment that ceases to be visible is concealed (see change.lua).
--
-- The files of this folder are joined in the order that client.rs lists; a file uses only what an
-- earlier one defines. A field or key name is a stored format and is never renamed.

local MAX_FLOOR = 2147483647
-- The digit 2. A head with a greater or equal state byte belongs to a visible comment.
local VISIBLE = 50
local HEAD_SIZE = 64
local ID_SIZE = 16
local KEYS_PER_COMMAND = 1000

-- The reply of a command to a missing key. Commands that are not listed reply with an array.
local EMPTY_REPLY = { GET = false, GETRANGE = '', HGET = false, HEXISTS = 0, HLEN = 0, ZCARD = 0 }

-- Registers functions. Redis forbids loops over tables while a library loads, so each function is
-- registered by a line of its own.
local function register_write(name, callback) redis.register_function('riposte8_' .. name, callback) end
local function register_read(name, callback)
  redis.register_function{ function_name = 'riposte8_' .. name, callback = callback, flags = { 'no-writes' } }
end

-- Runs a command on a cached value. A key of another type has no cached value: a writer deletes it,
-- and a reader gets the reply to a missing key.
local function run(command, key, ...)
  local reply = redis.pcall(command, key, ...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  if not string.find(reply.err, 'WRONGTYPE', 1, true) then error(reply) end
  local deleted = redis.pcall('DEL', key)
  if type(deleted) == 'number' then return redis.call(command, key, ...) end
  local empty = EMPTY_REPLY[command]
  if empty == nil then return {} end
  return empty
end

local function now_micros()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000000 + tonumber(t[2])
end

local function now_millis() return math.floor(now_micros() / 1000) end

local function key_prefix(keys)
  return string.sub(keys[1], 1, -4)
end

local function number(text)
  return text and tonumber(text) or nil
end

-- Returns the generation of the partition; nil before the relay has written its position.
local function generation(P)
  return run('HGET', P .. 'cur', 'g') or nil
end

-- Returns the entry of a subject, if it belongs to the current generation.
local function load_entry(P, subject)
  local key = P .. 'h:' .. subject
  local h = run('HMGET', key, 'inc', 'g', 'rev', 'W', 'until', 'tn', 'wn', 'row', 'del', 'pins', 'stamp')
  local g = generation(P)
  if not h[1] or not g or h[2] ~= g then return nil end
  return { subject = subject, key = key, log_key = P .. 'w:' .. subject, inc = h[1], rev = number(h[3]),
    committed = number(h[4]) or 0, expiry = number(h[5]) or 0, leases = number(h[6]) or 0, logged = number(h[7]) or 0,
    row = h[8], deleted = h[9], pins = h[10], content_version = number(h[11]) or 0 }
end

-- Gives the entry a new content version. Likes and fills change cached data without a new revision,
-- so pages rendered earlier become invalid. No version is used twice, not even by a replica that
-- has taken over and lacks the latest ones.
local function renew_content_version(entry)
  entry.content_version = math.max(now_micros(), entry.content_version + 1)
  run('HSET', entry.key, 'stamp', string.format('%d', entry.content_version))
end

-- Returns whether the entry has reached every revision that is known to be committed.
local function is_readable(entry)
  return entry and entry.rev and entry.rev >= entry.committed
end

-- Sets the highest revision known to be committed.
local function set_committed(entry, revision)
  entry.committed = revision
  run('HSET', entry.key, 'W', revision)
end

-- Returns whether a value is a cached comment that belongs to this entry.
local function belongs_to(entry, value)
  return value and #value >= HEAD_SIZE and string.sub(value, 5, 12) == entry.inc
end

-- Returns the cached comment, if it belongs to this entry.
local function load_comment(P, entry, id)
  local value = run('GET', P .. 'c:' .. id)
  return belongs_to(entry, value) and value or nil
end

-- Returns the values of keys with one prefix, by one command per thousand keys, since a call costs
-- more than the values that it returns. A value of another type counts as missing.
local function load_many(prefix, ids)
  if #ids == 0 then return {} end
  local values = {}
  for from = 1, #ids, KEYS_PER_COMMAND do
    local keys = {}
    for i = from, math.min(from + KEYS_PER_COMMAND - 1, #ids) do keys[#keys + 1] = prefix .. ids[i] end
    local part = redis.call('MGET', unpack(keys))
    if #ids <= KEYS_PER_COMMAND then return part end
    for i = 1, #keys do values[from + i - 1] = part[i] end
  end
  return values
end

-- Returns the cached comments; nil if one is missing.
local function load_comments(P, entry, ids)
  local values = load_many(P .. 'c:', ids)
  for i = 1, #ids do
    if not belongs_to(entry, values[i]) then return nil end
  end
  return values
end

local function is_visible(value) return string.byte(value, 4) >= VISIBLE end
local function row_revision(value) return (struct.unpack('>I8', value, 13)) end
local function like_revision(value) return (struct.unpack('>I8', value, 21)) end

-- Returns the subject with this name: {"miss"}, {"absent"}, or {"hit", row, deleted, entry}.
local function find(P, name)
  local subject = run('GET', P .. 'k:' .. name)
  if subject == '-' then return { 'absent' } end
  if not subject or #subject ~= ID_SIZE then return { 'miss' } end
  local entry = load_entry(P, subject)
  if not is_readable(entry) then return { 'miss' } end
  return { 'hit', entry.row, entry.deleted, entry }
end

-- Arguments: name, subject, ttl.
local function name(keys, args)
  run('SET', key_prefix(keys) .. 'k:' .. args[1], args[2], 'PX', args[3])
  return 1
end

-- Records that a subject does not exist, if nothing was written since the reader began to load it.
-- Arguments: name, token, ttl.
local function absent(keys, args)
  local key = key_prefix(keys) .. 'k:' .. args[1]
  if run('GET', key) == '?' .. args[2] then run('SET', key, '-', 'PX', args[3]) end
  return 1
end

-- Deletes the entry of a subject. Arguments: name.
local function invalidate_subject(keys, args)
  local P = key_prefix(keys)
  local subject = run('GET', P .. 'k:' .. args[1])
  if subject and #subject == ID_SIZE then run('DEL', P .. 'h:' .. subject, P .. 'w:' .. subject) end
  run('DEL', P .. 'k:' .. args[1])
  return 1
end

register_write('name', name)
register_write('absent', absent)
register_write('forget', invalidate_subject)
