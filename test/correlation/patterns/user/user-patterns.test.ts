// A site's own patterns: files of YAML that are held, tried, and named by incidents like those of the catalogue.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { playExample } from '../../../../src/commands/patterns/play-example.ts';
import { testPattern } from '../../../../src/commands/patterns/test-pattern.ts';
import { useUserPatterns } from '../../../../src/correlation/patterns/known-patterns.ts';
import { namedPattern } from '../../../../src/correlation/patterns/match.ts';
import { readPatternFolder, usePatternFolder } from '../../../../src/correlation/patterns/user/pattern-folder.ts';
import { readUserPattern } from '../../../../src/correlation/patterns/user/read-user-pattern.ts';

const GOOD = `headline: Cooling of row C lost
about: The CDU of row C is known to lose its pump; its GPUs throttle within a minute.
root: [cooling.flow_low]
completes:
  - any: [gpu.thermal_throttle, gpu.overtemp]
    why: GPUs behind it are hot
remediation: Ask the facility desk to start pump 2 of the CDU of row C by hand.
runbook: https://wiki.example.com/row-c
examples:
  clear:
    events: [[0, cooling.flow_low, cdu/row-c], [30, gpu.thermal_throttle, gpu/0000:9b:00.0]]
  partial:
    events: [[0, cooling.flow_low, cdu/row-c]]
  look_alike:
    is: gpu_overheating
    events: [[0, gpu.thermal_throttle, gpu/0000:9b:00.0]]
`;

/** A folder with a configuration, and patterns.d with these files. */
function site(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'patterns-'));
  t.after(() => rmSync(folder, { recursive: true }));
  t.after(() => useUserPatterns([]));
  mkdirSync(join(folder, 'patterns.d'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'patterns.d', name), text);
  return { configuration: join(folder, 'faultline.yaml'), path: (name: string) => join(folder, 'patterns.d', name) };
}

async function tested(file: string) {
  const out = { text: '', status: 0 };
  const stream = { write: (text: string) => (out.text += text) };
  await testPattern(file, { stdout: stream, stderr: stream, status: (code: number) => (out.status = code) } as never); // as far as it is used
  return out;
}

test('an incident is named by a pattern of the site before one of the catalogue that asks for as much', async (t) => {
  const { configuration } = site(t, { 'row_cooling_lost.yaml': GOOD });
  const events = [[0, 'cooling.flow_low', 'cdu/row-c'], [30, 'gpu.thermal_throttle', 'gpu/0000:9b:00.0']] as const; // biome-ignore format: one scenario
  assert.equal(playExample(events)[0]?.pattern, 'cooling_lost');
  assert.deepEqual(await usePatternFolder(configuration), []);
  const [incident] = playExample(events);
  assert.equal(incident?.pattern, 'row_cooling_lost');
  assert.equal(incident && namedPattern(incident)?.pattern.runbook, 'https://wiki.example.com/row-c');
  useUserPatterns([]);
  // Without its file the name stays, and says nothing more.
  assert.equal(incident && namedPattern(incident), null);
});

test('its examples are played, and what is not as it must be is reported by its line', async (t) => {
  const wrong = GOOD.replace('is: gpu_overheating', 'is: cooling_lost');
  const good = await tested(site(t, { 'row_cooling_lost.yaml': GOOD }).path('row_cooling_lost.yaml'));
  assert.equal(good.status, 0, good.text);
  assert.match(good.text, /row_cooling_lost: 3 of 3 examples/);
  const bad = await tested(site(t, { 'row_d.yml': wrong }).path('row_d.yml'));
  assert.equal(bad.status, 1);
  assert.match(bad.text, /row_d\.yml:14:3: examples\.look_alike is gpu_overheating partial; it must be cooling_lost/);
});

test('a look-alike that looks like it in nothing is said to be one', async (t) => {
  const other = GOOD.replace('[[0, gpu.thermal_throttle, gpu/0000:9b:00.0]]', '[[0, gpu.lost, gpu/0000:9b:00.0]]').replace('is: gpu_overheating', 'is: gpu_fell_off_bus'); // biome-ignore format: one change
  assert.doesNotMatch(
    (await tested(site(t, { 'good.yaml': GOOD }).path('good.yaml'))).text,
    /looks like it in nothing/,
  );
  const { text, status } = await tested(site(t, { 'other.yaml': other }).path('other.yaml'));
  assert.match(
    text,
    /^other: look_alike shows nothing that the pattern begins with or needs, so that it looks like it in nothing$/m,
  );
  assert.equal(status, 0);
});

test('what is wrong with a file is said by line and column with what to write, and the others are in force', async (t) => {
  const { configuration, path } = site(t, {
    'row_cooling_lost.yaml': GOOD,
    'a.yaml': GOOD.replace('[cooling.flow_low]', '[cooling.flow_lw]')
      .replace('30, gpu.', '30, gpx.')
      .replace('is: gpu_o', 'is: gpu_0'),
    'b.yaml': 'headline: Too little is said here\n',
    'c.yaml': 'root: [',
    'gpu_overheating.yaml': GOOD,
    'Wrong-Name.yaml': GOOD,
  });
  const wrongOf = (name: string) => {
    try {
      readUserPattern(path(name));
      return '';
    } catch (error) {
      return String(error instanceof Error ? error.message : error);
    }
  };
  const words = wrongOf('a.yaml');
  assert.match(words, /a\.yaml:3:8: there is no kind cooling\.flow_lw\. Did you mean: cooling\.flow_low/);
  assert.match(words, /a\.yaml:11:\d+: there is no kind gpx\.thermal_throttle/);
  assert.match(words, /a\.yaml:15:9: there is no pattern gpu_0verheating\. Did you mean: gpu_overheating/);
  assert.match(wrongOf('b.yaml'), /b\.yaml:1:1: .*about/);
  assert.match(wrongOf('c.yaml'), /c\.yaml:1:/);
  assert.match(wrongOf('gpu_overheating.yaml'), /is the name of a pattern of the catalogue/);
  assert.match(wrongOf('Wrong-Name.yaml'), /is not a name of a pattern/);
  const { patterns, wrong } = await readPatternFolder(configuration);
  assert.deepEqual([patterns.map(({ pattern }) => pattern.id), wrong.length], [['row_cooling_lost'], 5]);
});

test('without a folder, or next to a configuration of another name, there are none', async (t) => {
  const { configuration } = site(t, { 'row_cooling_lost.yaml': GOOD });
  assert.deepEqual(await readPatternFolder(`${configuration}.d/faultline.yaml`), { patterns: [], wrong: [] });
  assert.deepEqual(await readPatternFolder(configuration.replace('faultline.yaml', 'other.yaml')), {
    patterns: [],
    wrong: [],
  });
});
