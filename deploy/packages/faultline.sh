#!/bin/sh
# Starts Faultline with the Node that is shipped with it, whatever the PATH holds; nothing opens Node's debugging port.
root=$(readlink -f "$0")
root=${root%/bin/faultline}
unset NODE_OPTIONS
exec "$root/bin/node" --disable-sigusr1 "$root/dist/faultline.js" "$@"
