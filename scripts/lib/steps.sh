# Steps of a long run, with what each took, one after the other or in the background. Sourced by .ci/run.
#
# step NAME COMMAND...        runs it; where it fails the run ends
# background NAME COMMAND...  starts it, with its output kept
# await NAME                  shows that output; where it failed the run ends
# optional COMMAND...         status 77, "cannot be had here", is not a failure, and is said
# finish                      the table of all steps

steps_folder=$(mktemp -d)
steps_began=$SECONDS
steps_table=()
trap 'steps_end' EXIT

optional() {
  local status=0
  "$@" || status=$?
  [ "$status" -ne 77 ] || { echo "faultline: skipped: $*" && return 0; }
  return "$status"
}

step() {
  local name=$1 began=$SECONDS
  shift
  echo "faultline: step $name"
  # No `||` here: it would switch off `set -e` in what is sourced.
  "$@"
  steps_took "$name" "$((SECONDS - began))"
}

steps_took() {
  steps_table+=("$(printf '%5d s  %s' "$2" "$1")")
  echo "faultline: step $1 took $2 s; $((SECONDS - steps_began)) s since the start"
}

background() {
  local name=$1
  shift
  # Its own process group, which can be ended as a whole.
  set -m
  {
    began=$SECONDS status=0
    "$@" || status=$?
    echo "$((SECONDS - began))" >"$steps_folder/$name.took"
    exit "$status"
  } >"$steps_folder/$name.log" 2>&1 </dev/null &
  echo "$!" >"$steps_folder/$name.pid"
  set +m
}

await() {
  local name=$1 status=0 began=$SECONDS
  wait "$(cat "$steps_folder/$name.pid")" || status=$?
  rm -f "$steps_folder/$name.pid"
  cat "$steps_folder/$name.log"
  steps_took "$name, in the background; waited for $((SECONDS - began)) s" "$(cat "$steps_folder/$name.took")"
  return "$status"
}

# What runs in the background ends with the run.
steps_end() {
  local status=$? file
  for file in "$steps_folder"/*.pid; do
    if [ -f "$file" ]; then kill -- "-$(cat "$file")" 2>/dev/null || true; fi
  done
  rm -rf "$steps_folder"
  [ "$status" -eq 0 ] || echo "faultline: failed after $((SECONDS - steps_began)) s" >&2
}

finish() {
  printf '%s\n' "${steps_table[@]}"
  echo "faultline: all of it in $((SECONDS - steps_began)) s"
}
