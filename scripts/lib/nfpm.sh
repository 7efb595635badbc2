# Builds nfpm, which makes the packages, out of deploy/packages/nfpm into .tools/nfpm; again only when its modules change. Sourced by
# what has checkout.sh.

nfpm=$tools/nfpm/nfpm

build_nfpm() {
  local source=$root/deploy/packages/nfpm key
  key=$(cd "$source" && sha256sum go.mod go.sum | sha256sum | cut -c1-16)
  [ -x "$nfpm" ] && [ "$(cat "$tools/nfpm/key" 2>/dev/null)" = "$key" ] && return 0
  command -v go >/dev/null || fail "packages need nfpm, and that needs Go $(sed -n 's/^go //p' "$source/go.mod") or later on the PATH"
  say "building nfpm (about a minute the first time)"
  mkdir -p "$tools/nfpm"
  (cd "$source" && GOTOOLCHAIN=local GOFLAGS=-mod=readonly CGO_ENABLED=0 go build -p 2 -trimpath -buildvcs=false -ldflags='-s -w' \
    -o "$nfpm.new" github.com/goreleaser/nfpm/v2/cmd/nfpm) >"$tools/nfpm/build.log" 2>&1 || {
    tail -n 15 "$tools/nfpm/build.log" >&2
    fail "nfpm did not build; all of the output is in $tools/nfpm/build.log"
  }
  mv "$nfpm.new" "$nfpm" && echo "$key" >"$tools/nfpm/key"
}
