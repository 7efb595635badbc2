// A real Slurm of one node on loopback: slurmctld and slurmd of an unpacked package, in a folder and on ports of their own.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../until.ts';

/** Whose jobs they are: a user of every distribution that is not root. */
export const USER = { name: 'nobody', uid: 65_534, gid: 65_534 };
const GPUS = 4;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export class Cluster {
  readonly root = mkdtempSync(join(tmpdir(), 'faultline-real-slurm-'));
  readonly conf = join(this.root, 'slurm.conf');
  readonly programs = join(this.root, 'bin');
  /** Every user may write here, as in a scratch folder. */
  readonly scratch = join(this.root, 'scratch');
  readonly #unpacked: string;
  readonly #environment: Record<string, string>;
  readonly #daemons: ChildProcess[] = [];

  private constructor(unpacked: string) {
    this.#unpacked = unpacked;
    const libraries = join(unpacked, 'usr/lib/x86_64-linux-gnu');
    this.#environment = {
      PATH: `${unpacked}/usr/bin:${unpacked}/usr/sbin:/usr/bin:/bin`,
      LD_LIBRARY_PATH: `${libraries}/slurm-wlm:${libraries}`,
      SLURM_CONF: this.conf,
    };
    chmodSync(this.root, 0o755);
  }

  static async start(unpacked: string): Promise<Cluster> {
    const cluster = new Cluster(unpacked);
    try {
      cluster.#write(await freePort(), await freePort());
      cluster.#daemon('slurmctld', '-D', '-f', cluster.conf, '-c');
      cluster.#daemon('slurmd', '-D', '-N', 'n1', '-d', join(unpacked, 'usr/sbin/slurmstepd'), '-f', cluster.conf);
      await until(() => cluster.run('sinfo', '-h', '-o', '%T').includes('idle'), { seen: () => cluster.logs() });
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Runs a program of Slurm as root; throws where it fails. */
  run(program: string, ...words: string[]): string {
    const { status, stdout, stderr } = spawnSync(program, words, { env: this.#environment, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Submits a batch script of a user; its number. */
  submit(name: string, script: string, ...words: string[]): number {
    const all = ['--parsable', '--overcommit', '--mem=1', '-J', name, '-D', this.scratch, ...words, '--wrap', script];
    const { uid, gid } = USER;
    const options = { env: this.#environment, encoding: 'utf8', uid, gid, cwd: '/' } as const;
    const { status, stdout, stderr } = spawnSync('sbatch', all, options);
    if (status !== 0) throw new Error(`sbatch: ${stderr}`);
    return Number(stdout.trim().split(';')[0]);
  }

  /** One that is already over does not matter. */
  cancel(job: number): void {
    spawnSync('scancel', ['--full', String(job)], { env: this.#environment, stdio: 'ignore' });
  }

  /** Pids by rank of the numbered steps of a job, as Slurm itself lists them. */
  ranks(job: number): Map<number, number> {
    const { stdout } = spawnSync('scontrol', ['listpids', String(job)], { env: this.#environment, encoding: 'utf8' });
    const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/));
    return new Map(rows.flatMap(([pid, , step, , rank]) => (/^\d+$/.test(step ?? '') && rank !== '-' ? [[Number(rank), Number(pid)]] : []))); // biome-ignore format: one line
  }

  /** Names of files in the scratch folder, rising. */
  written(pattern: RegExp): string[] {
    return readdirSync(this.scratch).filter((name) => pattern.test(name)).sort(); // biome-ignore format: one line
  }

  logs(): string {
    return ['slurmctld', 'slurmd'].map((name) => readFileSync(join(this.root, `${name}.log`), 'utf8').slice(-1500)).join('\n'); // biome-ignore format: one line
  }

  async stop(): Promise<void> {
    try {
      this.run('scancel', '--full', '-u', USER.name);
      await until(() => !/^\d/m.test(spawnSync('scontrol', ['listpids'], { env: this.#environment, encoding: 'utf8' }).stdout)); // biome-ignore format: one line
    } catch {} // it did not come up
    for (const daemon of this.#daemons) daemon.kill('SIGTERM');
    const over = () => this.#daemons.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    await until(over, { limitMs: 10_000 }).catch(() => {
      for (const daemon of this.#daemons) daemon.kill('SIGKILL');
    });
    rmSync(this.root, { recursive: true, force: true });
  }

  #daemon(program: string, ...words: string[]): void {
    this.#daemons.push(spawn(join(this.#unpacked, 'usr/sbin', program), words, { env: this.#environment, stdio: 'ignore' })); // biome-ignore format: one line
  }

  #write(controllerPort: number, nodePort: number): void {
    for (const folder of ['state', 'spool', 'dev', 'bin']) mkdirSync(join(this.root, folder), { mode: 0o755 });
    mkdirSync(this.scratch);
    chmodSync(this.scratch, 0o1777);
    // Null devices in the place of GPUs.
    for (let i = 0; i < GPUS; i += 1) execFileSync('mknod', [join(this.root, `dev/nvidia${i}`), 'c', '1', '3']);
    // As an installation has them: found in a folder, with their libraries.
    for (const program of ['scontrol', 'squeue', 'sinfo']) {
      const path = join(this.programs, program);
      writeFileSync(path, `#!/bin/sh\nLD_LIBRARY_PATH=${this.#environment.LD_LIBRARY_PATH} exec ${this.#unpacked}/usr/bin/${program} "$@"\n`); // biome-ignore format: one line
      chmodSync(path, 0o755);
    }
    const { root } = this;
    writeFileSync(join(root, 'gres.conf'), `NodeName=n1 Name=gpu File=${root}/dev/nvidia[0-${GPUS - 1}]\n`);
    writeFileSync(
      this.conf,
      `ClusterName=faultline
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MpiDefault=none
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
PluginDir=${this.#unpacked}/usr/lib/x86_64-linux-gnu/slurm-wlm
StateSaveLocation=${root}/state
SlurmdSpoolDir=${root}/spool
SlurmctldPidFile=${root}/slurmctld.pid
SlurmdPidFile=${root}/slurmd.pid
SlurmctldLogFile=${root}/slurmctld.log
SlurmdLogFile=${root}/slurmd.log
GresTypes=gpu
NodeName=n1 NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${nodePort} CPUs=16 CoresPerSocket=16 RealMemory=2000 Gres=gpu:${GPUS}
PartitionName=low Nodes=ALL Default=YES State=UP PriorityTier=1
PartitionName=high Nodes=ALL State=UP PriorityTier=10
`,
    );
  }
}
