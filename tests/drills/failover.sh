#!/usr/bin/env bash
# The failover of docs/restore.md on two MariaDB servers under load: the primary is killed, the
# replica takes its place.
#
#   tests/drills/failover.sh semi-sync    a commit waits for the replica: no acknowledged comment
#                                         may be missing
#   tests/drills/failover.sh async        a commit does not wait and the replica lags: lost comments
#                                         are reported
mode=${1:-semi-sync}
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
primary=$((port + 1)) replica=$((port + 2)) forwarder=$((port + 3))

options=()
if [ "$mode" = semi-sync ]; then
  # The timeout is practically infinite: a primary without its replica acknowledges nothing.
  options=(--rpl-semi-sync-master-enabled=ON --rpl-semi-sync-master-wait-point=AFTER_SYNC
    --rpl-semi-sync-master-timeout=4294967295)
fi
database primary $primary 1
database replica $replica 2 --read-only --rpl-semi-sync-slave-enabled=ON
sql primary "CREATE DATABASE riposte; CREATE USER repl@'127.0.0.1' IDENTIFIED BY 'drill';
  GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'"
sql replica "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=$primary, MASTER_USER='repl',
  MASTER_PASSWORD='drill', MASTER_USE_GTID=slave_pos; START SLAVE"
for option in "${options[@]}"; do
  variable=${option#--}; variable=${variable//-/_}
  value=${variable#*=}
  [[ $value =~ ^[0-9]+$ ]] || value="'$value'"
  sql primary "SET GLOBAL ${variable%%=*} = $value"
done
redis
echo "127.0.0.1:$primary" >"$work/database"
"$load" forward 127.0.0.1:$forwarder "$work/database" &
pids[forwarder]=$!
settings $forwarder
riposte migrate up >/dev/null
servers
say "two servers, a primary and its replica, $mode"

write "$work/acknowledged"
sleep 5
[ "$mode" = semi-sync ] || { sql replica 'STOP SLAVE IO_THREAD'; sleep 0.5; }
killed=$(now)
kill -KILL "${pids[primary]}"
wait "${pids[primary]}" 2>/dev/null || true
say "the primary is killed"

# 1. Make sure that the old primary is stopped and stays so. Here it was killed.
# 2. If commits may be lost, stop all servers first: the cache contains data that the replica lacks.
[ "$mode" = semi-sync ] || stop_servers
# 3. Let the replica apply all that it has received, and make it the primary.
received=$(sql replica 'SHOW SLAVE STATUS' --vertical | awk '/Gtid_IO_Pos/ {print $2}')
sql replica "SELECT MASTER_GTID_WAIT('$received', 60)" >/dev/null
sql replica 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = OFF'
# 4. Point the address to the new primary.
echo "127.0.0.1:$replica" >"$work/database.new" && mv "$work/database.new" "$work/database"
say "the replica is the primary, $(printf %.2f "$(elapsed "$killed")") s after the kill"
# 5. If commits may be lost, start the servers on a new timeline of the cache.
[ "$mode" = semi-sync ] || { settings $forwarder 1; servers; }

lines=$(wc -l <"$work/acknowledged")
wait_until 'writes are acknowledged again' eval "[ \$(wc -l <$work/acknowledged) -gt $lines ]"
say "writes are acknowledged again, $(printf %.2f "$(elapsed "$killed")") s after the kill"
sleep 5
stop_writing
"$load" check "$addresses" "$work/acknowledged" | tee "$work/report"
riposte verify --target "$admin"
say 'done'
[ "$mode" != semi-sync ] || grep -q ' 0 are missing, 0 have' "$work/report"
