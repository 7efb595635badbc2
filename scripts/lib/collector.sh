# Builds the OpenTelemetry Collector that the tests of the OTLP sink talk to, out of test/otlp-collector into .tools/collector,
# again only when its sources or modules change. Sourced. Says when there is no suitable Go; FAULTLINE_REQUIRE_COLLECTOR=1 makes
# that an error.

build_collector() {
  local root source need have key
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  source=$root/test/otlp-collector
  local kept=$root/.tools/collector
  key=$(cd "$source" && sha256sum go.mod go.sum ./*.go | sha256sum | cut -c1-16)
  [ -x "$kept/otlp-collector" ] && [ "$(cat "$kept/key" 2>/dev/null)" = "$key" ] && return 0

  need=$(sed -n 's/^go //p' "$source/go.mod")
  # GOTOOLCHAIN=local: a Go that is too old says so, instead of taking another one from the network.
  have=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//; s/ .*//' || true)
  if [ -z "$have" ] || [ "$(printf '%s\n' "$need" "$have" | sort -V | head -n 1)" != "$need" ]; then
    without_collector "no suitable Go: it needs $need or later, this machine has ${have:-none}"
    return
  fi
  echo "faultline: building the OpenTelemetry Collector for the tests (about two minutes the first time)" >&2
  mkdir -p "$kept"
  if ! (cd "$source" && GOTOOLCHAIN=local GOFLAGS=-mod=readonly CGO_ENABLED=0 \
    go build -p 2 -trimpath -buildvcs=false -ldflags='-s -w' -o "$kept/otlp-collector.new" .) >"$kept/build.log" 2>&1; then
    tail -n 15 "$kept/build.log" >&2
    without_collector "it did not build; all of the output is in $kept/build.log"
    return
  fi
  mv "$kept/otlp-collector.new" "$kept/otlp-collector" && echo "$key" >"$kept/key"
}

without_collector() {
  if [ "${FAULTLINE_REQUIRE_COLLECTOR:-}" = 1 ]; then
    echo "faultline: the tests against a real OpenTelemetry Collector cannot run: $1" >&2
    return 1
  fi
  echo "faultline: the tests against a real OpenTelemetry Collector are skipped: $1" >&2
}
