import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LogHandle } from '../../../src/incidents/log/appender.ts';
import { openForAppending } from '../../../src/incidents/log/files.ts';
import { incidentLine } from '../../../src/incidents/log/incident-lines.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import { smallIncident } from '../sample.ts';
import { codes, folder, lines, openLog, until } from './folder.ts';

/** A disk that fails or hangs on command, in front of a real one. */
class Disk {
  error: string | null = null;
  /** Bytes of a write that still reach the disk before it fails. */
  partial = 0;
  syncError: string | null = null;
  #gate: Promise<void> = Promise.resolve();
  #openGate: () => void = () => undefined;

  hang(): void {
    this.#gate = new Promise((resolve) => {
      this.#openGate = resolve;
    });
  }

  wake(): void {
    this.#openGate();
  }

  open = async (path: string): Promise<LogHandle> => {
    const file = await openForAppending(path);
    return {
      read: (buffer, offset, length, position) => file.read(buffer, offset, length, position),
      truncate: (length) => file.truncate(length),
      stat: () => file.stat(),
      close: () => file.close(),
      write: async (bytes, offset) => {
        await this.#gate;
        if (this.error === null) return await file.write(bytes, offset);
        await file.write(bytes, offset, this.partial);
        throw Object.assign(new Error(this.error), { code: this.error });
      },
      datasync: async () => {
        if (this.syncError !== null) throw Object.assign(new Error(this.syncError), { code: this.syncError });
        await file.datasync();
      },
    };
  };
}

for (const error of ['ENOSPC', 'EIO', 'EROFS']) {
  test(`${error}: incidents go out without the log, are reported and counted, and are written when the disk is back`, async (t) => {
    const directory = folder(t);
    const path = join(directory, 'incidents.jsonl');
    const disk = new Disk();
    const { log, troubles } = openLog(directory, { open: disk.open });
    assert.equal((await log.append(smallIncident(1))).log, 'written');
    disk.error = error;
    disk.partial = 17;
    assert.equal((await log.append(smallIncident(1, 2))).log, 'unavailable');
    assert.equal((await log.append(smallIncident(2, 1))).log, 'unavailable');
    disk.error = null;
    await until(() => log.counts().waitingBytes === 0);
    assert.equal((await log.append(smallIncident(1, 3))).log, 'written');
    await log.close();
    assert.deepEqual(codes(troubles), ['FL3101', 'FL3104']);
    assert.match(troubles[0] ?? '', new RegExp(`${error}\\).*: `));
    assert.match(troubles[1] ?? '', /2 entries were written late, 0 lines were lost/);
    assert.deepEqual(
      lines(path).map(([kind, id, number]) => `${kind} ${id} ${number}`),
      [
        'event event-1 1',
        'incident 000000000001 1',
        'incident 000000000001 2',
        'event event-2 1',
        'incident 000000000002 1',
        'incident 000000000001 3',
      ],
    );
    const { written, unavailable, dropped } = log.counts();
    assert.deepEqual({ written, unavailable, dropped }, { written: 2, unavailable: 2, dropped: 0 });
  });
}

test('a batch whose sync failed counts as unwritten and is written again', async (t) => {
  const directory = folder(t);
  const disk = new Disk();
  disk.syncError = 'EIO';
  const { log } = openLog(directory, { open: disk.open });
  assert.equal((await log.append(smallIncident(1))).log, 'unavailable');
  disk.syncError = null;
  await until(() => log.counts().waitingBytes === 0);
  await log.close();
  assert.equal(lines(join(directory, 'incidents.jsonl')).length, 2);
});

test('a disk that hangs holds nothing up: the incident is passed on after the deadline, later ones at once', async (t) => {
  const directory = folder(t);
  const disk = new Disk();
  const { log, troubles } = openLog(directory, { open: disk.open, deadlineMs: 1000 }); // a real disk may take long for the last one
  disk.hang();
  const first = await Promise.all([log.append(smallIncident(1)), log.append(smallIncident(2))]);
  assert.deepEqual(
    first.map((each) => each.log),
    ['unavailable', 'unavailable'],
  );
  assert.deepEqual(codes(troubles), ['FL3102']);
  assert.equal((await log.append(smallIncident(3))).log, 'unavailable');
  disk.wake();
  await until(() => log.counts().waitingBytes === 0);
  assert.deepEqual(codes(troubles), ['FL3102', 'FL3104']);
  assert.equal((await log.append(smallIncident(4))).log, 'written');
  await log.close();
  assert.equal((await recover(directory)).openIncidents.length, 4);
});

