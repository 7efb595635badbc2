// Shadow mode in the running daemon: incidents are kept and nothing is sent, not even once it is over.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, socketCandidates } from '../../src/api/client.ts';
import { Collector } from '../sinks/otlp/collector.ts';
import { DaemonUnderTest, type Json } from './daemon-under-test.ts';

test('what happens in shadow mode is in the log and is never sent; a reload turns it on and off', async (t) => {
  const collector = await Collector.http();
  t.after(() => collector.kill());
  const endpoint = `http://127.0.0.1:${collector.port}`;
  const daemon = new DaemonUnderTest({
    extra: `otlp: {endpoint: "${endpoint}", protocol: http/protobuf, compression: none, metrics: {enabled: off}}\n`,
  });
  t.after(() => daemon.close());
  const file = join(daemon.folder, 'faultline.yaml');
  const open = readFileSync(file, 'utf8');
  const shadow = async (on: boolean) => {
    writeFileSync(file, `${open}shadow: ${on}\n`);
    // As `faultline config reload` asks, without the start of another program.
    const answer = await ask('POST', '/v1/config/reload', socketCandidates(join(daemon.folder, 'run')), {});
    assert.deepEqual((answer as Json).taken, ['shadow']); // a document of the API
    assert.equal((await daemon.status())?.shadow, on);
  };
  const sent = (id: string) => collector.taken.some(({ bytes }) => bytes.includes(id));
  /** Three that have nothing to do with each other. */
  const incident = async (line: string, kind: string) => {
    daemon.kernel(line);
    const found = await daemon.until(`the incident of ${kind}`, () =>
      daemon.logged('incident').find(({ root }) => JSON.stringify(root).includes(kind)),
    );
    return String(found.id);
  };
  await daemon.start();
  const first = await incident(
    'EXT4-fs error (device sdb1): ext4_find_entry:1436: inode #2: comm ls: reading directory lblock 0',
    'sdb',
  );
  await daemon.until('it is sent', () => sent(first));
  await shadow(true);
  const hidden = await incident(
    'NVRM: Xid (PCI:0000:2b:00): 79, pid=1122, name=python, GPU has fallen off the bus.',
    '2b:00',
  );
  await shadow(false);
  const last = await incident(
    'Out of memory: Killed process 4242 (trainer) total-vm:9000kB, anon-rss:8000kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:1kB oom_score_adj:0',
    'oom',
  );
  await daemon.until('what comes after it is sent', () => sent(last));
  assert.ok(!sent(hidden));
});
