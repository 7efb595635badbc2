// Tests of the tree of files in memory: what a source that reads sysfs may ask of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryFiles } from '../../../../src/simulator/corpus/served/memory-files.ts';
import { SmallFiles } from '../../../../src/sources/files/small-files.ts';

test('files are read through links, and as they are at that moment', async () => {
  const files = new MemoryFiles();
  let text = 'one';
  files.write('/sys/devices/pci/card/state', () => text);
  files.symlink('/sys/class/net/eth0', '/sys/devices/pci/card');
  const small = new SmallFiles({ stuck: 0 }, files);
  assert.equal(await small.read('/sys/class/net/eth0/state'), 'one');
  text = 'two';
  assert.equal(await small.read('/sys/class/net/eth0/state'), 'two');
  assert.equal(await small.real('/sys/class/net/eth0'), '/sys/devices/pci/card');
  assert.equal(await small.link('/sys/class/net/eth0'), '/sys/devices/pci/card');
  assert.deepEqual(await small.list('/sys/class/net'), ['eth0']);
  small.close();
});

test('what is removed is gone, with all below it', async () => {
  const files = new MemoryFiles();
  files.write('/sys/a/b/c', 'text');
  files.write('/sys/a/bc', 'text');
  const small = new SmallFiles({ stuck: 0 }, files);
  assert.equal(await small.read('/sys/a/b/c'), 'text');
  files.remove('/sys/a/b');
  assert.equal(await small.read('/sys/a/b/c'), null);
  assert.equal(await small.list('/sys/a/b'), null);
  assert.deepEqual(await small.list('/sys/a'), ['bc']);
  small.close();
});