test('a disk that hangs does not hold the end', async (t) => {
  const disk = new Disk();
  const { log } = openLog(folder(t), { open: disk.open });
  disk.hang();
  const answer = log.append(smallIncident(1));
  await log.close(20);
  assert.equal((await answer).log, 'unavailable');
  disk.wake();
});

test('the end writes what waited, once more, where the disk is back by then', async (t) => {
  const directory = folder(t);
  const disk = new Disk();
  const { log } = openLog(directory, { open: disk.open, retryMs: 3_600_000 });
  disk.error = 'ENOSPC';
  await log.append(smallIncident(1));
  disk.error = null;
  await log.close();
  assert.equal((await recover(directory)).openIncidents.length, 1);
});

test('what waits is bounded: events are given up first, counted, and written again when they are needed', async (t) => {
  const directory = folder(t);
  const disk = new Disk();
  const all = Array.from({ length: 14 }, (_, index) => incidentLine(smallIncident(index + 1)).length);
  const backlogBytes = all.reduce((sum, length) => sum + length, 0) + 1200; // room for all incidents and few events
  const { log, troubles } = openLog(directory, { open: disk.open, backlogBytes });
  disk.error = 'ENOSPC';
  for (let number = 1; number <= 14; number += 1) await log.append(smallIncident(number));
  assert.ok(log.counts().waitingBytes <= backlogBytes);
  const { dropped } = log.counts();
  assert.ok(dropped > 0);
  disk.error = null;
  await until(() => log.counts().waitingBytes === 0);
  const recovered = await recover(directory);
  const without = recovered.openIncidents.filter(({ events }) => events.length === 0);
  assert.equal(recovered.openIncidents.length, 14);
  assert.equal(without.length, dropped);
  const [incomplete] = without;
  assert.ok(incomplete);
  const number = Number.parseInt(incomplete.id, 16);
  await log.append(smallIncident(number, 2));
  await log.close();
  const later = (await recover(directory)).openIncidents.find(({ id }) => id === incomplete.id);
  assert.deepEqual([later?.revision, later?.events.length], [2, 1]);
  assert.deepEqual(codes(troubles), ['FL3101', 'FL3103', 'FL3104']);
  assert.match(troubles.at(-1) ?? '', new RegExp(`${dropped} lines were lost`));
});

/** Mounts a file system of this size; null where this process may not. */
function mountSmall(path: string, bytes: number): (() => void) | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' });
    return () => execFileSync('umount', [path]);
  } catch {
    return null;
  }
}

test('a disk that is really full: nothing half-written stays, and space that is freed is used', async (t) => {
  const directory = folder(t);
  const unmount = mountSmall(directory, 65_536);
  if (unmount === null) {
    // Without the right to mount, the kernel's own full device takes its place.
    const full = { open: async () => ({ ...(await fullDevice()) }) };
    const { log } = openLog(directory, full);
    assert.equal((await log.append(smallIncident(1))).log, 'unavailable');
    assert.ok(log.counts().waitingBytes > 0);
    await log.close();
    return;
  }
  try {
    writeFileSync(join(directory, 'filler'), Buffer.alloc(40_000));
    const { log, troubles } = openLog(directory);
    let number = 0;
    let answer = await log.append(smallIncident(number));
    while (answer.log === 'written') answer = await log.append(smallIncident(++number));
    const path = join(directory, 'incidents.jsonl');
    assert.equal(readFileSync(path).at(-1), 10);
    assert.ok(lines(path).length >= 2 * number);
    const before = statSync(path).size;
    rmSync(join(directory, 'filler'));
    await until(() => log.counts().waitingBytes === 0);
    assert.ok(statSync(path).size > before);
    await log.close();
    assert.equal((await recover(directory)).openIncidents.length, number + 1);
    assert.deepEqual(codes(troubles), ['FL3101', 'FL3104']);
    assert.match(troubles[0] ?? '', /ENOSPC/);
  } finally {
    unmount();
  }
});

async function fullDevice(): Promise<LogHandle> {
  const { open } = await import('node:fs/promises');
  const file = await open('/dev/full', 'r+');
  return {
    read: (buffer, offset, length, position) => file.read(buffer, offset, length, position),
    write: (bytes, offset) => file.write(bytes, offset),
    datasync: () => file.datasync(),
    truncate: async () => undefined,
    stat: async () => ({ ino: 1, dev: 1, size: 0, birthtimeMs: 0, mtimeMs: 0 }),
    close: () => file.close(),
  };
}
