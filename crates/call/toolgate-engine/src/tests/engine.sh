#!/bin/sh
# A stand-in for the engine in tests. It runs in its folder, where `behaviour.sh` says what it answers; `pids` and `asked` tell what happened.

result() { printf '{"result":{"id":%s,"result":%s}}\n' "$id" "$1"; }
fault() { printf '{"error":{"id":%s,"error":%s}}\n' "$id" "$1"; }
member() { rest=${line#*\""$1"\":\"}; printf '%s' "${rest%%\"*}"; }

protocol=1
hello() {
  result "{\"protocol\":$protocol,\"version\":\"9.9\",\"parser\":\"docir-1\",\"format\":1,\"model\":null,\"reads_pictures\":false,\"postgres\":null}"
}
answer() { :; }

echo $$ >>pids
. ./behaviour.sh
while read -r line; do
  id=${line#*\"id\":}
  id=${id%%[!0-9]*}
  method=$(member method)
  echo "$method" >>asked
  case $method in
    hello) hello ;;
    *) answer ;;
  esac
done
