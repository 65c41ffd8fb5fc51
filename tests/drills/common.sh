# Shared by the drills: private databases, a Redis and two servers on loopback. All of them end
# with the drill. Required: mariadbd, mariadb, mariadb-install-db, mariadb-dump, mariadb-binlog,
# redis-server; and the two programs below, built by `cargo build --release --workspace --exclude
# xtask --bins`. RIPOSTE_TEST_BIN names another server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

riposte=$(realpath "${RIPOSTE_TEST_BIN:-${CARGO_TARGET_DIR:-target}/release/riposte}")
load=$(realpath "${CARGO_TARGET_DIR:-target}/release/drill-load")
work=$(mktemp -d /tmp/ripdrill.XXXXXX)
# Ten consecutive ports, the first of which is random.
port=$((20000 + RANDOM % 900 * 10))
declare -A pids
stop_all() {
  for name in "${!pids[@]}"; do kill -KILL "${pids[$name]}" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap stop_all EXIT

say() { printf '%6.2f s  %s\n' "$(elapsed "$begun")" "$*"; }
now() { date +%s.%N; }
elapsed() { echo "$(now) $1" | awk '{print $1 - $2}'; }
begun=$(now)

# wait_until CONDITION COMMAND...: repeats the command until it succeeds, for at most a minute.
wait_until() {
  local condition=$1; shift
  for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done
  echo "not within a minute: $condition" >&2; exit 1
}

# database NAME PORT ID OPTION...: a MariaDB on fresh data, with a binlog in which every transaction
# has a name (GTID).
database() {
  local name=$1 at=$2 id=$3; shift 3
  mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db --user="$(id -un)" \
    --datadir="$work/$name" >"$work/$name.install" 2>&1
  mariadbd --no-defaults --user="$(id -un)" --datadir="$work/$name" --socket="$work/$name.sock" --bind-address=127.0.0.1 \
    --port="$at" --server-id="$id" --skip-name-resolve --performance-schema=OFF --innodb-buffer-pool-size=64M \
    --innodb-flush-log-at-trx-commit=1 --log-bin=bin --sync-binlog=1 --log-slave-updates --gtid-strict-mode=ON \
    --max-prepared-stmt-count=1000000 "$@" >"$work/$name.log" 2>&1 &
  pids[$name]=$!
  wait_until "$name responds" sql "$name" 'SELECT 1'
}
# sql NAME STATEMENT [OPTION]: the result of a statement, without headers.
sql() { mariadb --no-defaults --socket="$work/$1.sock" --user=root --batch "${3:---skip-column-names}" --execute "$2"; }

# redis: starts an empty Redis.
redis() {
  redis-server --port $((port + 5)) --bind 127.0.0.1 --save '' --dir "$work" >"$work/redis.log" 2>&1 &
  pids[redis]=$!
}

# settings DATABASE_PORT [TIMELINE]: writes the configuration of both servers.
settings() {
  cat >"$work/riposte.toml" <<TOML
open_object_types = true
[object_type_defaults]
auto_create = true
[store]
subject_tables = 4
index_tables = 8
sources = [{ url = "mysql://root@127.0.0.1:$1/riposte" }]
timeline = ${2:-0}
[cache]
kind = "redis"
url = "redis://127.0.0.1:$((port + 5))"
[auth]
allow_insecure = true
[server]
metrics_listen = "127.0.0.1:0"
drain_delay = "0s"
drain_timeout = "2s"
[log]
filter = "warn"
TOML
}
riposte() { "$riposte" --config "$work/riposte.toml" "$@"; }

# servers: starts both servers.
addresses=127.0.0.1:$((port + 6)),127.0.0.1:$((port + 7))
admin=http://127.0.0.1:$((port + 8))
servers() {
  local n
  for n in 1 2; do
    # Without the end of the pipe whose closing stops the writes.
    (
      [ -z "${writing:-}" ] || exec {writing}>&-
      exec "$riposte" --config "$work/riposte.toml" --set server.listen=127.0.0.1:$((port + 5 + n)) \
        --set server.admin_listen=127.0.0.1:$((port + 7 + n)) serve >>"$work/server-$n.log" 2>&1
    ) &
    pids[server-$n]=$!
  done
  for n in 1 2; do
    wait_until "server $n serves" "$riposte" healthcheck --target 127.0.0.1:$((port + 5 + n))
  done
}
stop_servers() {
  kill "${pids[server-1]}" "${pids[server-2]}"
  wait "${pids[server-1]}" "${pids[server-2]}" || true
}

# write FILE: starts continuous writes, and records acknowledged comments in the file.
write() {
  mkfifo "$1.stop"
  "$load" write "$addresses" "$1" <"$1.stop" &
  pids[load]=$!
  exec {writing}>"$1.stop"
}
# stop_writing: ends the writes; the load program reports its figures.
stop_writing() { exec {writing}>&-; wait "${pids[load]}"; }
