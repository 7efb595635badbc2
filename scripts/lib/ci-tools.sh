# Installs the peers that the full test suite talks to: a real SNMP toolset and simulator, Prometheus, systemd's own checkers.
# For CI (root on Debian or Ubuntu); the tests that need one of them say so and are skipped where it is absent.

packages=(snmp snmpd prometheus systemd dbus logrotate python3-venv strace clang libclang-rt-dev)
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
if [ ! -x .tools/venv/bin/snmpsim-command-responder ]; then
  echo "faultline: installing snmpsim into .tools/venv for the tests" >&2
  python3 -m venv .tools/venv && .tools/venv/bin/pip install --quiet --disable-pip-version-check snmpsim pysmi >&2
fi
# PyTorch, for dumps of its own recorder (5 GB).
if [ ! -x .tools/torch/bin/python ]; then
  echo "faultline: installing PyTorch into .tools/torch for the tests" >&2
  python3 -m venv .tools/torch
  timeout 240 .tools/torch/bin/pip install --quiet --disable-pip-version-check torch >&2 || {
    echo "faultline: PyTorch cannot be had in four minutes; its tests are skipped" >&2
    rm -rf .tools/torch
  }
fi
