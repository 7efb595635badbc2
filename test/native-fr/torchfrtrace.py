"""Runs PyTorch's own analyser on folders of dumps and says which ranks its reports name.

usage: torchfrtrace.py < FOLDERS   (one a line; answers with one line of JSON each: {"reports": [[rank ...] ...], "error"})
A report names the ranks it calls missing and those it calls culprits. A folder that it refuses for want of a dump is given
again with --allow-incomplete-ranks.
"""
import json
import logging
import os
import signal
import sys

from torch.distributed.flight_recorder import fr_trace
from torch.distributed.flight_recorder.components import types

LONGEST_S = 120
reports = []


def log(self, logger, msg, frames, total_numel=None, errors=None, missing_ranks=None):
    reports.append(sorted({*(missing_ranks or ()), *(rank for rank, _ in errors or ())}))


def give_up(*_):
    raise TimeoutError(f"no answer within {LONGEST_S} s")


def analyse(folder, *more):
    reports.clear()
    try:
        fr_trace.main([folder, "-p", "nccl_trace_rank_", *more])
        return None
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"[:200]


types.EntryState.log = log
logging.disable(logging.CRITICAL)
signal.signal(signal.SIGALRM, give_up)
answers = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
for line in sys.stdin:
    signal.alarm(LONGEST_S)
    error = analyse(line.rstrip("\n"))
    if error is not None and "AssertionError" in error:
        second = analyse(line.rstrip("\n"), "--allow-incomplete-ranks")
        error = second and error
    signal.alarm(0)
    print(json.dumps({"reports": list(reports), "error": error}), file=answers, flush=True)
