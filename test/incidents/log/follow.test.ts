import assert from 'node:assert/strict';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { followLog } from '../../../src/incidents/log/follow.ts';
import { smallIncident } from '../sample.ts';
import { folder, openLog, until } from './folder.ts';

function follow(t: TestContext, directory: string): { ids: Set<string>; end: () => Promise<void> } {
  const ids = new Set<string>();
  const stop = new AbortController();
  const onLine = (line: string): void => {
    const document = JSON.parse(line);
    if (document.schema === 'faultline/incident/1') ids.add(`${document.id} ${document.revision}`);
  };
  const done = followLog(directory, onLine, stop.signal, 20);
  const end = async (): Promise<void> => {
    stop.abort();
    await done;
  };
  t.after(end);
  return { ids, end };
}

test('lines come as they are written, beginning with those that are there', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  const { ids, end } = follow(t, directory);
  await until(() => ids.size === 1);
  await log.append(smallIncident(1, 2));
  await until(() => ids.size === 2);
  await log.close();
  await end();
  assert.deepEqual([...ids], [`${smallIncident(1).id} 1`, `${smallIncident(1).id} 2`]);
});

test('it waits for a directory and a file that are not there yet', async (t) => {
  const directory = join(folder(t), 'later');
  const { ids } = follow(t, directory);
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  await until(() => ids.size === 1);
  await log.close();
  assert.ok(ids.has(`${smallIncident(1).id} 1`));
});

test('many rotations lose nothing', async (t) => {
  const directory = folder(t);
  const { ids } = follow(t, directory);
  const { log } = openLog(directory, { maxBytes: 6000, maxFiles: 1000 });
  for (let number = 0; number < 300; number += 1) await log.append(smallIncident(number, 1, 'resolved'));
  await until(() => ids.size === 300);
  await log.close();
  assert.equal(ids.size, 300);
});

test('a file that was moved away is read to its end, then the new one', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const line = (number: number): string => `{"schema":"faultline/incident/1","id":"${number}","revision":1}\n`;
  writeFileSync(path, line(1));
  const { ids } = follow(t, directory);
  await until(() => ids.size === 1);
  appendFileSync(path, line(2));
  renameSync(path, `${path}.1`);
  writeFileSync(path, line(3));
  await until(() => ids.size === 3);
  assert.deepEqual([...ids], ['1 1', '2 1', '3 1']);
});

test('a line that is written in two pieces comes once, whole', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  writeFileSync(path, '{"schema":"faultline/inc');
  const { ids } = follow(t, directory);
  await new Promise((resolve) => setTimeout(resolve, 50));
  appendFileSync(path, 'ident/1","id":"1","revision":1}\n');
  await until(() => ids.size === 1);
  assert.deepEqual([...ids], ['1 1']);
});

for (const rotations of [1, 2, 3, 4, 5, 8, 13]) {
  test(`a file that is rotated while another is read is not left out (${rotations} in all)`, async (t) => {
    const directory = folder(t);
    const path = join(directory, 'incidents.jsonl');
    const stop = new AbortController();
    const numbers = new Set<number>();
    let rotated = 0;
    const write = (): void => writeFileSync(path, `${rotated}\n`);
    write();
    // A line is handed over between two steps of the reader: here the file that it is about to open is moved away.
    const onLine = (line: string): void => {
      numbers.add(Number(line));
      if (rotated === rotations) return;
      rotated += 1;
      renameSync(path, join(directory, `incidents-20260101T0000000${String(rotated).padStart(2, '0')}Z.jsonl`));
      write();
    };
    const done = followLog(directory, onLine, stop.signal, 20);
    await until(() => numbers.size === rotations + 1, { seen: () => [...numbers] });
    stop.abort();
    await done;
  });
}
