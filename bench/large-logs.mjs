// A sparse log of 15 TB, the same deleted, and a log that is written as fast as a user can: what the daemon takes of a core.
// usage: node bench/large-logs.mjs [SECONDS]

import { fork, spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [seconds = 20, part, target] = process.argv.slice(2);
const HUGE_BYTES = 15e12;

if (part === 'write') {
  // Over and over the same 256 MiB, so that no disk is filled: each time a log that was truncated.
  const block = `${'step 1 loss 2.5 '.repeat(64)}\n`.repeat(64);
  for (;;) {
    const file = openSync(target, 'w');
    for (let bytes = 0; bytes < 256 * 2 ** 20; bytes += block.length) writeSync(file, block);
    closeSync(file);
  }
} else {
  const folder = mkdtempSync(join(tmpdir(), 'fl-large-logs-'));
  const log = join(folder, 'job.log');
  const directories = `{state: "${folder}/state", log: "${folder}/log", runtime: "${folder}/run"}`;
  writeFileSync(
    join(folder, 'faultline.yaml'),
    `directories: ${directories}\nsources:\n  kernel_log: {path: "${folder}/kmsg"}\n  job_log: [{path: "${log}", job: j}]\n`,
  );
  writeFileSync(join(folder, 'kmsg'), '');
  writeFileSync(log, 'step 1\n');
  const program = join(import.meta.dirname, '../dist/faultline.js');
  const daemon = spawn(process.execPath, [program, 'run', '--config', join(folder, 'faultline.yaml')], {
    stdio: 'ignore',
  });
  let writer = null;
  try {
    await sleep(5000);
    await share('nothing happens');
    truncateSync(log, HUGE_BYTES);
    appendFileSync(log, '\nstep 2\n');
    await share('the log is sparse and has 15 TB');
    rmSync(log);
    await share('it was deleted');
    truncateSync(join(folder, 'kmsg'), HUGE_BYTES);
    appendFileSync(join(folder, 'kmsg'), '\n3,1,1,-;x\n');
    await share('the kernel log file is sparse and has 15 TB');
    writer = fork(import.meta.filename, [seconds, 'write', log]);
    await share('the log is written as fast as it can be');
  } finally {
    writer?.kill('SIGKILL');
    daemon.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }

  async function share(what) {
    const before = cpu(daemon.pid);
    await sleep(seconds * 1000);
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))[1]) / 1024;
    const used = ((cpu(daemon.pid) - before) / seconds) * 100;
    console.log(`${what}: ${used.toFixed(1)} % of one core over ${seconds} s, ${rss.toFixed(0)} MiB`);
  }
}

function cpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
