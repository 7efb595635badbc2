# A fresh Debian 12 as a tree, for what is installed into it. Sourced.

# fresh_debian FILE PACKAGE,PACKAGE: its tar, with these packages besides the essential ones. 77 where it cannot be had.
fresh_debian() {
  local file=$1 include=$2 mirror
  [ "$(id -u)" -eq 0 ] || { say "a Debian tree needs root" && return 77; }
  command -v mmdebstrap >/dev/null || { say "a Debian tree needs mmdebstrap: apt-get install mmdebstrap" && return 77; }
  # From the mirror that this machine uses.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/*$' || true)
  mmdebstrap --quiet --mode=root --variant=essential --include="$include" bookworm "$file.new.tar" ${mirror:+"$mirror"} >&2 || {
    rm -f "$file.new.tar"
    say "Debian 12 cannot be had from ${mirror:-its mirror}"
    return 77
  }
  mv "$file.new.tar" "$file"
}

# in_tree ROOT COMMAND...: runs it in the tree, in namespaces of its own, with a loopback alone.
in_tree() {
  local tree=$1
  shift
  unshare --mount --pid --net --ipc --uts --fork --kill-child sh -c '
    tree=$1
    shift
    ip link set lo up || exit 125
    mount --make-rprivate / && mount -t proc proc "$tree/proc" && mount -t tmpfs tmpfs "$tree/dev" || exit 125
    for device in null zero full random urandom tty; do : >"$tree/dev/$device" && mount --bind "/dev/$device" "$tree/dev/$device"; done
    exec chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
  ' in_tree "$tree" "$@" </dev/null
}
