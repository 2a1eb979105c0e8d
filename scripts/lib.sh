# shellcheck shell=bash
# Functions of run, test, check and setup: sourced, never run. All messages are written to stderr, so that standard
# output is that of the program only.

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "$(basename -- "$0"): $*"
  exit 2
}

# Prints a script's own help: the comment block below its first line.
show_help() { sed -n '2,${/^#/!q; s/^# \{0,1\}//; p}' "$1"; }

# quietly COMMAND...: runs it and shows its output only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  ((status == 0)) || cat -- "$log" >&2
  rm -f -- "$log"
  return "$status"
}

# with_notice TEXT COMMAND...: as quietly, but says TEXT if the command takes more than a second.
with_notice() {
  local notice start=$SECONDS status=0
  (
    [[ -z ${lock:-} ]] || exec {lock}>&- # the sleep outlives a quick command, and must not hold its lock
    sleep 1 >/dev/null 2>&1
    say "$1"
  ) &
  notice=$!
  quietly "${@:2}" || status=$?
  kill "$notice" 2>/dev/null || true
  wait "$notice" 2>/dev/null || true
  ((status != 0 || SECONDS - start < 3)) || say "  done in $((SECONDS - start)) s"
  return "$status"
}

packages_of() { # packages_of GROUP...
  awk -v groups=" $* " '!/^#/ && index(groups, " " $1 " ") {print $2}' "$root/scripts/packages.txt" | sort -u
}

# Prints the packages among the arguments that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sed -n 's/^installed //p' <<<"$installed" | sort -u)
}

as_root() {
  if ((EUID == 0)); then
    env "$@"
  else
    # sudo clears the environment, and a machine behind a proxy needs these.
    local name keep=()
    for name in http_proxy https_proxy no_proxy; do
      [[ -z ${!name:-} ]] || keep+=("$name=${!name}")
    done
    sudo env "${keep[@]}" "$@"
  fi
}

update_package_lists() {
  local attempt
  for attempt in 1 2 3; do
    ((attempt == 1)) || sleep 5
    as_root apt-get update -qq -o Acquire::Retries=3 -o APT::Update::Error-Mode=any && return
  done
  # A foreign source may fail for good; the packages may still be in the other lists.
  echo "Package lists could not be brought fully up to date."
}

install_packages() {
  update_package_lists
  as_root DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends \
    -o Acquire::Retries=3 -o DPkg::Lock::Timeout=600 "$@"
}

# setup_venv INSTALL FOLDER REQUIREMENTS: makes a virtual environment with packages from PyPI, unless it has them; with
# INSTALL = no, prints the commands and exits with 2.
setup_venv() {
  ! cmp -s "$3" "$2/requirements.txt" || return 0
  [[ $1 == yes ]] || fail "the virtual environment '$2' is missing or out of date; make it with
  python3 -m venv $2 && $2/bin/pip install --requirement $3"
  say "Installing packages from PyPI into $2"
  quietly python3 -m venv "$2" || fail "no virtual environment can be made in '$2'"
  quietly "$2/bin/pip" install --disable-pip-version-check --quiet --requirement "$3" ||
    fail "packages from PyPI could not be installed; the output of pip is above"
  cp "$3" "$2/requirements.txt"
}

