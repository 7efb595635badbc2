// Its own process that runs a vendor child, for the tests of how such a process may end.

import { native, nativePath } from '../../src/native.ts';

const [library = '', how = ''] = process.argv.slice(2);
const { Core, Vendor } = native();
const core = new Core({ historySeconds: 10, maxSeries: 100 });
const vendor = new Vendor(core, {
  executable: nativePath('faultline-vendor'),
  library,
  intervalMs: 20,
  burstIntervalMs: 20,
  callDeadlineMs: 60_000,
});

const look = setInterval(() => {
  const running = core.drain().notices.some((notice) => notice.name === 'state' && notice.state === 'running');
  if (running) process.stdout.write(`child ${vendor.pid()}\n`);
}, 10);

process.stdin.on('data', () => {
  clearInterval(look);
  vendor.stop();
  core.close();
  process.stdin.destroy();
  // Nothing may keep the process: it ends because it has nothing left to do.
  if (how !== 'exit') process.exit(1);
});
