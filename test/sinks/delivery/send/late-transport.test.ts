// A transport whose code is loaded with the first message.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LateTransport } from '../../../../src/sinks/delivery/send/late-transport.ts';
import { taken } from '../../../../src/sinks/delivery/send/outcome.ts';

test('it is made once, with the first message, and closed only where it was made', async () => {
  const done: string[] = [];
  const late = new LateTransport(async () => {
    done.push('made');
    return {
      async send({ items }) {
        done.push(`sent ${items}`);
        return taken(0, '');
      },
      close: () => void done.push('closed'),
    };
  });
  late.close();
  assert.deepEqual(done, []);
  const message = (items: number) => ({ bytes: new Uint8Array(0), items, timeMs: 0 });
  await Promise.all([late.send(message(1)), late.send(message(2))]);
  late.close();
  await late.send(message(3));
  assert.deepEqual(done, ['made', 'sent 1', 'sent 2', 'closed', 'sent 3']);
});
