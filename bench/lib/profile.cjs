// Preloaded into a daemon (`--require`): writes a CPU profile of PROFILE_SECONDS, from PROFILE_AFTER on, into the folder PROFILE. The daemon
// ends without what Node does at its end, so that `--cpu-prof` would write nothing.

const { Session } = require('node:inspector/promises');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

const { PROFILE, PROFILE_AFTER = '180', PROFILE_SECONDS = '60' } = process.env;
const session = new Session();
session.connect();
setTimeout(async () => {
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  setTimeout(async () => {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(join(PROFILE, `${process.pid}.cpuprofile`), JSON.stringify(profile));
  }, Number(PROFILE_SECONDS) * 1000).unref();
}, Number(PROFILE_AFTER) * 1000).unref();
