// A small heap for the daemon: it lives for months on few objects, and the host's memory and cores are the job's.

import { setFlagsFromString } from 'node:v8';

/** What matters at rest has run so often by then that it is compiled. */
const COMPILED_MS = 600_000;
const ALL_COMPILED_MS = 1_500_000;

/**
 * Call once the daemon has started. V8 otherwise lets the young generation grow to 16 MiB and keeps it: measured with `bench/daemon.mjs`,
 * 6 MiB less resident memory, CPU unchanged at a few events a second. A young generation of that size is collected by one thread
 * sooner than four others are woken for it (16 context switches a second, with every source).
 * Where other threads mark the heap, 15 to 20 ms pass from the beginning of a full collection to its end, in which nothing else has a
 * turn (`bench/kernel-latency.mjs`); by itself the thread is through in a third of that, for the same CPU.
 *
 * `--optimize-for-size` moves objects together and gives pages back. It would also collect everything each time that the heap has
 * grown by a tenth, every ten seconds for ever: the percentage says when instead.
 *
 * Sparkplug makes machine code of whatever ran a few times, which is never given back; what runs often is compiled by the next stage all
 * the same. TurboFan, the last of these stages, is 5 MiB of Node's own program that stay mapped for a few functions a minute, and its work
 * takes some MiB of malloc's heap for a moment; without it a job's log of 3 MB/s takes a seventh more of the processor (ADR 12).
 * Maglev, the one before, compiles what ran four hundred times. What has not come to that in ten minutes runs so seldom that its code saves
 * nothing, and stays: from then on it takes ten times as many, and after 25 minutes a hundred times, which what is busy has within seconds.
 * Not before the start: with other flags than its own, Node compiles its modules again instead of taking them from its program.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--no-sparkplug');
  setFlagsFromString('--no-turbofan');
  setFlagsFromString('--max-semi-space-size=1');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--heap-growing-percent=15');
  setFlagsFromString('--no-parallel-scavenge');
  setFlagsFromString('--no-concurrent-marking');
  setTimeout(() => setFlagsFromString('--invocation-count-for-maglev=4000'), COMPILED_MS).unref();
  setTimeout(() => setFlagsFromString('--invocation-count-for-maglev=40000'), ALL_COMPILED_MS).unref();
}
