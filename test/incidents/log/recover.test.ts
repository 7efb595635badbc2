import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { recover } from '../../../src/incidents/log/recover.ts';
import { incident, smallIncident } from '../sample.ts';
import { folder, lines, names, openLog } from './folder.ts';

/** A log of two interleaved incidents: its bytes, and where each line ends with what it says. */
async function written(directory: string): Promise<Buffer> {
  const { log } = openLog(directory);
  for (let revision = 1; revision <= 3; revision += 1) {
    await log.append(smallIncident(1, revision));
    await log.append(smallIncident(2, revision, revision === 3 ? 'resolved' : 'open'));
  }
  await log.close();
  return readFileSync(join(directory, 'incidents.jsonl'));
}

/** Newest revision by incident that the whole lines within the first `length` bytes tell. */
function reported(bytes: Buffer, length: number): Map<string, number> {
  const revisions = new Map<string, number>();
  const text = bytes.subarray(0, length).toString('utf8');
  const whole = bytes[length] === 10 ? text : text.slice(0, text.lastIndexOf('\n') + 1);
  for (const line of whole.split('\n').filter((each) => each !== '')) {
    const document = JSON.parse(line);
    if (document.schema === 'faultline/incident/1') revisions.set(document.id, document.revision);
  }
  return revisions;
}

async function checkCrashAt(directory: string, bytes: Buffer, length: number): Promise<void> {
  const path = join(directory, 'incidents.jsonl');
  const before = names(directory).length;
  writeFileSync(path, bytes.subarray(0, length));
  const recovered = await recover(directory);
  assert.deepEqual(new Map(recovered.incidents.map(({ id, revision }) => [id, revision])), reported(bytes, length));
  for (const open of recovered.openIncidents) assert.equal(open.events.length, 1);
  const kept = readFileSync(path);
  const ends = length === 0 || bytes[length - 1] === 10;
  const whole = !ends && bytes[length] === 10;
  const lineStart = bytes.subarray(0, length).lastIndexOf(10) + 1;
  // Nothing is lost: the log and the side file together are the bytes that were there.
  if (ends) assert.deepEqual(kept, bytes.subarray(0, length));
  else if (whole) assert.deepEqual(kept, bytes.subarray(0, length + 1));
  else {
    const side = names(directory).filter((name) => name.includes('torn'));
    const number = Math.max(...side.map((name) => Number(name.split('-').at(-1))));
    assert.deepEqual(kept, bytes.subarray(0, lineStart));
    assert.deepEqual(readFileSync(`${path}.torn-${number}`), bytes.subarray(lineStart, length));
  }
  assert.equal(recovered.warnings.length, ends ? 0 : 1);
  assert.equal(names(directory).length, before + (ends || whole ? 0 : 1));
  // And the next start finds nothing to fix.
  assert.deepEqual((await recover(directory)).warnings, []);
}

test('a crash at any byte around the ends of lines leaves a log that recovers', async (t) => {
  const bytes = await written(folder(t));
  const directory = folder(t);
  writeFileSync(join(directory, 'incidents.jsonl'), '');
  for (let at = 0; at <= bytes.length; at += 1) {
    const near = [0, 1, 2].some((step) => bytes[at - step] === 10 || bytes[at + step] === 10);
    if (near || at < 3 || at === bytes.length) await checkCrashAt(directory, bytes, at);
  }
});

test('a crash at a random byte leaves a log that recovers', async (t) => {
  const bytes = await written(folder(t));
  const directory = folder(t);
  writeFileSync(join(directory, 'incidents.jsonl'), '');
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), (at) => checkCrashAt(directory, bytes, at)),
    { numRuns: 300 },
  );
});

test('after a crash the log continues: the same ids, and events that are there are not written again', async (t) => {
  const directory = folder(t);
  const bytes = await written(directory);
  const path = join(directory, 'incidents.jsonl');
  truncateSync(path, bytes.length - 10);
  const { openIncidents } = await recover(directory);
  assert.deepEqual(
    openIncidents.map(({ id, revision }) => [id, revision]),
    [
      [smallIncident(2).id, 2],
      [smallIncident(1).id, 3],
    ],
  );
  const { log } = openLog(directory, { restored: openIncidents });
  const count = lines(path).length;
  await log.append(smallIncident(2, 3, 'resolved'));
  await log.close();
  assert.deepEqual(lines(path).slice(count), [['incident', smallIncident(2).id, 3]]);
  assert.deepEqual(
    (await recover(directory)).openIncidents.map(({ id }) => id),
    [smallIncident(1).id],
  );
});

test('garbage between the lines is passed over and named by file and line', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const good = (await written(directory)).toString('utf8').split('\n').slice(0, -1);
  const garbage = [
    '\0'.repeat(4096),
    '{"schema":"faultline/incident/1","id":"x"}',
    '[]',
    'not json',
    '{"a":',
    '',
    '\u001b[2J',
  ];
  const mixed = good.flatMap((line, index) => [garbage[index] ?? 'more', line]);
  writeFileSync(path, `${mixed.join('\n')}\n`);
  const { incidents, warnings } = await recover(directory);
  assert.deepEqual(
    incidents.map(({ revision }) => revision),
    [3, 3],
  );
  const bad = mixed.flatMap((line, index) => (good.includes(line) || line === '' ? [] : [index + 1]));
  assert.deepEqual(
    warnings,
    bad.map((number) => `FL3107 ${path}:${number} cannot be read and is skipped; the lines around it are used`),
  );
});

