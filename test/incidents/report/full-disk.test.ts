// A full disk: the path of the line is what is asked and freed; a target of Lustre is emptied from elsewhere; nothing hostile is pasted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullDisk } from '../../../src/incidents/report/full-disk.ts';
import type { Attributes } from '../../../src/model/event.ts';
import { event, incident } from '../sample.ts';

function step(attributes: Attributes) {
  const host = { type: 'host', id: 'node-3' } as const;
  const root = event('e-full', 'host.disk_full', host, { attributes });
  return fullDisk(
    incident('7f3c41d2a0b1', {
      root: { eventId: root.id, kind: root.kind, component: host },
      events: [root],
      action: { kind: 'free_space', target: host, why: '' },
    }),
  );
}

test('the folder of the file that could not be written is asked, and whoever runs its file system is called', () => {
  const message = "[Errno 28] No space left on device: '/scratch/mira/run7/step-10000/model_00012.pt'";
  const said = step({ message });
  assert.equal(said?.does, 'free space on the file system of /scratch/mira/run7/step-10000');
  assert.match(said?.now ?? '', /^on @, df -h \/scratch\/mira\/run7\/step-10000; df -i \/scratch/);
  assert.equal(said?.call, 'who runs the file system of /scratch/mira/run7/step-10000');
  assert.equal(step({ mount: '/var', utilization: 1 })?.call, 'who runs @');
});

test('on the server of a target of Lustre nothing is to be deleted', () => {
  const said = step({ mount: '/lustre/ost0007', utilization: 1 });
  assert.match(said?.does ?? '', /^get space on \/lustre\/ost0007, a target of Lustre on %/);
  assert.match(said?.now ?? '', /^on a client, lfs df -h .*max_create_count=0.*lfs_migrate/);
  assert.doesNotMatch(said?.now ?? '', /repquota|du -/);
});

test('a path that a shell would take for more, or none at all, is in no command', () => {
  assert.equal(step({ message: "No space left on device: '/a;reboot/b'" }), null);
  assert.equal(step({ message: 'No space left on device' }), null);
});
