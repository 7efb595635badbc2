// What a collector gets of named patterns: each record as it was exported, held to the schema of the verdict under Tracecore's names.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { playExample } from '../../../src/commands/patterns/play-example.ts';
import { catalogueFolder } from '../../../src/helpers/catalogue-folder.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { Collector } from './collector.ts';
import { otlpConfig, reports, startSink, stateDirectory, until } from './harness.ts';

const catalog = join(import.meta.dirname, '..', '..', '..', 'catalog');
const valid = new Ajv().compile(JSON.parse(readFileSync(join(catalog, 'pattern-verdict.schema.json'), 'utf8')));
type Events = Parameters<typeof playExample>[0];

/** The incident of each pattern's clear scenario; what they have in common is told apart by its id. */
function incidents(): Map<string, Incident> {
  const found = new Map<string, Incident>();
  for (const [id, entry] of catalogueFolder('patterns')) {
    const { events } = (entry as { examples: { clear: { events: Events } } }).examples.clear; // held by its schema
    const incident = playExample(events).find(({ pattern }) => pattern === id);
    assert.ok(incident !== undefined, id);
    found.set(id, { ...incident, id: `${found.size}`.padStart(12, '0') });
  }
  return found;
}

test('each pattern is exported with a verdict of the schema, as attributes and whole as text', async (t) => {
  const collector = await Collector.grpc();
  t.after(() => collector.kill());
  const sink = await startSink(otlpConfig(collector.port), stateDirectory(), reports().logger);
  const made = incidents();
  assert.ok(made.size >= 31);
  for (const incident of made.values()) sink.incident(incident);
  await until(
    () => collector.logs.length >= made.size,
    () => collector.logs.length,
  );
  await sink.stop();
  const seen = new Set<string>();
  for (const { attributes } of collector.logs) {
    const own = Object.fromEntries(
      Object.entries(attributes).filter(([name]) => /^pattern\.(?!verdict_json)/.test(name)),
    );
    assert.ok(valid(own), `${JSON.stringify(own)}: ${JSON.stringify(valid.errors)}`);
    const whole: Record<string, unknown> = JSON.parse(String(attributes['pattern.verdict_json']));
    assert.ok(valid(whole), JSON.stringify(valid.errors));
    const { evidence_trail: trail, ...named } = whole;
    assert.deepEqual(named, own);
    assert.ok(Array.isArray(trail) && trail.length > 0);
    seen.add(String(own['pattern.id']));
  }
  assert.deepEqual([...seen].sort(), [...made.keys()].sort());
});
