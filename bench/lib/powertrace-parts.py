"""Runs PowerTrace's own correlate.py with the arguments given and says on its last line of standard error how much CPU its parts took.

Usage: powertrace-parts.py FOLDER_OF_POWERTRACE ARGUMENTS... Nothing of it is changed: what reads and what writes is only timed.
"""

import json
import sys
import time

spent = {"read": 0.0, "write": 0.0}


def timed(module, name, part):
    inner = getattr(module, name)

    def outer(*args, **kwargs):
        before = time.process_time()
        try:
            return inner(*args, **kwargs)
        finally:
            spent[part] += time.process_time() - before

    setattr(module, name, outer)


sys.path.insert(0, sys.argv[1])
import correlate  # noqa: E402

sys.argv = ["correlate.py", *sys.argv[2:]]
for reader in ("load_json_file", "parse_events", "parse_traces", "parse_topology"):
    timed(correlate, reader, "read")
timed(correlate, "_emit", "write")
start = time.process_time()
correlate.main()
sys.stdout.flush()
whole = time.process_time()
work = whole - start - spent["read"] - spent["write"]
print(json.dumps({"work": work, "whole": whole, **spent}), file=sys.stderr)
