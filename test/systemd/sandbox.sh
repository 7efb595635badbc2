#!/bin/bash
# Boots this machine's own systemd in namespaces, over a copy-on-write view of its root, to run one script as a service.
# usage (as root): unshare --pid --mount --uts --ipc --cgroup --net --fork --kill-child sandbox.sh WORK REPOSITORY NODE_FOLDER
# WORK holds probe.sh and takes what it writes; the repository is seen as /srv/faultline, Node's folder as /srv/node, both
# read-only. Nothing outside WORK is changed: /proc/sys and /sys are read-only inside, the network is a loopback alone.
set -euo pipefail
work=$1 repository=$2 node=$3
mount --make-rprivate /
layers=$(mktemp -d)
mount -t tmpfs tmpfs "$layers"
mkdir "$layers/upper" "$layers/work" "$layers/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$layers/upper,workdir=$layers/work" "$layers/root"
root=$layers/root
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$folder"; done
chmod 1777 "$root/tmp"
for device in null zero full random urandom tty kmsg; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mkdir -p "$root/dev/shm" "$root/srv/probe" "$root/srv/faultline" "$root/srv/node"
mount -t tmpfs -o size=64m tmpfs "$root/dev/shm"
mount --bind "$work" "$root/srv/probe"
mount --bind "$repository" "$root/srv/faultline"
mount -o remount,bind,ro "$root/srv/faultline"
mount --bind "$node" "$root/srv/node"
mount -o remount,bind,ro "$root/srv/node"
# A Faultline that this machine runs itself is not looked at.
rm -rf "$root/opt/faultline" "$root/etc/faultline" "$root/var/lib/faultline" "$root/var/log/faultline" "$root/usr/lib/faultline" "$root/usr/bin/faultline"
rm -rf "$root"/usr/lib/systemd/system/faultline* "$root"/usr/lib/{sysusers,tmpfiles}.d/faultline.conf "$root"/etc/systemd/system/{,*.wants/}faultline*
# Only what the test needs is started, not what this machine runs.
: >"$root/etc/fstab"
ln -sfn /dev/null "$root/etc/systemd/system/systemd-modules-load.service"
cat >"$root/etc/systemd/system/faultline-test.target" <<EOF
[Unit]
Requires=faultline-test.service
AllowIsolate=yes
EOF
cat >"$root/etc/systemd/system/faultline-test.service" <<EOF
[Unit]
After=dbus.socket systemd-journald.service
Wants=dbus.socket
[Service]
ExecStart=/bin/bash /srv/probe/probe.sh
StandardOutput=append:/srv/probe/output
StandardError=inherit
ExecStopPost=/bin/systemctl --no-block --force --force poweroff
EOF
cd "$root"
mkdir -p .old
pivot_root . .old
umount -l /.old
exec env -i container=faultline-test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --system --unit=faultline-test.target --log-target=null --show-status=0 </dev/null
