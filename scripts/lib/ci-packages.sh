# Installs what the full test suite needs of the system: an SNMP toolset, Prometheus, systemd's own checkers, clang, ccache, a
# terminal (tmux) for `top`, the shells whose completions are read, and what tries a release: a Debian tree, minisign.
# For CI (root on Debian or Ubuntu); the tests that need one of them say so and are skipped where it is absent.

packages=(snmp snmpd prometheus systemd dbus logrotate python3-venv strace clang libclang-rt-dev ccache mmdebstrap minisign iproute2
  tmux zsh fish)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ] && [ "$(id -u)" -eq 0 ]; then
  echo "faultline: installing ${missing[*]} for the tests" >&2
  # Installing must not start a daemon: the tests start their own, on their own ports.
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d
  apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
  rm -f /usr/sbin/policy-rc.d
fi
