#!/usr/bin/env bash
# From a fresh clone to the end of the demo, as a newcomer goes: prints the seconds and the CPU seconds of all of it. Builds without
# ccache. Meant for CI, and for the figure in the README.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
clone=build/fresh-clone
rm -rf "$clone"
git clone --quiet . "$clone"
cd "$clone"
TIMEFORMAT='faultline: from a fresh clone to the end of the demo: %R s, CPU %U s and %S s of the kernel'
time env -u FAULTLINE_PROGRAM -u CMAKE_C_COMPILER_LAUNCHER -u CMAKE_CXX_COMPILER_LAUNCHER ./scripts/demo >/dev/null
! grep -q "one source at a time" build.log || { grep -m 5 "error" build.log >&2 && exit 1; }
cd ..
rm -rf fresh-clone
