# What the steps of a release share: its arguments, what it is made of, and the environment in which bytes do not differ. Sourced.
#
# A step is an executable file of this folder that sources this one; it reads only what steps before it left in $WORK, and writes
# there or, what is published, into $OUT.
#
#   VERSION   of the release          COMMIT  that it is made of       SOURCE_DATE_EPOCH  when that was made, for every file
#   OUT       what is published       WORK    what lies in between     PLATFORM           linux-x64, linux-arm64
#   DEB_ARCH, RPM_ARCH                as these name it

. "$(dirname "${BASH_SOURCE[0]}")/../checkout.sh"

fail_usage() {
  say "$*"
  usage >&2
  exit 2
}

release_arguments() {
  VERSION= OUT=$root/build/release only=() changes=0
  while [ "$#" -gt 0 ]; do
    case $1 in
      --out | --steps) [ "$#" -ge 2 ] || fail_usage "$1 needs a value" ;;&
      --out) OUT=$2 && shift 2 ;;
      --steps) IFS=, read -ra only <<<"$2" && shift 2 ;;
      --allow-changes) changes=1 && shift ;;
      -h | --help) usage && exit 0 ;;
      -*) fail_usage "$1 is not known" ;;
      *) [ -z "$VERSION" ] || fail_usage "one version, not $VERSION and $1" && VERSION=$1 && shift ;;
    esac
  done
  [ -n "$VERSION" ] || fail_usage "a release needs a version"
  # What the packages' own order of versions takes as it is meant: 1.5.0-rc.1 is before 1.5.0.
  [[ $VERSION =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(alpha|beta|rc)\.[0-9]+)?$ ]] ||
    fail_usage "$VERSION is not a version: write 1.4.0, or 1.5.0-rc.1"
  local step
  for step in "${only[@]}"; do
    [[ " ${steps[*]} " == *" $step "* ]] || fail_usage "there is no step $step: ${steps[*]}"
  done
}

release_environment() {
  # Sorted alike, written alike, readable alike.
  export LC_ALL=C.UTF-8 TZ=UTC
  umask 022
  need_system_packages
  need_node
  mkdir -p "$OUT"
  OUT=$(cd "$OUT" && pwd)
  WORK=$OUT/work
  mkdir -p "$WORK"
  COMMIT=$(git rev-parse HEAD 2>/dev/null) || fail "a release is made of a commit: this is not a git checkout"
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
  if [ -n "$(git status --porcelain --untracked-files=normal)" ]; then
    [ "$changes" -eq 1 ] || fail "this checkout has changes (git status): commit them, or use --allow-changes"
    COMMIT=$COMMIT-changed
  fi
  # One place has the version.
  local packaged
  packaged=$(node -p 'JSON.parse(require("node:fs").readFileSync("package.json", "utf8")).version')
  [ "$packaged" = "$VERSION" ] || [ "$changes" -eq 1 ] ||
    fail "package.json has version $packaged: change it there and commit that, or use --allow-changes"
  case $(uname -m) in
    x86_64) PLATFORM=linux-x64 DEB_ARCH=amd64 RPM_ARCH=x86_64 ;;
    aarch64) PLATFORM=linux-arm64 DEB_ARCH=arm64 RPM_ARCH=aarch64 ;;
    *) fail "no release for $(uname -m): x86_64 and aarch64 only" ;;
  esac
  NAME=faultline-$VERSION-$PLATFORM
  export VERSION COMMIT SOURCE_DATE_EPOCH PLATFORM DEB_ARCH RPM_ARCH NAME OUT WORK
}

# A folder of its own for a step, empty.
fresh() {
  rm -rf "$WORK/$1"
  mkdir -p "$WORK/$1"
}

# Modes and times that no umask and no clock has a hand in. Executable is what its owner may execute.
settle() {
  find "$1" -type d -exec chmod 755 {} +
  find "$1" -type f -perm -u+x -exec chmod 755 {} +
  find "$1" -type f ! -perm -u+x -exec chmod 644 {} +
  find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

# The files of this commit below the paths $2... into the folder $1: what lies around in a checkout is not part of a release.
copy_tracked() {
  local to=$1
  shift
  git ls-files -z -- "$@" | while IFS= read -r -d '' file; do
    # One that was deleted here and not committed.
    [ ! -f "$file" ] || install -D -m "$([ -x "$file" ] && echo 755 || echo 644)" "$file" "$to/$file"
  done
}
