// The limits that patterns name are those in force: of detectors as they are shipped, of all else as its code or catalogue has it.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { patternDocument } from '../../../src/commands/patterns/pattern-document.ts';
import { PATTERNS } from '../../../src/correlation/patterns/patterns.ts';
import { DETECTION_RULES } from '../../../src/detection/rules/detectors.ts';
import { ruleLine } from '../../../src/detection/rules/rule-text.ts';
import { BURST_MS, BURST_REPORTS, STORM_ERRORS } from '../../../src/detection/text/kernel/corrected-errors.ts';
import { installationRoot } from '../../../src/native.ts';
import { schema } from '../../../src/sources/gpu/settings.ts';
import { FLAP_CHANGES, FLAP_WINDOW_MS } from '../../../src/sources/nic/catalogue.ts';

const documents = [...PATTERNS.values()].map(patternDocument);
const valuesOf = (id: string): string => documents.find((each) => each.id === id)?.thresholds.map(({ value }) => value).join('; ') ?? ''; // biome-ignore format: one line

test('every pattern has limits, and a file that one comes from is there', () => {
  for (const { id, thresholds, detectors } of documents) {
    assert.ok(thresholds.length + detectors.length > 0, id);
    for (const { source } of thresholds)
      for (const [path] of source.matchAll(/\b(?:catalog|docs|native|src)\/[\w./-]*\w/g))
        assert.ok(existsSync(join(installationRoot(), path)), `${id}: ${path}`);
    assert.ok(
      thresholds.every(({ source, value }) => !/\bfacts\b|see detectors/.test(`${source} ${value}`)),
      id,
    );
  }
});

test('each detector of a kind that can be a pattern’s root is with it, with the limits and the source of its row', () => {
  for (const { id, root, detectors } of documents) {
    const own = DETECTION_RULES.filter(({ kind, deeper }) => root.includes(kind) || (deeper !== undefined && root.includes(deeper.kind))); // biome-ignore format: one line
    assert.deepEqual(detectors.map(({ name }) => name), own.map(({ spec }) => spec.name), id); // biome-ignore format: one line
    for (const [i, rule] of own.entries()) {
      const { condition, source } = ruleLine(rule);
      assert.ok(
        detectors[i]?.condition.startsWith(condition) && detectors[i]?.source === source,
        `${id}: ${condition}`,
      );
    }
  }
  assert.match(
    documents.find(({ id }) => id === 'feed_phase_lost')?.detectors[0]?.condition ?? '',
    /; this under 0\.5 ×$/,
  );
});

test('what code and catalogues have is what the patterns of it say', () => {
  const inForce = [
    ['network_link_flap', `${FLAP_CHANGES} within ${FLAP_WINDOW_MS / 60_000} min`],
    ['host_memory_failing', `${STORM_ERRORS} within an hour, or ${BURST_REPORTS} reports within ${BURST_MS / 1000} s`],
    ['gsp_or_driver_hang', schema.gpu.properties.call_deadline.default.replace('s', ' s')],
  ] as const;
  for (const [id, words] of inForce) assert.ok(valuesOf(id).includes(words), `${id}: ${valuesOf(id)}, not ${words}`);
});
