# Long work that says on stderr that it continues, and how far it is. Sourced by setup.sh, which has `say`.

# with_sign_of_life EVERY_S LOG COMMAND...: runs the command with its output in LOG; its status is the command's.
with_sign_of_life() {
  local every=$1 log=$2 status=0 teller
  shift 2
  : >"$log"
  # The work stays in the foreground, so that Ctrl-C ends it; whoever tells of it ends with this shell.
  tell_progress "$every" "$log" &
  teller=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$teller" 2>/dev/null || true
  wait "$teller" 2>/dev/null || true
  return "$status"
}

tell_progress() {
  local every=$1 log=$2 started=$SECONDS next=$SECONDS far
  while sleep 0.5 && kill -0 "$$" 2>/dev/null; do
    [ "$((SECONDS - next))" -ge "$every" ] || continue
    next=$SECONDS
    # make says "[ 34%]", ninja "[12/80]".
    far=$(grep -oE '\[ *[0-9]+(%|/[0-9]+)\]' "$log" | tail -n 1 | tr -d '[] ') || far=
    say "still at it after $((SECONDS - started)) s${far:+, $far of the part in hand}"
  done
}
