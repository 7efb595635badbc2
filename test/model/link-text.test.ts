// What is said of a link of the network besides its name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkText } from '../../src/model/link-text.ts';

test('how wide a link is, what it counts and its other end', () => {
  assert.equal(
    linkText({ width: '1X', could: 'Could be 4X', peer: 'MF0;leaf-2:QM8700/U1', peer_port: 8 }),
    '1X (Could be 4X), other end leaf-2 port 8',
  );
  assert.equal(
    linkText({
      counters: '[SymbolErrorCounter == 251] [PortRcvErrors == 4] [LinkDownedCounter == 3] [PortXmitWait == 9]',
    }),
    'LinkDowned 3, SymbolError 251, PortRcvErrors 4',
  );
  assert.equal(linkText({ peer: 'hx-5 ens1f0np0' }), 'other end hx-5 ens1f0np0');
  assert.equal(linkText({ port: 3 }), null);
});
