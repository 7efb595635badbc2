// Writes to a spool until it is killed and says which entries are on disk; a child of spool.test.ts.

import { Spool } from '../../../../src/sinks/delivery/spool/spool.ts';
import { nodeFiles } from '../../../../src/sinks/delivery/spool/spool-files.ts';

const [directory = '', round = ''] = process.argv.slice(2);
const now = () => 1_800_000_000_000;
const spool = new Spool({
  directory,
  maxBytes: 1 << 24,
  maxAgeMs: 3_600_000,
  files: nodeFiles,
  now,
  onDropped: () => {},
});
await spool.open();
for (let number = 0; ; number += 1) {
  const name = `${round}${String(number).padStart(7, '0')}`;
  const bytes = Buffer.alloc(50_000 * Math.random(), 1);
  await spool.append([{ bytes: Buffer.concat([Buffer.from(name), bytes]), items: 1, timeMs: now() }], true);
  process.stdout.write(`${name}\n`);
}
