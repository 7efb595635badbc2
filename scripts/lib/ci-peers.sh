#!/usr/bin/env bash
# Brings what the full test suite talks to and no package has: an SNMP simulator, PyTorch, an old C library. For CI; the tests
# that need one of them say so and are skipped where it is absent.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

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
# The C library of Debian 11, to run what ships on an older one than this machine's. Unpacked, not installed.
if [ ! -d .tools/old-glibc ] && command -v apt-get >/dev/null; then
  echo "faultline: taking the C library of Debian 11 into .tools/old-glibc for the tests" >&2
  apt_folder=$PWD/.tools/old-glibc.apt
  rm -rf "$apt_folder" && mkdir -p "$apt_folder/lists/partial" "$apt_folder/cache/archives/partial" "$apt_folder/root"
  # From the mirror that this machine uses.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/*$' || true)
  echo "deb ${mirror:-none} bullseye main" >"$apt_folder/sources.list"
  old_apt=(apt-get -qq -o "Dir::State::Lists=$apt_folder/lists" -o "Dir::Cache=$apt_folder/cache"
    -o "Dir::Etc::SourceList=$apt_folder/sources.list" -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User=root
    -o Acquire::Languages=none)
  if "${old_apt[@]}" update >&2 &&
    (cd "$apt_folder" && "${old_apt[@]}" download libc6/bullseye libstdc++6/bullseye libgcc-s1/bullseye >&2); then
    for package in "$apt_folder"/*.deb; do dpkg-deb --extract "$package" "$apt_folder/root"; done
    mv "$apt_folder/root" .tools/old-glibc
  else
    echo "faultline: the C library of Debian 11 cannot be had; nothing is run on an old one" >&2
  fi
  rm -rf "$apt_folder"
fi
