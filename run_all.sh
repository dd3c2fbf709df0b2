#!/usr/bin/env bash
# Sets up, builds, runs every experiment, draws its figures and writes the report. `./run_all.sh test` runs the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly PACKAGES=(g++ cmake ninja-build pkg-config git libtbb-dev libbenchmark-dev libeigen3-dev libyaml-cpp-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev zlib1g-dev libzstd-dev libpagmo-dev libpcap-dev libgtest-dev
  pybind11-dev python3-dev python3-matplotlib python3-numpy python3-pandas libopenmpi-dev openmpi-bin
  valgrind)

readonly TEST_PACKAGES=(chromium)  # the report is tested in a browser

usage() {
  cat <<'EOF'
usage: ./run_all.sh [test] [options]

  test                  build, then run every test instead of the experiments
  --profile NAME        quick, default or paper (the papers' own sizes)
  --only ID             one experiment or one figure, e.g. bloofi_vary_N or 5a
  --force               measure again what is already measured
  --dry-run             print the plan and run nothing
  --jobs N              compile N files at a time (default: one a core)
  --results DIR         where rows go (default: results)
  --plots DIR           where figures and report.html go (default: plots)
  --help                this text

Exit codes: 0 done, 1 failed or a wrong answer, 2 bad usage, bad config or missing packages, 3 nothing measured,
5 a file that cannot be read or written.
EOF
}

die() {
  printf 'run_all.sh: %s\n' "$1" >&2
  exit 2
}

mode=run
profile=default
only=
force=false
dry_run=false
jobs=$(nproc)
results=results
plots=plots

while (($#)); do
  case $1 in
    --profile=* | --only=* | --jobs=* | --results=* | --plots=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
  esac
  case $1 in
    --profile | --only | --jobs | --results | --plots) [[ -n ${2:-} ]] || die "$1 needs a value; see --help" ;;
  esac
  case $1 in
    test) mode='test' ;;
    --profile) profile=$2 && shift ;;
    --only) only=$2 && shift ;;
    --jobs) jobs=$2 && shift ;;
    --results) results=$2 && shift ;;
    --plots) plots=$2 && shift ;;
    --force) force=true ;;
    --dry-run) dry_run=true ;;
    --help | -h) usage && exit 0 ;;
    *) die "unknown argument '$1'; see --help" ;;
  esac
  shift
done
[[ $profile =~ ^(quick|default|paper)$ ]] || die "unknown profile '$profile'; known: quick, default, paper"
[[ $jobs =~ ^[1-9][0-9]*$ ]] || die "--jobs takes a number from 1, not '$jobs'"

# Runs a command, or only says so under --dry-run.
step() {
  if $dry_run; then
    printf 'would run: %s\n' "$*"
  else
    "$@"
  fi
}

missing_packages() {
  local package
  local -a wanted=("${PACKAGES[@]}")
  if [[ $mode == test ]]; then wanted+=("${TEST_PACKAGES[@]}"); fi
  for package in "${wanted[@]}"; do
    [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || printf '%s\n' "$package"
  done
}

install_missing() {
  command -v dpkg-query >/dev/null || die "this is not a Debian system; install the equivalents of: ${PACKAGES[*]}"
  local -a missing as_root=()
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  local advice="missing packages: ${missing[*]}
install them as root with:
  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
      as_root=(sudo)
    elif ! $dry_run; then
      die "neither root nor sudo; $advice"
    fi
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  step "${as_root[@]}" apt-get update || die "the package lists cannot be fetched (no network?); $advice"
  step "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}" ||
    die "the packages cannot be installed (no network?); $advice"
}

# Debian's own Python: another one first on PATH may lack matplotlib.
build() {
  step cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython3_EXECUTABLE=/usr/bin/python3
  step cmake --build build --parallel "$jobs"
}

run_experiments() {
  local -a common=(--profile "$profile" --results "$results")
  local -a selected=() run_only=()
  if [[ -n $only ]]; then selected=(--only "$only"); fi
  if $force; then run_only+=(--force); fi
  step build/bloomery run "${common[@]}" "${selected[@]}" "${run_only[@]}"
  local claims=0
  step build/bloomery claims "${common[@]}" "${selected[@]}" || claims=$?
  step build/bloomery plot "${common[@]}" --plots "$plots" "${selected[@]}"
  step build/bloomery report "${common[@]}" --plots "$plots"
  if ! $dry_run; then printf 'report: %s\n' "$plots/report.html"; fi
  # With a program at hand the plan can be shown point by point.
  if $dry_run && [[ -x build/bloomery ]]; then
    build/bloomery run "${common[@]}" "${selected[@]}" "${run_only[@]}" --dry-run
  fi
  return "$claims"
}

install_missing
build
if [[ $mode == test ]]; then
  step ctest --test-dir build --parallel "$jobs" --output-on-failure --no-tests=error
else
  run_experiments
fi
