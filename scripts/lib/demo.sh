# Brings a fresh checkout to its first incident as fast as it can: the packages that run, and of the native parts the addon, the
# vendor child and the stand-in NVML, quick to build, while npm works. What a release and the tests need, setup.sh makes.

. "$(dirname "${BASH_SOURCE[0]}")/checkout.sh"

native=build/Development
packages=node_modules/.faultline-runtime-stamp

# Of the packages those that run are enough, and all of them are as good.
stale_packages() {
  stale node_modules/.faultline-stamp package.json package-lock.json && stale "$packages" package.json package-lock.json
}

stale_native() {
  stale "$native/.stamp" native CMakeLists.txt package.json || [ ! -f "$native/faultline.node" ]
}

compile() { cmake --build "$native" --parallel "$(nproc)" --target "$@"; }

# What needs no package is compiled while npm brings them.
build_all() {
  local generator=()
  ! command -v ninja >/dev/null 2>&1 || generator=(-G Ninja)
  cmake -S . -B "$native" "${generator[@]}" -DFAULTLINE_DEVELOPMENT=ON -DFAULTLINE_TESTS=OFF -DFAULTLINE_UNITY="$1" \
    -DCMAKE_JS_INC="$root/node_modules/node-addon-api;$root/node_modules/node-api-headers/include" &&
    compile faultline_without_node &&
    { [ -z "$npm" ] || wait "$npm"; } &&
    compile faultline_addon &&
    touch "$native/.stamp"
}

# Sources that clash when they are compiled together cost time, not the demo.
build_native() {
  build_all ON || { echo "again, one source at a time" && build_all OFF; }
}

need_demo() {
  local npm=
  mkdir -p "$native"
  if stale_packages; then
    need_registry
    say "installing npm packages"
    { install_packages --omit=dev >"$native/npm.log" 2>&1 && touch "$packages"; } &
    npm=$!
    trap "kill $npm 2>/dev/null || true" EXIT
  fi
  if stale_native; then
    say "building what the demo needs of the native parts (once)"
    with_sign_of_life 15 "$root/build.log" build_native || {
      [ -z "$npm" ] || wait "$npm" || no_packages
      tail -n 30 "$root/build.log" >&2
      fail "the native build failed; all of its output is in build.log"
    }
  fi
  [ -z "$npm" ] || wait "$npm" || no_packages
  trap - EXIT
}

no_packages() {
  cat "$native/npm.log" >&2
  fail "npm ci failed (see above)"
}

need_system_packages
need_node
need_demo
