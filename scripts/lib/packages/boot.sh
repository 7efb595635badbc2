#!/usr/bin/env bash
# Boots a Debian tree in namespaces and runs one script in it as a service of its systemd; the tree is changed, nothing else is.
# usage (as root): unshare --pid --mount --uts --ipc --cgroup --net --fork --kill-child boot.sh ROOT SHARED SCRIPT
# SHARED is seen as /srv/shared and takes `output`; SCRIPT is a file of it. /proc/sys and /sys are read-only, there is no network.
set -euo pipefail
root=$1 shared=$2 script=$3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$folder"; done
chmod 1777 "$root/tmp"
for device in null zero full random urandom tty kmsg; do
  touch "$root/dev/$device"
  # One that this host does not give is not there for the tree either.
  [ ! -e "/dev/$device" ] || mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir -p "$root/dev/pts" "$root/dev/shm" "$root/srv/shared"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs -o size=64m tmpfs "$root/dev/shm"
mount --bind "$shared" "$root/srv/shared"
: >"$root/etc/fstab"
ln -sfn /dev/null "$root/etc/systemd/system/systemd-modules-load.service"
cat >"$root/etc/systemd/system/walk.target" <<EOF
[Unit]
Requires=walk.service
AllowIsolate=yes
EOF
cat >"$root/etc/systemd/system/walk.service" <<EOF
[Unit]
After=dbus.socket systemd-journald.service
Wants=dbus.socket
[Service]
ExecStart=/bin/bash /srv/shared/$script
StandardOutput=append:/srv/shared/output
StandardError=inherit
ExecStopPost=/bin/systemctl --no-block --force --force poweroff
EOF
cd "$root"
mkdir -p .old
pivot_root . .old
umount -l /.old
rmdir /.old
exec env -i container=faultline-test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --system --unit=walk.target --log-target=null --show-status=0 </dev/null
