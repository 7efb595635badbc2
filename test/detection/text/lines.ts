// Makes text records for the tests of the decoders.

import { decodeKernelLine, type KernelContext, kernelContext } from '../../../src/detection/text/kernel.ts';
import type { Attributes } from '../../../src/model/event.ts';
import type { EventInput, TextRecord } from '../../../src/model/record.ts';

export const START_MS = Date.UTC(2026, 10, 27, 12, 0, 0);

export function kernelRecord(text: string, position = 1, timeMs = START_MS): TextRecord {
  return {
    source: 'kernel-log',
    trust: 'kernel',
    stream: '/dev/kmsg',
    position,
    timeMs,
    timeDigits: 6,
    observedMs: timeMs + 1,
    text,
    attributes: { priority: 4, facility: 0 },
  };
}

export function jobRecord(text: string, position = 0, observedMs = START_MS, attributes: Attributes = {}): TextRecord {
  return {
    source: 'job-log',
    trust: 'tenant',
    stream: 'job/llama:/logs/rank0.log',
    position,
    timeMs: null,
    timeDigits: 0,
    observedMs,
    text,
    attributes: { job: 'llama', path: '/logs/rank0.log', framework: 'auto', ...attributes },
  };
}

export function decodeLines(lines: readonly string[], context: KernelContext = kernelContext('node-1')): EventInput[] {
  return lines.flatMap((line, index) => decodeKernelLine(kernelRecord(line, index), context));
}