# setup INSTALL GROUP...: installs the groups' missing packages; with INSTALL = no, lists them and exits with 2.
setup() {
  local install=$1 distribution='' missing prefix='' command
  mapfile -t packages < <(packages_of "${@:2}")
  # shellcheck disable=SC1091
  [[ ! -r /etc/os-release ]] || distribution=$(. /etc/os-release && echo "${ID:-} ${ID_LIKE:-}")
  if [[ " $distribution " != *\ debian\ * && " $distribution " != *\ ubuntu\ * ]]; then
    setup_elsewhere
    return
  fi

  mapfile -t missing < <(missing_packages "${packages[@]}")
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || prefix='sudo '
  command="${prefix}apt-get update && ${prefix}apt-get install --no-install-recommends ${missing[*]}"
  [[ $install == yes ]] || fail "packages are missing; install them with
  $command"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "packages are missing, and there is no sudo: become root and install them with
  ${command//sudo /}"
    say "Packages are installed with sudo, which may ask for your password."
  fi

  say "Installing (may take some minutes): ${missing[*]}"
  local start=$SECONDS
  quietly install_packages "${missing[@]}" || {
    say "Packages could not be installed; the output of apt-get is above. The command was:"
    say "  $command"
    [[ $distribution != ubuntu* ]] ||
      say "If a package could not be located: some are in Ubuntu's component universe; enable it with
  sudo apt-get install software-properties-common && sudo add-apt-repository universe"
    exit 2
  }
  say "  done in $((SECONDS - start)) s"
}

# For a distribution with unknown package names: succeeds if the tools are installed; CMake reports missing libraries.
setup_elsewhere() {
  local tool absent=()
  for tool in c++ cmake ninja python3; do
    command -v "$tool" >/dev/null || absent+=("$tool")
  done
  if ((${#absent[@]})) || [[ ! -e $root/build ]]; then
    say "This is neither Debian nor Ubuntu, so nothing is installed. Needed, by their names there: ${packages[*]}"
  fi
  ((${#absent[@]} == 0)) || fail "not found: ${absent[*]}"
}

# Sets CUDACXX to CUDA's compiler, from the PATH or NVIDIA's default folder. Fails if none is of release 13 or newer.
find_nvcc() {
  local candidate path release
  for candidate in "${CUDACXX:-nvcc}" /usr/local/cuda/bin/nvcc; do
    path=$(command -v "$candidate") || continue
    release=$("$path" --version 2>/dev/null | sed -n 's/.* release \([0-9]\+\)\..*/\1/p') || continue
    ((${release:-0} >= 13)) || continue
    export CUDACXX=$path
    return
  done
  return 1
}

# Prints the preset for this machine: with CUDA if it has a GPU and nvcc.
preset_here() {
  if ! nvidia-smi -L >/dev/null 2>&1; then
    echo cpu
  elif find_nvcc; then
    echo cuda-native
  else
    say "There is a GPU, but no nvcc 13 or newer to compile for it: using processors"
    echo cpu
  fi
}

# Prints the build folder of a preset: in the checkout or, if that is another user's, in this user's cache.
build_folder() { # build_folder PRESET
  local folder=$root/build/$1 parent
  parent=$folder
  while [[ ! -e $parent ]]; do parent=$(dirname -- "$parent"); done
  if [[ ! -w $parent ]]; then
    folder=${XDG_CACHE_HOME:-$HOME/.cache}/mass/$(sha256sum <<<"$root" | head -c 12)/$1
  fi
  printf '%s\n' "$folder"
}

# configure PRESET FOLDER [OPTION...]: runs CMake, with more options, if it never ran there, or if the presets, the options
# or the checkout's path have changed. Keeps the folder's lock, so that of two scripts at the same time one waits.
configure() {
  local preset=$1 folder=$2 state
  [[ $preset != cuda* || $preset == cuda-emulated* ]] || find_nvcc || fail "preset $preset needs CUDA's compiler, nvcc 13 or newer, which is not found"
  state="$root $(sha256sum <"$root/CMakePresets.json")${*:3}"
  mkdir -p -- "$folder"
  exec {lock}>"$folder/.lock"
  flock "$lock"
  [[ ! -e $folder/build.ninja || $(cat -- "$folder/.configured" 2>/dev/null) != "$state" ]] || return 0
  rm -f -- "$folder/.configured"
  with_notice "Configuring" env -C "$root" cmake --fresh --preset "$preset" -B "$folder" "${@:3}" ||
    fail "configuring failed; the output of CMake is above"
  printf '%s\n' "$state" >"$folder/.configured"
}

# build PRESET FOLDER TARGET [OPTION...]: configures, with more options of CMake, and builds the target.
build() {
  local preset=$1 folder=$2 target=$3 hint=''
  configure "$preset" "$folder" "${@:4}"
  [[ -e $folder/mass/libmass.a ]] || hint=" (the first time takes some minutes)"
  with_notice "Building $target$hint" cmake --build "$folder" --target "$target" ||
    fail "building $target failed; the output of the compiler is above"
  exec {lock}>&-
}

# mpirun_of FOLDER: prints the path of mpirun that belongs to the MPI library of a build folder.
mpirun_of() { sed -n 's/^MPIEXEC_EXECUTABLE:FILEPATH=//p' "$1/CMakeCache.txt"; }

# set_up_launcher LAUNCHER: sets options, for the command line, and stop_signal, which the launcher forwards to the ranks
# and which ends them at a step. mpirun of Open MPI kills the ranks a second after SIGINT or SIGTERM.
set_up_launcher() {
  options=() stop_signal=TERM
  case $1 in
    srun | */srun) stop_signal=USR2 ;;
    *)
      # Open MPI's mpirun calls itself by that name, its mpiexec OpenRTE.
      if [[ $("$1" --version 2>/dev/null) =~ "Open MPI"|OpenRTE ]]; then
        stop_signal=USR2
        # More ranks than cores, all cores for each rank, and an end of the run within 15 s if the link to a host is dead.
        options=(--oversubscribe --bind-to none --mca oob_tcp_keepalive_time 5 --mca oob_tcp_keepalive_intvl 2
          --mca oob_tcp_keepalive_probes 5)
        ((EUID != 0)) || options+=(--allow-run-as-root)
      fi
      ;;
  esac
}

# Handles a signal to run_ranks, with its variables. One within a second after the first is a repetition: timeout sends a
# signal to a process and to its group.
# shellcheck disable=SC2317  # a trap calls it
stop_ranks() {
  local signal=TERM
  ((stops == 0 || SECONDS - stopped > 1)) || return 0
  ((stops > 0)) || signal=$stop_signal stopped=$SECONDS
  stops=$((stops + 1))
  kill -s "$signal" "$launcher" 2>/dev/null || true
}

# run_ranks LAUNCHER RANKS COMMAND...: runs a command on several ranks and returns the launcher's exit code. Ctrl-C, SIGTERM
# and SIGHUP end the run at a step, with a checkpoint if the settings ask for one; another one ends it at once if it comes
# two seconds later or more.
run_ranks() {
  local options stop_signal launcher stopped stops=0 status=0
  set_up_launcher "$1"
  set -m # a process group of its own, to which the terminal does not send Ctrl-C
  "$1" -n "$2" "${options[@]}" "${@:3}" </dev/null &
  launcher=$!
  set +m
  trap stop_ranks INT TERM HUP
  # A signal ends the first wait, not the launcher; bash keeps the exit code for the last one.
  while kill -s 0 "$launcher" 2>/dev/null; do wait "$launcher" || true; done
  wait "$launcher" || status=$?
  trap - INT TERM HUP
  return "$status"
}
