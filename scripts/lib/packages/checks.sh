# What the walks through a booted tree share: one line for each thing that was looked at, and what is left at the end. Sourced.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
cd /srv/shared
wrong=0

# ok WHAT STATUS [TEXT]: one line; what is wrong is counted.
ok() {
  if [ "$2" -eq 0 ]; then echo "ok      $1"; else
    echo "WRONG   $1: ${3:-}"
    wrong=$((wrong + 1))
  fi
}
# same WHAT WANTED FOUND
same() { if [ "$2" = "$3" ]; then ok "$1 ($3)" 0; else ok "$1" 1 "wanted '$2', found '$3'"; fi; }
# like WHAT PATTERN TEXT
like() { if [[ $3 =~ $2 ]]; then ok "$1" 0; else ok "$1" 1 "wanted /$2/, found '$3'"; fi; }

show() { systemctl show faultline.service --property "$1" --value; }
active() { systemctl is-active faultline.service; }
version() { hash -r; faultline version --json | sed -n 's/^  "version": "\(.*\)",$/\1/p'; }
# The service has another process than $1, and that runs.
restarted() { [ "$(show MainPID)" != "$1" ] && [ "$(active)" = active ]; }
wait_for() {
  local end=$((SECONDS + $1))
  until "${@:2}" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}
incident_count() { faultline incidents --json | grep -o '"id": *"[0-9a-f]*"' | sort -u | wc -l; }

# Sockets, their folders, and readers that still run: none of it is in the listing, as /run is not.
sockets() {
  find /run -maxdepth 1 -name 'faultline*'
  pgrep -l faultline
}

# Everything in the tree but what dpkg, rpm and systemd remember of their own runs.
listing() {
  find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /dev -o -path /srv/shared \
    -o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/rpm -o -path /usr/lib/sysimage \
    -o -path /var/log/apt -o -path /var/log/journal -o -path /var/log/dpkg.log -o -path /var/lib/systemd \
    -o -path /root -o -path /var/tmp -o -name '*-' -o -name .pwd.lock -o -name .updated \) -prune -o -printf '%p %y %m %u\n' | sort
  find /var/lib/systemd/deb-systemd-helper-* 2>/dev/null | grep faultline | sort
  getent passwd | sort
  getent group | sort
}
