# Builds a program of the Go module proxy out of a folder with its go.mod, again only when that folder changes. Sourced by what has
# checkout.sh.

# go_part FOLDER PACKAGE INTO: the program of PACKAGE as the file INTO. 77 where this machine has no Go for it.
go_part() {
  local source=$root/$1 package=$2 into=$3 key have need
  key=$(cd "$source" && find . -type f | sort | xargs cat | sha256sum | cut -c1-16)
  [ -x "$into" ] && [ "$(cat "$into.key" 2>/dev/null)" = "$key" ] && return 0
  need=$(sed -n 's/^go //p' "$source/go.mod")
  have=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//; s/ .*//' || true)
  if [ -z "$have" ] || [ "$(printf '%s\n' "$need" "$have" | sort -V | head -n 1)" != "$need" ]; then
    say "$1 needs Go $need or later, this machine has ${have:-none}"
    return 77
  fi
  say "building $(basename "$into") (some minutes the first time)"
  mkdir -p "$(dirname "$into")"
  GOTOOLCHAIN=local GOFLAGS=-mod=readonly CGO_ENABLED=0 go -C "$source" build -p 2 -trimpath -buildvcs=false -ldflags='-s -w' \
    -o "$into.new" "$package" >"$into.log" 2>&1 || {
    tail -n 15 "$into.log" >&2
    fail "$(basename "$into") did not build; all of the output is in $into.log"
  }
  mv "$into.new" "$into" && echo "$key" >"$into.key"
}
