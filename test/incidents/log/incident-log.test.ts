import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GrownEvents } from '../../../src/incidents/log/grown-events.ts';
import { loadNotes } from '../../../src/incidents/log/load-notes.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { ack, BRAKES, incident, SAG, smallIncident, T0 } from '../sample.ts';
import { codes, everything, folder, lines, names, openLog, until } from './folder.ts';

const ID = '7f3c41d2a0b1';

test('events stand before the first revision that names them, and once', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  const answer = await log.append(incident(ID));
  assert.equal(answer.log, 'written');
  await log.append(incident(ID, { revision: 2 }));
  await log.close();
  const events = [SAG, ...BRAKES].map(({ id }) => ['event', id, 1]);
  assert.deepEqual(lines(join(directory, 'incidents.jsonl')), [...events, ['incident', ID, 1], ['incident', ID, 2]]);
});

test('an event is written again when its count changed', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  const repeated = smallIncident(1, 2);
  await log.append({ ...repeated, events: repeated.events.map((each) => ({ ...each, count: 5 })) });
  await log.close();
  assert.deepEqual(
    lines(join(directory, 'incidents.jsonl')).map(([kind, , number]) => [kind, number]),
    [
      ['event', 1],
      ['incident', 1],
      ['event', 5],
      ['incident', 2],
    ],
  );
});

function grown(more: Partial<FaultEvent>): FaultEvent {
  const [event] = smallIncident(1).events;
  assert.ok(event !== undefined);
  return { ...event, ...more };
}

test('an event that grows without a revision is written again, and read so by whoever asks', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory, { grownMs: 5 });
  const path = join(directory, 'incidents.jsonl');
  log.heard(grown({ count: 2 })); // of no incident yet: the log does not have it
  await log.append(smallIncident(1));
  log.heard(grown({ count: 7, attributes: { process_group: 1 } }));
  await until(() => lines(path).length === 3);
  const [read] = await everything(directory);
  assert.deepEqual([read?.events[0]?.count, read?.events[0]?.attributes], [7, { process_group: 1 }]);
  log.heard(grown({ count: 3 })); // an older form that came late
  await log.append(smallIncident(1, 2)); // as is the form that this revision has
  log.heard(grown({ count: 9 }));
  await log.close(); // before its time
  assert.deepEqual(lines(path).map(([, , number]) => number), [1, 1, 7, 2, 9]); // biome-ignore format: one line
});

test('an event that grows for a day is written ever more rarely, and a storm of them in turns', () => {
  const day = new GrownEvents(1000);
  day.written(grown({}), 'host', 0);
  let written = 0;
  for (let second = 1; second <= 86_400; second += 1) {
    day.heard(grown({ count: second + 1 }));
    for (const { event, host } of day.due(second * 1000, false)) {
      day.written(event, host, second * 1000);
      written += 1;
    }
  }
  assert.ok(written > 20 && written < 60, `${written} lines`);
  assert.equal(day.due(86_400_000, true)[0]?.event.count, 86_401);
  const storm = new GrownEvents(1000);
  for (let i = 0; i < 500; i += 1) {
    storm.written(grown({ id: `event-${i}` }), 'host', 0);
    storm.heard(grown({ id: `event-${i}`, count: 2 }));
  }
  const turns: number[] = [];
  for (let second = 1; storm.waiting; second += 1) {
    const due = storm.due(second * 1000, false);
    turns.push(due.length);
    for (const { event, host } of due) storm.written(event, host, second * 1000);
  }
  assert.deepEqual(turns, [64, 64, 64, 64, 64, 64, 64, 52]);
});

test('a new file begins with events as they are now', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory, { grownMs: 60_000 });
  await log.append(smallIncident(1));
  log.heard(grown({ count: 40 }));
  renameSync(join(directory, 'incidents.jsonl'), join(directory, 'incidents.jsonl.1'));
  await log.append(smallIncident(2));
  assert.deepEqual(lines(join(directory, 'incidents.jsonl'))[0], ['event', 'event-1', 40]);
  await log.close();
});

test('two incidents that are written at once stay whole and in order', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  t.after(() => log.close());
  const answers = [];
  for (let revision = 1; revision <= 200; revision += 1) {
    answers.push(log.append(smallIncident(1, revision)), log.append(smallIncident(2, revision)));
  }
  for (const answer of await Promise.all(answers)) assert.equal(answer.log, 'written');
  await log.close();
  const written = lines(join(directory, 'incidents.jsonl')).filter(([kind]) => kind === 'incident');
  for (const number of [1, 2]) {
    const revisions = written.filter(([, id]) => id === smallIncident(number).id).map(([, , revision]) => revision);
    assert.deepEqual(
      revisions,
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
  }
});

