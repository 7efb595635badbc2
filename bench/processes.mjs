// What it costs to follow the processes of a host: 5,000 of them, of which a number come and go each second.
// usage: node bench/processes.mjs [SECONDS]   (needs perl, which forks them; prints one line a case)

import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import { Identity } from '../src/identity/identity.ts';
import { ProcessSource } from '../src/sources/processes/process-source.ts';
import { processScanner } from '../src/sources/scan-processes.ts';

const SECONDS = Number(process.argv[2] ?? 30);
const COUNT = 5000;
/** Keeps COUNT children and replaces `rate` of them each second, the oldest first; ends with its standard input. */
const FORKS = `
  my ($count, $rate) = @ARGV; my @pids;
  sub start { my $pid = fork; if (!$pid) { close STDIN; exec '/bin/sleep', '3600'; } push @pids, $pid; }
  start() for 1..$count; print "ready\\n"; STDOUT->flush;
  my $due = 0;
  while (1) {
    my $in = ''; vec($in, 0, 1) = 1;
    last if select($in, undef, undef, 0.1) && sysread(STDIN, my $x, 1) == 0;
    for ($due += $rate / 10; $due >= 1; --$due) { my $old = shift @pids; kill 'KILL', $old; waitpid $old, 0; start(); }
  }
  kill 'KILL', @pids;`;

async function measure(name, rate, env) {
  const child = spawn('perl', ['-MIO::Handle', '-e', FORKS, String(COUNT), String(rate)], { env: { PATH: '/usr/bin:/bin', ...env }, stdio: ['pipe', 'pipe', 'inherit'] }); // biome-ignore format: one line
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const identity = new Identity('bench');
  identity.processes.lookBy('/proc', processScanner('/proc'));
  const source = new ProcessSource(
    { enabled: 'on', intervalMs: 2000 },
    { host: 'bench', now: Date.now, identity, own: async () => null, passwd: async () => null, proc: '/proc' },
  );
  source.start({ samples() {}, text() {}, event() {}, discovery() {} }, new AbortController().signal);
  const first = process.cpuUsage();
  while (identity.processes.looks === 0) await later(20);
  const look = process.cpuUsage(first);
  // Of what is young there are further looks.
  await later(25_000);
  const before = process.cpuUsage();
  const looks = identity.processes.looks;
  await later(SECONDS * 1000);
  const { user, system } = process.cpuUsage(before);
  const percent = (user + system) / (SECONDS * 1e4);
  const { works } = identity.work.view();
  console.log(
    `${name}: ${percent.toFixed(2)} % of a core, ${identity.processes.looks - looks} looks in ${SECONDS} s; the first took ${((look.user + look.system) / 1000).toFixed(0)} ms; ${identity.work.processes.size} processes of work, ${works.length} jobs`,
  );
  await source.stop();
  child.stdin.end();
  await new Promise((resolve) => child.once('close', resolve));
}

console.log(`${readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length} processes besides`);
await measure(`${COUNT} processes, none of a job`, 0, {});
await measure(`${COUNT} processes, 20 new each second`, 20, {});
await measure(`${COUNT} processes, 100 new each second`, 100, {});
await measure(`${COUNT} processes of one job, 20 new each second`, 20, { SLURM_JOB_ID: '991' });
