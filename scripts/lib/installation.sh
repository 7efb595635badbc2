# What scripts/install and scripts/uninstall share: messages, checks, and where things lie. Sourced.

DESTDIR=${DESTDIR:-}
DESTDIR=${DESTDIR%/}
unit_folder=/etc/systemd/system
sysusers_folder=/etc/sysusers.d
owner=()
reader=()

say() { printf 'faultline: %s\n' "$*"; }
fail() {
  printf 'faultline: %s\n' "$*" >&2
  exit 1
}
fail_usage() {
  printf 'faultline: %s\n' "$*" >&2
  usage >&2
  exit 2
}

# A prefix goes into the unit and the wrapper as it is written, and is removed as a whole.
need_prefix() {
  [[ $1 =~ ^(/[A-Za-z0-9._+-]+){2,}$ && $1 != *..* ]] ||
    fail_usage "the prefix must be an absolute path of two or more plain names, such as /opt/faultline (got $1)"
  case $1 in
    /usr/bin | /usr/lib | /usr/sbin | /usr/local | /usr/share | /var/lib | /var/log | /etc/*)
      fail_usage "$1 belongs to the system: give Faultline its own folder, such as /opt/faultline"
      ;;
  esac
}

need_root() {
  [ "$(id -u)" -eq 0 ] || [ -n "$DESTDIR" ] ||
    fail "this needs root: it makes a user and a service. Run: sudo $0, or set DESTDIR to a folder of your own"
}

systemd_version() {
  { systemctl --version 2>/dev/null || true; } | sed -n '1s/^systemd \([0-9]\+\).*/\1/p' | grep . || echo 0
}

# Process ids of a user, in one line; nothing where there is no such user.
processes_of() {
  local uid each
  uid=$(getent passwd "$1" | cut -d: -f3) || return 0
  for each in /proc/[0-9]*; do
    if [ "$(stat -c %u "$each" 2>/dev/null)" = "$uid" ]; then echo "${each#/proc/}"; fi
  done | tr '\n' ' ' | sed 's/ $//'
}

# Owners of folders and files, where the user is there to own them and we may give things away.
owners() {
  [ -z "$DESTDIR" ] && [ "$(id -u)" -eq 0 ] || return 0
  owner=(-o faultline -g faultline)
  reader=(-o root -g faultline)
}
