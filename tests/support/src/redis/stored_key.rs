//! All data of a server, read without the code under test.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use super::connection::{Connection, Reply};
use super::server::Server;

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// The name of the key.
    pub name: String,
    /// The name that Redis gives to its type.
    pub kind: String,
    /// The value of a string; the fields and values of a hash; the members and scores of a sorted
    /// set, the lowest first; empty for other types. Encoded in hexadecimal digits, because values
    /// need not be text.
    pub values: Vec<String>,
}

/// Encodes values on the server, because they need not be text.
const ENCODE_VALUES: &str = "
local kind = redis.call('TYPE', KEYS[1]).ok
local values = {}
if kind == 'string' then values = { redis.call('GET', KEYS[1]) }
elseif kind == 'hash' then values = redis.call('HGETALL', KEYS[1])
elseif kind == 'zset' then values = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES') end
local fields = { kind }
for i, value in ipairs(values) do
  fields[i + 1] = string.gsub(value, '.', function(c) return string.format('%02x', string.byte(c)) end)
end
return fields";

/// Searches all keys and all values on the server. A key of a type that it cannot read is an error.
const SEARCH: &str = "
local read = {
  string = function(key) return { redis.call('GET', key) } end,
  hash = function(key) return redis.call('HGETALL', key) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1) end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  set = function(key) return redis.call('SMEMBERS', key) end,
}
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local values = read[redis.call('TYPE', key).ok](key)
  values[#values + 1] = key
  for _, value in ipairs(values) do
    if string.find(value, ARGV[1], 1, true) then
      found[#found + 1] = key
      break
    end
  end
end
return found";

/// Returns the names of the keys that contain a text in their names or values.
pub(crate) fn with_text(server: &Server, text: &str) -> Result<Vec<String>> {
    let Reply::List(found) = server.ask(&["EVAL", SEARCH, "0", text])? else { bail!("no list of keys") };
    found.into_iter().map(Reply::text).collect()
}

/// Returns all data of a server. A key that is removed meanwhile is left out.
pub(crate) fn of(server: &Server) -> Result<Vec<StoredKey>> {
    let mut connection = Connection::open(server.port())?;
    let mut all = Vec::new();
    for name in names(&mut connection)? {
        let reply = connection.ask(&["EVAL", ENCODE_VALUES, "1", &name])?;
        let Reply::List(fields) = reply else { bail!("no list of {name}") };
        let mut fields = fields.into_iter().map(Reply::text);
        let kind = fields.next().context("no type")??;
        if kind != "none" {
            all.push(StoredKey { name, kind, values: fields.collect::<Result<_>>()? });
        }
    }
    Ok(all)
}

/// Returns the names of all keys. SCAN may return a name twice.
fn names(connection: &mut Connection) -> Result<BTreeSet<String>> {
    let (mut names, mut cursor) = (BTreeSet::new(), "0".to_owned());
    loop {
        let Reply::List(parts) = connection.ask(&["SCAN", &cursor, "COUNT", "1000"])? else { bail!("no list") };
        let Ok([next, Reply::List(some)]) = <[Reply; 2]>::try_from(parts) else { bail!("SCAN says something else") };
        for name in some {
            names.insert(name.text()?);
        }
        cursor = next.text()?;
        if cursor == "0" {
            return Ok(names);
        }
    }
}
