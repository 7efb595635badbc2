// Ports above a device: read from the link that sysfs shows, and reported once of each GPU.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { componentText } from '../../../src/model/component.ts';
import { portsAbove } from '../../../src/sources/pci/ports.ts';

function chain(link: string): string[] | null {
  const found = portsAbove(link, 'node-3');
  return (
    found?.links.map(({ from, to, relation }) => `${componentText(from)} ${relation} ${componentText(to)}`) ?? null
  );
}

test('root port, switch and device hold each other in turn', () => {
  assert.deepEqual(chain('../../../devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:02.0/0000:43:00.0'), [
    'pcie/0000:42:02.0 contains pcie/0000:43:00.0',
    'pcie/0000:41:00.0 contains pcie/0000:42:02.0',
    'pcie/0000:40:01.1 contains pcie/0000:41:00.0',
  ]);
});

test('a device on no port, or whose link says nothing, has none', () => {
  for (const link of ['../../../devices/pci0000:00/0000:00:02.0', '../../../devices/platform/x', '', '.', '/']) {
    assert.equal(chain(link), null, link);
  }
});

test('a link that never ends is cut', () => {
  const long = `/${Array.from({ length: 5000 }, () => '0000:43:00.0').join('/')}`;
  assert.ok((chain(long)?.length ?? 0) <= 16);
});
