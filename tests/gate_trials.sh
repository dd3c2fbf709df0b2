#!/usr/bin/env bash
# Tries the regression gate on itself: identical builds must pass, builds with a planted mistake must not.
#
# usage: tests/gate_trials.sh [TRIALS] [counts] [time] [wrong]     all of them, 20 trials, by default
#
# Needs a build in build/. Takes about a minute a trial: too long for every merge, right after a change to the gate.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

trials=20
if [[ ${1:-} =~ ^[1-9][0-9]*$ ]]; then
  trials=$1
  shift
fi
readonly trials PARTS=" ${*:-counts time wrong} " MODULES=build/gate
readonly LOGS=build/gate/trials
failed=0
mkdir -p "$LOGS"

# told NAME HITS OF NEEDED
told() {
  printf '%s: %d of %d\n' "$1" "$2" "$3"
  if (($2 < $4)); then
    printf 'FAILED: at least %d were needed; see %s\n' "$4" "$LOGS"
    failed=1
  fi
}

# ended_with CODE NAME COMMAND...: how many of the trials end with this code.
ended_with() {
  local code=$1 name=$2 trial got hits=0
  shift 2
  for ((trial = 1; trial <= trials; ++trial)); do
    got=0
    "$@" >"$LOGS/$name-$trial" 2>&1 || got=$?
    if ((got == code)); then hits=$((hits + 1)); fi
    printf '%s %d: exit code %d\n' "$name" "$trial" "$got" >&2
  done
  printf '%d' "$hits"
}

gate() { build/bloomery gate --only time --head "$MODULES/$1.so" --against "$MODULES/$2.so" --folder "$LOGS/builds"; }

time_trials() {
  cmake --build build --target gate_head gate_slow gate_all_slow >"$LOGS/build"
  gate gate_all_slow gate_head >"$LOGS/all" || true
  printf 'kernels found when all are 10 %% slower: %d of %d\n' "$(grep -c SLOWER "$LOGS/all")" \
    "$(grep -c '\] ' "$LOGS/all")"
  told 'identical builds pass' "$(ended_with 0 identical gate gate_head gate_head)" "$trials" "$trials"
  told 'one kernel 10 % slower fails' "$(ended_with 1 slow gate gate_slow gate_head)" "$trials" $((trials * 19 / 20))
}

wrong_trial() {
  cmake --build build --target gate_head gate_wrong >"$LOGS/build"
  local trials=1
  told 'a wrong answer fails as invalid' "$(ended_with 1 wrong gate gate_wrong gate_head)" 1 1
  grep -q 'INVALID: 1 keys' "$LOGS/wrong-1" || failed=1
}

# In a copy of the sources, since it is the structures that have to count one visit too many.
counts_trial() {
  local copy
  copy=$(mktemp -d)
  git ls-files -z | xargs -0 cp --parents -t "$copy"
  sed -i 's/if constexpr (Inserts<T>) return it_.insert(id, keys);/if constexpr (Inserts<T>) { Cost cost = it_.insert(id, keys); ++cost.nodes; return cost; }/' \
    "$copy/structures/any_structure.h"
  ! cmp -s structures/any_structure.h "$copy/structures/any_structure.h" || { echo 'nothing was planted' && exit 1; }
  cmake -S "$copy" -B "$copy/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython3_EXECUTABLE=/usr/bin/python3 >"$LOGS/build"
  cmake --build "$copy/build" --target bloomery >>"$LOGS/build"
  local trials=1
  told 'one node visit more fails the counts' "$(ended_with 1 counts "$copy/build/bloomery" gate --only counts)" 1 1
  grep -q 'nodes_cost' "$LOGS/counts-1" || failed=1
  rm -rf "$copy"
}

for part in counts wrong time; do
  if [[ $PARTS == *" $part "* ]]; then
    case $part in
      counts) counts_trial ;;
      wrong) wrong_trial ;;
      time) time_trials ;;
    esac
  fi
done
exit "$failed"
