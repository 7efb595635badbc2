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

# A release is of one architecture and of a C library from 2.28 on: said here, before the loader says it in its own words.
need_host() {
  [ -f "$root/build.json" ] || return 0
  local made here libc
  made=$(sed -n 's/^ *"platform": *"linux-\([a-z0-9]*\)".*/\1/p' "$root/build.json")
  case $(uname -m) in x86_64) here=x64 ;; aarch64) here=arm64 ;; *) here=$(uname -m) ;; esac
  [ "$made" = "$here" ] || fail "this release is for $made, this host is $here: take the release for linux-$here"
  libc=$({ getconf GNU_LIBC_VERSION 2>/dev/null || true; } | sed 's/^glibc //')
  [ -n "$libc" ] || fail "this host's C library is not glibc (Alpine?): Node needs glibc 2.28 or later; run Faultline's image instead"
  [ "$(printf '2.28\n%s\n' "$libc" | sort -V | head -n 1)" = 2.28 ] ||
    fail "this host has glibc $libc; 2.28 or later is needed (RHEL 8, Debian 10, Ubuntu 20.04 and later)"
}

# Two installations would be two owners of one unit, one socket and one log.
need_no_package() {
  [ -z "$DESTDIR" ] && [ -f /usr/lib/faultline/build.json ] || return 0
  fail "Faultline is installed here as a package: upgrade it with apt or dnf, or remove the package first (its data stay)"
}

# need_space TARGET FILE...: room for the new program next to the old one.
need_space() {
  local target=$1 needed free at
  shift
  needed=$(du -skcL "$@" | tail -n 1 | cut -f1)
  at=$target
  while [ ! -d "$at" ]; do at=$(dirname "$at"); done
  free=$(df -Pk "$at" | awk 'NR == 2 { print $4 }')
  [ "$free" -gt $((needed + 4096)) ] ||
    fail "not enough space at $at: $((needed / 1024 + 4)) MiB are needed, $((free / 1024)) MiB are free. Nothing was changed"
}

# Man pages and completions of a release below the folder $1: file, and its folder below /usr/local/share.
pages() {
  local file
  [ -d "$1" ] || return 0
  (cd "$1" && find . -type f -o -type l) | sed 's,^\./,,' | while read -r file; do
    case $file in
      man/*) echo "$file ${file%/*}" ;;
      completions/bash/*) echo "$file bash-completion/completions" ;;
      completions/zsh/*) echo "$file zsh/site-functions" ;;
      completions/fish/*) echo "$file fish/vendor_completions.d" ;;
    esac
  done
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
