# Brings a checkout to where it can be tested and shipped: every package, the native parts as they are released, the bundle.
# Sourced by the scripts next to it; does nothing that is already done.

. "$(dirname "${BASH_SOURCE[0]}")/checkout.sh"

need_build() {
  # Inside the packages' folder, since cmake-js empties the build folder when its settings change.
  local native=node_modules/.faultline-native bundle=node_modules/.faultline-bundle
  if stale "$native" native CMakeLists.txt package.json || [ ! -f build/Release/faultline.node ]; then
    say "building the native parts (once; two to three minutes on two cores)"
    with_sign_of_life 15 "$root/build.log" npm run --silent build:native || {
      tail -n 30 "$root/build.log" >&2
      fail "the native build failed; all of its output is in build.log"
    }
    touch "$native"
  fi
  if stale "$bundle" src catalog package.json scripts/lib/{bundle.mjs,bundle-loader.cjs,merge-parts.mjs,as-scripts.mjs,run-bundle.cjs,run-bundle.yaml} || [ ! -f dist/faultline.js ]; then
    npm run --silent build:bundle >&2 || fail "bundling failed (see above)"
    touch "$bundle"
  fi
}

need_system_packages
need_node
need_packages
need_build
