#!/usr/bin/env bash
# The restore of docs/restore.md under load: a dump and the binlogs after it, up to a moment before
# a mistake. shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
first=$((port + 1)) second=$((port + 2))

database first $first 1
sql first 'CREATE DATABASE riposte'
redis
settings $first
riposte migrate up >/dev/null
servers
write "$work/before"
sleep 3
# The backup: one snapshot and its position in the binlog; no write waits for it.
taken=$(now)
mariadb-dump --no-defaults --socket="$work/first.sock" --user=root --single-transaction --master-data=2 \
  --databases riposte >"$work/dump.sql"
say "a dump of $(du -h "$work/dump.sql" | cut -f1) took $(printf %.2f "$(elapsed "$taken")") s under load"
sleep 3
stop_writing
# Binlogs store whole seconds.
sleep 1.1
moment=$(date '+%F %T')
sleep 1.1
write "$work/after"
sleep 3
stop_writing
say 'the last writes are the mistake'

# 1. Stop all servers: no write may follow, and cached data must not outlive the rows that it comes
#    from.
stopped=$(now)
stop_servers
# 2. Load the dump into an empty server, and then the binlogs up to the moment before the mistake.
#    Neither is written to a binlog, where old transaction ids would contradict new ones; so
#    replicas are rebuilt.
database second $second 2
into() { mariadb --no-defaults --socket="$work/$1.sock" --user=root --init-command='SET sql_log_bin = 0'; }
into second <"$work/dump.sql"
say "the dump is in, $(printf %.2f "$(elapsed "$stopped")") s after the stop"
read -r log position < <(sed -n "s/^-- CHANGE MASTER TO MASTER_LOG_FILE='\([^']*\)', MASTER_LOG_POS=\([0-9]*\);/\1 \2/p" \
  "$work/dump.sql")
logs=()
while read -r name _; do [[ $name < $log ]] || logs+=("$work/first/$name"); done < <(sql first 'SHOW BINARY LOGS')
mariadb-binlog --no-defaults --start-position="$position" --stop-datetime="$moment" "${logs[@]}" |
  into second
say "the binlogs are in, $(printf %.2f "$(elapsed "$stopped")") s after the stop"
# 3. Start on the restored database, on a new timeline of the cache.
settings $second 1
servers
say "serving, $(printf %.2f "$(elapsed "$stopped")") s after the stop"
# 4. Verify the counts, and rebuild the data derived from the rows.
riposte verify --target "$admin"
riposte rebuild history --target "$admin" --object-type article
riposte rebuild ranks --target "$admin" --object-type article

"$load" check "$addresses" "$work/before" | tee "$work/report"
grep -q ' 0 are missing, 0 have' "$work/report"
"$load" check "$addresses" "$work/after" | tee "$work/report"
grep -q ' 0 are unchanged' "$work/report"
say 'done: all comments of before exist, none of after'
