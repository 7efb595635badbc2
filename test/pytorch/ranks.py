"""Starts the ranks of jobs as forks of one process that has imported PyTorch, for an import takes longer than a whole job.

usage: ranks.py   A line `FAULT FOLDER PORT WORLD` on stdin starts a job, `end` kills what is left of it; the end of stdin too.
Prints `gone RANK` for a rank that has ended, and `ended` where none is left after `end`.
"""
import os
import select
import signal
import sys

# The first dump with stacks imports this, for seconds.
import torch._inductor.codecache

import rank  # no thread runs before the forks

running = {}


def start(fault, folder, port, world):
    for number in range(int(world)):
        pid = os.fork()
        if pid == 0:
            os.environ.update(RANK=str(number), WORLD_SIZE=world, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            signal.set_wakeup_fd(-1)
            rank.run(fault, folder)
        running[pid] = number


def reap(flags):
    while running:
        pid, _ = os.waitpid(-1, flags)
        if pid == 0:
            return
        print("gone", running.pop(pid), flush=True)


def end():
    for pid in running:
        os.kill(pid, signal.SIGKILL)
    reap(0)


def serve():
    # A child that ends wakes the wait for the next line.
    woken, wake = os.pipe()
    for side in (woken, wake):
        os.set_blocking(side, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    rest = b""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            reap(os.WNOHANG)
        if 0 not in ready:
            continue
        part = os.read(0, 4096)
        if part == b"":
            break
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            if line == b"end":
                end()
                print("ended", flush=True)
            else:
                start(*line.decode().split(" "))
    end()


serve()
