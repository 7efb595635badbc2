// Conformance: the decoders of kernel and training text against the shared cases, where those are next to the repository.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { JobLineDecoder } from '../../src/detection/text/job.ts';
import { decodeKernelLine, kernelContext, releaseHeld } from '../../src/detection/text/kernel.ts';
import { componentText } from '../../src/model/component.ts';
import type { Attributes } from '../../src/model/event.ts';
import { kindInfo } from '../../src/model/kind.ts';
import type { EventInput, TextRecord } from '../../src/model/record.ts';
import { compareSeverity } from '../../src/model/severity.ts';

interface Expected {
  readonly kind: string;
  readonly or_kinds?: readonly string[];
  readonly members?: readonly string[];
  readonly component?: string | null;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

interface Case {
  readonly format: string | readonly string[];
  readonly incidents: readonly Expected[];
  readonly ignore: readonly string[];
  readonly may?: readonly string[];
  readonly forbid: readonly string[];
  readonly progress?: readonly Readonly<Record<string, unknown>>[];
}

const data = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'logs');
const cases: Record<string, Case> = existsSync(join(data, 'expected.json'))
  ? JSON.parse(readFileSync(join(data, 'expected.json'), 'utf8'))
  : {};

/** Kinds that other decoders will read from these files. */
const ELSEWHERE = /^(nvswitch|pcie|nic|cpu|memory|fabric_manager)\./;
/** The line of the fault has no address; only the XID 154 after it has: joining the two is correlation's work. */
const WITHOUT_ADDRESS = new Set(['kernel/027-xid154-talos-kern-prefix']);

function record(line: string, position: number, source: string): TextRecord {
  const observedMs = 1_750_000_000_000 + position;
  return {
    source,
    trust: source === 'kernel-log' ? 'kernel' : 'tenant',
    stream: 'case',
    position,
    timeMs: source === 'kernel-log' ? observedMs : null,
    timeDigits: 3,
    observedMs,
    text: message(line),
    attributes: { job: 'case' },
  };
}

/** A journal export keeps the message in JSON, as text or as bytes. */
function message(line: string): string {
  if (!line.startsWith('{"')) return line;
  const entry: { MESSAGE: string | number[] } = JSON.parse(line);
  return typeof entry.MESSAGE === 'string' ? entry.MESSAGE : Buffer.from(entry.MESSAGE).toString('utf8');
}

const linesOf = (name: string) => readFileSync(join(data, `${name}.txt`), 'utf8').split('\n');

function decode(name: string): EventInput[] {
  const context = kernelContext('node-a', false);
  const events = linesOf(name).flatMap((line, index) => decodeKernelLine(record(line, index, 'kernel-log'), context));
  // What waits for lines that never came.
  return [...events, ...releaseHeld(context, Number.POSITIVE_INFINITY)];
}

const holds = (want: unknown, got: unknown) => String(want).toLowerCase() === String(got).toLowerCase();

/** Every expected attribute is on some event about the component or about a process of its chain. */
function attributesHold(want: Expected, events: readonly EventInput[]): boolean {
  return Object.entries(want.attributes ?? {}).every(
    ([name, value]) => name === 'time' || events.some((e) => holds(value, ((e.attributes ?? {}) as Attributes)[name])),
  );
}

for (const [name, truth] of Object.entries(cases)) {
  if (!name.startsWith('kernel/') || !existsSync(join(data, `${name}.txt`))) continue;
  test(`${name} decodes to its faults and to no others`, () => {
    const events = decode(name);
    for (const want of truth.incidents.filter((incident) => !ELSEWHERE.test(incident.kind))) {
      const kinds = [want.kind, ...(want.or_kinds ?? [])];
      const found = events.filter(
        (event) =>
          kinds.includes(event.kind) &&
          (want.component === null ||
            WITHOUT_ADDRESS.has(name) ||
            (event.component !== null && componentText(event.component) === want.component)),
      );
      assert.ok(found.length > 0, `${want.kind} on ${want.component} in ${JSON.stringify(events)}`);
      const chain = events.filter((event) => want.members?.includes(event.kind) || found.includes(event));
      assert.ok(attributesHold(want, chain), `${JSON.stringify(want.attributes)} in ${JSON.stringify(chain)}`);
      for (const member of want.members ?? [])
        assert.ok(
          events.some((event) => event.kind === member),
          member,
        );
    }
    const allowed = [
      ...truth.incidents.flatMap((want) => [want.kind, ...(want.or_kinds ?? []), ...(want.members ?? [])]),
      ...truth.ignore,
      ...(truth.may ?? []),
    ];
    for (const event of events) {
      assert.ok(!truth.forbid.includes(event.kind), `forbidden ${event.kind}`);
      const severity = event.severity ?? kindInfo(event.kind).severity;
      assert.ok(compareSeverity(severity, 'warning') < 0 || allowed.includes(event.kind), `false ${event.kind}`);
    }
  });
}

function holdsAll(want: Readonly<Record<string, unknown>>, got: object): boolean {
  return Object.entries(want).every(([key, value]) => {
    const found: unknown = Object.entries(got).find(([name]) => name === key)?.[1];
    return value === null ? found === null : Math.abs(Number(found) - Number(value)) <= 0.005 * Math.abs(Number(value));
  });
}

for (const [name, truth] of Object.entries(cases)) {
  if (!name.startsWith('training/') || !existsSync(join(data, `${name}.txt`))) continue;
  test(`${name} gives the steps that it prints`, () => {
    const decoder = new JobLineDecoder('case');
    const decoded = linesOf(name).map((line, index) => decoder.decode(record(line, index, 'job-log')));
    decoded.push(decoder.flush());
    const steps = decoded.flatMap(({ steps }) => steps);
    for (const { line, ...want } of truth.progress ?? []) {
      // Where no line is named, any may tell it.
      const there = steps.filter(({ position }) => line === undefined || position + 1 === line);
      const step = (there.find(({ progress }) => holdsAll(want, progress)) ?? there[0])?.progress as
        | Record<string, unknown>
        | undefined; // looked into by the names that the truth has
      assert.ok(step, `line ${line} in ${JSON.stringify(steps)}`);
      for (const [key, value] of Object.entries(want)) {
        if (value === null) assert.equal(step[key], null, key);
        else
          assert.ok(
            Math.abs(Number(step[key]) - Number(value)) <= 0.005 * Math.abs(Number(value)),
            `${key} ${step[key]}`,
          );
      }
    }
    const kinds = decoded.flatMap(({ events }) => events.map((event) => event.kind));
    assert.equal(
      kinds.includes('job.nan'),
      truth.incidents.some((incident) => incident.kind === 'job.nan'),
    );
  });
}
