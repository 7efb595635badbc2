// What it costs to follow the processes of a host: 5,000 of them, of which a number come and go each second. Each case in a process
// of its own, and another build in turn with this one.
// usage: node bench/processes.mjs [SECONDS] [--against FOLDER]   (needs perl, which forks them; prints one line a case)

import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const OURS = resolve(import.meta.dirname, '..');
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
const CASES = [
  { name: 'none of a job', rate: 0, env: {} },
  { name: '20 new each second', rate: 20, env: {} },
  { name: '100 new each second', rate: 100, env: {} },
  { name: 'all of one job, 20 new each second', rate: 20, env: { SLURM_JOB_ID: '991' } },
];

async function measure({ name, rate, env }, seconds, root) {
  const { Identity } = await import(`${root}/src/identity/identity.ts`);
  const { ProcessSource } = await import(`${root}/src/sources/processes/process-source.ts`);
  const { processReader, processScanner } = await import(`${root}/src/sources/scan-processes.ts`);
  const child = spawn('perl', ['-MIO::Handle', '-e', FORKS, String(COUNT), String(rate)], { env: { PATH: '/usr/bin:/bin', ...env }, stdio: ['pipe', 'pipe', 'inherit'] }); // biome-ignore format: one line
  await new Promise((done) => child.stdout.once('data', done));
  const identity = new Identity('bench');
  identity.processes.lookBy('/proc', processReader?.('/proc', '') ?? processScanner('/proc'));
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
  for (const endMs = performance.now() + 150_000; identity.processes.looks < 8 && performance.now() < endMs; )
    await later(500);
  const before = process.cpuUsage();
  const looks = identity.processes.looks;
  await later(seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  const percent = (user + system) / (seconds * 1e4);
  const made = identity.processes.looks - looks;
  const { works } = identity.work.view();
  console.log(
    `${name}: ${percent.toFixed(2)} % of a core, ${made} looks in ${seconds} s, ${((user + system) / 1000 / Math.max(made, 1)).toFixed(1)} ms each; the first took ${((look.user + look.system) / 1000).toFixed(0)} ms; ${identity.work.processes.size} processes of work, ${works.length} jobs`,
  );
  await source.stop();
  child.stdin.end();
  await new Promise((done) => child.once('close', done));
}

const [first = '30', ...rest] = process.argv.slice(2);
if (rest[0] === '--case') await measure(CASES[Number(rest[1])], Number(first), rest[2]);
else {
  const against = rest[0] === '--against' ? [['before', resolve(rest[1])]] : [];
  console.log(
    `${COUNT} processes, and ${readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length} of this machine`,
  );
  for (const at of CASES.keys())
    for (const [name, root] of [...against, ['now', OURS]]) {
      const line = execFileSync(process.execPath, [fileURLToPath(import.meta.url), first, '--case', String(at), root]);
      process.stdout.write(`${against.length > 0 ? `${name.padEnd(7)}` : ''}${line}`);
    }
}
