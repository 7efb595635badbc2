// What only speaks of a message, quotes it, searches for it or holds it as data reports nothing, whatever is before it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindsOf, scanner } from './scanned.ts';

const MESSAGES = [
  'nvme nvme2: I/O tag 184 (b26c) type 4 opcode 0x1 (Write) QID 62 timeout',
  'ixgbe 0000:03:00.0 eno49: PCIe link lost, device now detached',
  'nfs: server nas-1 not responding, still trying',
  'error: Nodes gx-[12-13] not responding, setting DOWN',
  'Failed to pull image "registry.example.com/train:9": rpc error: code = NotFound desc = failed to resolve reference: registry.example.com/train:9: not found',
  'srun: error: Node failure on node-9',
];

const SPOKEN: readonly ((message: string) => string)[] = [
  (message) => `we had ${message} last week on two nodes`,
  (message) => `A line like ${message} is harmless`,
  (message) => `If you see "${message}" reseat the card`,
  (message) => `The message \`${message}\` means that it is slow.`,
  (message) => `Example: ${message}`,
  (message) => `bob: have you seen ${message} before?`,
  (message) => `17:03 <alice> last month we had "${message}" on gx-4`,
  (message) => `- look for \`${message}\` in dmesg`,
  (message) => `# grep '${message}' /var/log/messages`,
  (message) => `+ echo '${message}'`,
  (message) => `echo "${message}" > /dev/kmsg`,
  (message) => `    assert parse("${message}") == "a fault"`,
  (message) => `2026-11-28 12:00:00,123 - health - INFO - testing pattern "${message}"`,
  (message) => `2026-11-28 12:00:00,123 - health - INFO - no line matches ${message}`,
  (message) => `See also: ${message}`,
  (message) => `TODO: ${message}`,
  (message) => `gx-4 reported ${message}`,
  (message) => `quoting dmesg: ${message}`,
  (message) => `  "pattern": ${JSON.stringify(message)},`,
  (message) => JSON.stringify({ example: message, kind: 'a fault' }),
  (message) => `2026-11-28 12:00:00 | INFO | sample: ${JSON.stringify({ text: message })}`,
  (message) => `[2026-11-28 12:00:00] INFO prompt: "${message}"`,
  (message) => `INFO dataset: ${JSON.stringify({ content: message })}`,
];

test('what speaks of a message is not the message', async () => {
  const scan = scanner();
  const said: string[] = [];
  for (const message of MESSAGES)
    for (const speak of SPOKEN) {
      const text = speak(message);
      const kinds = kindsOf(await scan(text));
      if (kinds !== '') said.push(`${kinds}: ${text}`);
    }
  assert.deepEqual(said, []);
});

test('what a line has behind a carrier is a user’s word', async () => {
  const scan = scanner();
  for (const message of MESSAGES.slice(0, 5)) {
    const events = await scan(`[pod/train-0/main] ${message}`);
    assert.ok(events.length > 0, message);
    assert.ok(
      events.every(({ trust }) => trust === 'tenant'),
      message,
    );
  }
});
