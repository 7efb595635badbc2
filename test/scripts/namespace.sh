#!/bin/bash
# Runs a script as process 1 of namespaces in which /etc, /opt, /var, /run and /usr/local are copies that vanish with it.
# usage (as root): unshare --pid --mount --fork --kill-child --mount-proc namespace.sh SCRIPT ARGUMENT...
set -euo pipefail
mount --make-rprivate /
layers=$(mktemp -d)
trap 'umount -l "$layers"; rmdir "$layers"' EXIT
mount -t tmpfs tmpfs "$layers"
for folder in etc opt var run usr/local; do
  mkdir -p "$layers/$folder/upper" "$layers/$folder/work"
  mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$layers/$folder/upper,workdir=$layers/$folder/work" "/$folder"
done
# A Faultline and a systemd that this machine runs itself are not looked at.
rm -rf /opt/faultline /etc/faultline /var/lib/faultline /var/log/faultline /run/faultline /run/systemd
bash "$@"