test('any bytes at all are read without an exception', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
      writeFileSync(path, bytes);
      const { incidents } = await recover(directory);
      assert.deepEqual(incidents, []);
      assert.deepEqual(
        (await recover(directory)).warnings.filter((warning) => warning.startsWith('FL3106')),
        [],
      );
    }),
  );
});

test('a line over the limit is skipped, not kept in memory, and what follows is read', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const good = await written(directory);
  writeFileSync(path, Buffer.concat([Buffer.alloc(9_000_000, 'x'), Buffer.from('\n'), good]));
  const { incidents, warnings } = await recover(directory);
  assert.equal(incidents.length, 2);
  assert.deepEqual(warnings, [`FL3107 ${path}:1 cannot be read and is skipped; the lines around it are used`]);
});

test('a torn line over the limit is kept whole in the side file', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const torn = Buffer.alloc(9_000_001, 'x');
  writeFileSync(path, torn);
  await recover(directory);
  assert.ok(readFileSync(`${path}.torn-1`).equals(torn));
  assert.equal(readFileSync(path).length, 0);
});

test('the newest revision counts, wherever it is', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  for (const revision of [1, 3, 2]) await log.append(smallIncident(1, revision));
  await log.close();
  assert.deepEqual(
    (await recover(directory)).incidents.map(({ revision }) => revision),
    [3],
  );
});

test('rotated files, and those that logrotate numbered, are part of the log', async (t) => {
  const directory = folder(t);
  const text = async (number: number): Promise<string> => {
    const own = folder(t);
    const { log } = openLog(own);
    await log.append(smallIncident(number));
    await log.close();
    return readFileSync(join(own, 'incidents.jsonl'), 'utf8');
  };
  writeFileSync(join(directory, 'incidents-20261127T143200000Z.jsonl'), await text(1));
  writeFileSync(join(directory, 'incidents.jsonl.2'), await text(2));
  writeFileSync(join(directory, 'incidents.jsonl.torn-1'), await text(3));
  writeFileSync(join(directory, 'other.jsonl'), await text(4));
  const { openIncidents } = await recover(directory);
  assert.deepEqual(
    openIncidents.map(({ id }) => id),
    [smallIncident(1).id, smallIncident(2).id],
  );
  assert.deepEqual(
    openIncidents.map(({ events }) => events.length),
    [1, 1],
  );
});

test('no directory is not trouble; one that is a link or a file is reported', async (t) => {
  const directory = folder(t);
  const { placeOf: _, ...none } = await recover(join(directory, 'none'));
  assert.deepEqual(none, {
    past: [],
    incidents: [],
    openIncidents: [],
    notes: [],
    runs: [],
    warnings: [],
  });
  writeFileSync(join(directory, 'file'), '');
  assert.match((await recover(join(directory, 'file'))).warnings[0] ?? '', /^FL3105 .*ENOTDIR/);
  symlinkSync('/etc/passwd', join(directory, 'incidents.jsonl'));
  assert.match((await recover(directory)).warnings[0] ?? '', /^FL3105 .*ELOOP/);
});

test('of many incidents the hundred that changed last are remembered, and every open one', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  const answers = [log.append(incident('7f3c41d2a0b1'))];
  for (let number = 0; number < 2500; number += 1) answers.push(log.append(smallIncident(number, 1, 'resolved')));
  await Promise.all(answers);
  await log.close();
  const { incidents, openIncidents } = await recover(directory);
  assert.equal(incidents.length, 100);
  assert.equal(incidents.at(-1)?.id, smallIncident(2499).id);
  assert.deepEqual(openIncidents, [incident('7f3c41d2a0b1')]);
});

test('a newest revision that only looks whole is passed over for the one before it', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const text = (await written(directory)).toString('utf8').split('\n');
  const damaged = text.map((line) => (line.includes('"revision":1,') ? line : line.replace('"chain":', '"chain:')));
  writeFileSync(path, damaged.join('\n'));
  const { openIncidents, warnings } = await recover(directory);
  const reported = openIncidents.map(({ id, revision }) => [id, revision]);
  assert.deepEqual(reported.sort(), [
    [smallIncident(1).id, 1],
    [smallIncident(2).id, 1],
  ]);
  assert.deepEqual(
    warnings.map((warning) => warning.split(' ')[1]),
    [5, 6, 7, 8].map((number) => `${path}:${number}`),
  );
});

test('lines whose fields stand in another order are read too', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const turned = (line: string): string =>
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));
  const text = (await written(directory)).toString('utf8').split('\n').slice(0, -1);
  const { placeOf: _, ...expected } = await recover(directory);
  writeFileSync(path, text.map((line) => `${turned(line)}\n`).join(''));
  const { placeOf: __, ...turnedRound } = await recover(directory);
  // What is past is known from the heads of our own lines alone.
  assert.deepEqual({ ...turnedRound, past: expected.past }, expected);
});
