# What brings a checkout to where it can build and run: compiler, CMake, Node >= 24, npm packages. Functions alone, sourced by setup.sh and
# demo.sh; they say what they do on stderr, ask nothing, and do nothing that is already done.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit 1
tools=$root/.tools
# That there is a newer npm is not news of this checkout.
export npm_config_update_notifier=false

say() { printf 'faultline: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

. "$root/scripts/lib/sign-of-life.sh"
. "$root/scripts/lib/registry.sh"

need_system_packages() {
  local missing=()
  command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || missing+=(g++)
  command -v cmake >/dev/null 2>&1 || missing+=(cmake)
  command -v make >/dev/null 2>&1 || command -v ninja >/dev/null 2>&1 || missing+=(make)
  [ "${#missing[@]}" -eq 0 ] && return
  local line="apt-get install -y --no-install-recommends ${missing[*]}"
  command -v apt-get >/dev/null 2>&1 || fail "missing: ${missing[*]}. Install them with this system's package manager, then run this again."
  local as=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || fail "missing: ${missing[*]}. Run this, then this script again:  sudo apt-get update && sudo $line"
    as=(sudo -n)
  fi
  say "installing ${missing[*]} from Debian's packages"
  "${as[@]}" apt-get update -qq >&2 && "${as[@]}" env DEBIAN_FRONTEND=noninteractive $line -qq >&2 ||
    fail "could not install ${missing[*]}. Run by hand:  $line"
}

node_major() { "$1" -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0; }

need_node() {
  if command -v node >/dev/null 2>&1 && [ "$(node_major node)" -ge 24 ] && command -v npm >/dev/null 2>&1; then return; fi
  local arch
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "no Node 24 package for $(uname -m): put Node 24 or later on the PATH" ;;
  esac
  local bin=$tools/node_modules/node-linux-$arch/bin
  if [ "$(node_major "$bin/node")" -lt 24 ] || [ ! -x "$tools/node_modules/.bin/npm" ]; then
    command -v npm >/dev/null 2>&1 || fail "npm is missing: install any Node 18 or later with npm (for example: apt-get install nodejs npm)"
    say "this machine's Node is $(node -v 2>/dev/null || echo missing); taking Node 24 and npm 11 from the npm registry into .tools"
    need_registry
    mkdir -p "$tools"
    [ -f "$tools/package.json" ] || echo '{"private":true}' >"$tools/package.json"
    with_sign_of_life 15 "$tools/npm.log" \
      npm install --prefix "$tools" --no-save --no-fund --no-audit --loglevel=error "node-linux-$arch@24" npm@11 || {
      cat "$tools/npm.log" >&2
      fail "could not take Node 24 from the npm registry (see above). Put Node 24 or later on the PATH, then run this again."
    }
  fi
  export PATH=$bin:$tools/node_modules/.bin:$PATH
}

# True when any of the paths $2... is newer than the stamp file $1.
stale() {
  [ -f "$1" ] || return 0
  local stamp=$1
  shift
  [ -n "$(find "$@" -newer "$stamp" -type f -print -quit 2>/dev/null)" ]
}

# Installs the packages of the lock file; what a package wants to run at its installation is not run.
install_packages() {
  npm ci --ignore-scripts --no-fund --no-audit --loglevel=error "$@"
}

need_packages() {
  local stamp=node_modules/.faultline-stamp
  stale "$stamp" package.json package-lock.json || return 0
  need_registry
  say "installing npm packages"
  # The addon is built by setup.sh, with its own stamp, so that a change of a source file does not need npm.
  mkdir -p "$tools"
  with_sign_of_life 15 "$tools/npm.log" install_packages || {
    cat "$tools/npm.log" >&2
    fail "npm ci failed (see above)"
  }
  touch "$stamp"
}