test('file and directory are for the owner and the group only', async (t) => {
  const directory = join(folder(t), 'log', 'faultline');
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  await log.close();
  assert.equal(statSync(directory).mode & 0o777, 0o750);
  assert.equal(statSync(join(directory, 'incidents.jsonl')).mode & 0o777, 0o640);
});

test('text of others cannot begin a line or a terminal sequence in the log', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  const title = 'x\n{"schema":"faultline/incident/1"}\r\u001b[2J\u009b31m\u2028\u202e';
  await log.append({ ...smallIncident(1), title });
  await log.close();
  const text = readFileSync(join(directory, 'incidents.jsonl'), 'utf8');
  assert.equal(text.split('\n').length, 3);
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\u2028\u202e]/u);
  assert.equal((await recover(directory)).incidents[0]?.title, title);
});

test('a symbolic link in the log’s place is not followed', async (t) => {
  const directory = folder(t);
  const victim = join(directory, 'victim');
  writeFileSync(victim, 'keep me');
  const { log, troubles } = openLog(join(directory));
  symlinkSync(victim, join(directory, 'incidents.jsonl'));
  assert.equal((await log.append(smallIncident(1))).log, 'unavailable');
  await log.close();
  assert.equal(readFileSync(victim, 'utf8'), 'keep me');
  assert.match(troubles[0] ?? '', /^FL3101 .*ELOOP.*symbolic link/);
});

test('a file that was moved away is left to whoever moved it, and a new one begins with what is open', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const { log, troubles } = openLog(directory);
  await log.append(smallIncident(1));
  await log.append(smallIncident(2, 1, 'resolved'));
  renameSync(path, join(directory, 'incidents.jsonl.1'));
  await log.append(smallIncident(3));
  await log.close();
  assert.deepEqual(codes(troubles), ['FL3108']);
  assert.equal(lines(join(directory, 'incidents.jsonl.1')).length, 4);
  assert.deepEqual(
    lines(path).map(([kind, id]) => [kind, id]),
    [1, 3].flatMap((number) => [
      ['event', `event-${number}`],
      ['incident', smallIncident(number).id],
    ]),
  );
});

test('a deleted file is begun again', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  unlinkSync(path);
  assert.equal((await log.append(smallIncident(2))).log, 'written');
  await log.close();
  assert.equal((await recover(directory)).incidents.length, 2);
});

test('reopen lets go of a file that was moved, without a word', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const { log, troubles } = openLog(directory);
  await log.append(smallIncident(1));
  renameSync(path, `${path}.1`);
  log.reopen();
  await log.append(smallIncident(2));
  await log.close();
  assert.deepEqual(troubles, []);
  assert.ok(existsSync(path));
});

test('a line that another program left torn spoils no line of ours', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  appendFileSync(path, '{"half');
  await log.append(smallIncident(2));
  await log.close();
  const { incidents, warnings } = await recover(directory);
  assert.deepEqual(
    incidents.map(({ id }) => id),
    [smallIncident(1).id, smallIncident(2).id],
  );
  assert.deepEqual(warnings, [`FL3107 ${path}:3 cannot be read and is skipped; the lines around it are used`]);
});

test('notes of people go into the same log', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  const note = ack(ID, T0);
  assert.equal(await log.appendNote(note), true);
  await log.close();
  assert.deepEqual(await loadNotes(directory), [note]);
  assert.deepEqual((await recover(directory)).warnings, []);
});

test('an incident too long for a line goes without its evidence, which its events keep', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  const one = { source: 'job-log', timeMs: 0, text: 'x'.repeat(2048) };
  const evidence = Array.from({ length: 2500 }, () => one);
  assert.equal((await log.append({ ...smallIncident(1), evidence })).log, 'written');
  await log.close();
  const { openIncidents, warnings } = await recover(directory);
  assert.deepEqual([openIncidents.length, openIncidents[0]?.evidence, warnings], [1, [], []]);
});

test('after close nothing is taken any more and nothing waits', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await log.close();
  await log.close();
  assert.equal((await log.append(smallIncident(1))).log, 'unavailable');
  assert.deepEqual(names(directory), []);
});

test('a missing directory is made, also when it goes away later', async (t) => {
  const directory = join(folder(t), 'log');
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  renameSync(directory, `${directory}-away`);
  mkdirSync(directory);
  assert.equal((await log.append(smallIncident(2))).log, 'written');
  await log.close();
  assert.deepEqual(names(directory), ['incidents.jsonl']);
});
