// Makes text records for the tests of the decoders, and tests of what single lines are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeKernelLine,
  type KernelContext,
  kernelContext,
  releaseHeld,
} from '../../../src/detection/text/kernel.ts';
import { componentText } from '../../../src/model/component.ts';
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

/** What the lines report, all of one time or `apartMs` from one to the next, and what had to wait for more of them. */
export function decodeLines(
  lines: readonly string[],
  context: KernelContext = kernelContext('node-1'),
  timeMs = START_MS,
  apartMs = 0,
): EventInput[] {
  const seen = lines.flatMap((line, index) =>
    decodeKernelLine(kernelRecord(line, index, timeMs + index * apartMs), context),
  );
  return [...seen, ...releaseHeld(context, timeMs + lines.length * apartMs + 60_000)];
}

/** A line, the kind and component of the one event that it is, and attributes that the event must have. */
export type Shape = readonly [string, string, string | null, Record<string, unknown>];

/** A test for each shape. */
export function testShapes(shapes: readonly Shape[]): void {
  for (const [line, kind, component, attributes] of shapes) {
    test(`${kind} from: ${line.slice(0, 80)}`, () => {
      const [event, ...others] = decodeLines([line]);
      assert.ok(event);
      assert.deepEqual(others, []);
      assert.equal(event.kind, kind);
      assert.equal(event.component === null ? null : componentText(event.component), component);
      for (const [name, value] of Object.entries(attributes)) assert.equal(event.attributes?.[name], value, name);
    });
  }
}
