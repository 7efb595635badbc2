"""One rank of a small training job over Gloo with one injected fault; leaves its flight-recorder dump as PyTorch makes it.

ranks.py starts it, with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in the environment.
"""
import os
import signal
import threading
import time

import torch
import torch.distributed as dist
from torch._C import _distributed_c10d as c10d

STEPS, AT = 40, 25
progress = time.monotonic()


def dump(folder, rank):
    """Written in one go under another name: this stands for a recorder that is done."""
    path = os.path.join(folder, f"nccl_trace_rank_{rank}")
    with open(path + ".part", "wb") as file:
        file.write(c10d._dump_fr_trace())
    os.replace(path + ".part", path)


def watch(folder, rank):
    while time.monotonic() - progress < 4:
        time.sleep(0.1)
    dump(folder, rank)
    # An end breaks the connections of those that still write theirs.
    time.sleep(4)
    os._exit(0)


def stand_still():
    while True:
        time.sleep(1)


def main(fault, folder):
    global progress
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo")
    pairs = [dist.new_group([r, r + 1], group_desc="tp") for r in range(0, world, 2)]
    pair = pairs[rank // 2]
    weights = torch.ones(512)
    # The first use of these can take longer than the watch is patient.
    c10d._dump_fr_trace()
    dist.all_reduce(weights[:8], group=pair)
    dist.all_reduce(weights[:8])
    progress = time.monotonic()
    threading.Thread(target=watch, args=(folder, rank), daemon=True).start()
    for step in range(STEPS):
        if fault == "straggler" and rank == 3 and step % 5 != 0:
            time.sleep(0.05)
        if fault == "cascade" and rank == 2 and step == AT:
            stand_still()
        dist.all_reduce(weights[:256], group=pair)
        if fault == "not_joined" and rank == 1 and step == AT:
            stand_still()
        if fault == "crash" and rank == 1 and step == AT:
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "stopped" and rank == 1 and step == AT:
            os.kill(os.getpid(), signal.SIGSTOP)
        if fault == "size" and rank == 2 and step == AT:
            dist.all_reduce(weights[:300])
        elif fault == "mismatch" and rank == 2 and step == AT:
            dist.broadcast(weights, src=2)
        else:
            dist.all_reduce(weights)
        progress = time.monotonic()
    # The recorder marks an operation completed a moment after the waiting thread continues; a dump of that very moment
    # looks like a rank that completes late.
    time.sleep(0.5)
    dump(folder, rank)
    # The others may still need this process as their peer.
    dist.barrier()


def run(fault, folder):
    try:
        main(fault, folder)
        # The end of the interpreter waits for threads that wait for peers that are gone.
        time.sleep(1)
    except RuntimeError:
        # A peer is gone or sent what was not expected. A trainer that does not leave at once is dumped as it is.
        stand_still()
    finally:
        os._exit(0)
