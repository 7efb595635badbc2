// The simulated rack: one host's devices over their real protocols, all driven by one plan and one clock.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SimulatedBmc } from '../bmc/simulated-bmc.ts';
import { randomStream } from '../random.ts';
import type { PlannedChange, PlannedStep } from '../scenario/planned-change.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';
import type { ScenarioClock } from '../scenario-clock.ts';
import { startBmc, updateBmc, writeBmcFiles } from './bmc.ts';
import { FakeDriver } from './fake-driver.ts';
import { FakeJob } from './fake-job.ts';
import { FakeKernelLog, xidLine } from './fake-kernel-log.ts';
import { FakePowercap } from './fake-powercap.ts';
import { type SimulatedPdu, type StartPdu, updatePdu } from './simulated-pdu.ts';
import { XID_TEXT } from './xid-text.ts';

export interface RackOptions {
  /** An empty folder that the rack fills. */
  readonly folder: string;
  readonly plan: ScenarioPlan;
  readonly clock: ScenarioClock;
  /** The stand-in libnvidia-ml.so.1. */
  readonly library: string;
  readonly startPdu: StartPdu;
}

/** Where a daemon finds the rack. */
export interface RackPlaces {
  readonly library: string;
  readonly sys: string;
  readonly kernelLog: string;
  readonly pduPorts: ReadonlyMap<string, number>;
  /** Null where the host has no BMC. */
  readonly bmc: {
    readonly url: string;
    readonly user: string;
    readonly passwordFile: string;
    readonly caFile: string;
  } | null;
  readonly jobLogs: ReadonlyMap<string, string>;
}

const WANDER_MS = 1000;
const ENERGY_MS = 100;

export class Rack {
  readonly places: RackPlaces;
  readonly #plan: ScenarioPlan;
  readonly #clock: ScenarioClock;
  readonly #driver: FakeDriver;
  readonly #powercap: FakePowercap;
  readonly #kernelLog: FakeKernelLog;
  readonly #jobs: readonly FakeJob[];
  readonly #pdus: readonly SimulatedPdu[];
  readonly #bmc: SimulatedBmc | null;
  readonly #pduRandom;
  readonly #bmcRandom;
  readonly #inForce: PlannedChange[] = [];
  #stopped = false;

  private constructor(options: RackOptions, pdus: readonly SimulatedPdu[], bmc: SimulatedBmc | null) {
    const { folder, plan, clock } = options;
    const { host } = plan.world;
    const random = (name: string) => randomStream(plan.seed, `rack ${name}`);
    const sys = join(folder, 'sys');
    const kernelLog = join(folder, 'kmsg');
    const logs = join(folder, 'jobs');
    mkdirSync(logs);
    this.#plan = plan;
    this.#clock = clock;
    this.#pdus = pdus;
    this.#bmc = bmc;
    this.#pduRandom = random('pdu');
    this.#bmcRandom = random('bmc');
    this.#driver = new FakeDriver(join(folder, 'nvml'), options.library, host, random('gpu'), plan.jitter);
    this.#powercap = new FakePowercap(sys, host, random('cpu'), plan.jitter);
    this.#kernelLog = new FakeKernelLog(kernelLog);
    const jobLogs = new Map(plan.world.jobs.map((job) => [job.id, join(logs, `${job.id}.log`)]));
    this.#jobs = plan.world.jobs.map(
      (job) => new FakeJob(jobLogs.get(job.id) ?? '', job, clock, random(`job ${job.id}`), plan.jitter),
    );
    const pduPorts = new Map(plan.world.pdus.map((pdu, i) => [pdu.name, pdus[i]?.port ?? 0]));
    const bmcPlace = bmc === null ? null : { url: bmc.url, ...writeBmcFiles(folder, bmc) };
    this.places = { library: this.#driver.library, sys, kernelLog, pduPorts, bmc: bmcPlace, jobLogs };
    this.#refresh();
    clock.every(WANDER_MS, () => this.#refresh());
    clock.every(ENERGY_MS, () => this.#powercap.advance(ENERGY_MS));
  }

  /** A rack in its usual state: everything answers, nothing happens until `play`. */
  static async start(options: RackOptions): Promise<Rack> {
    const pdus: SimulatedPdu[] = [];
    let bmc: SimulatedBmc | null = null;
    try {
      for (const pdu of options.plan.world.pdus) pdus.push(await options.startPdu(pdu));
      bmc = await startBmc(options.plan.world.host);
      return new Rack(options, pdus, bmc);
    } catch (error) {
      await Promise.all([...pdus, ...(bmc === null ? [] : [bmc])].map((part) => part.close()));
      throw error;
    }
  }

  /** Begins the timeline now. `onStep` hears of each step as it takes force. */
  play(onStep: (step: PlannedStep) => void = () => undefined): void {
    const startMs = this.#clock.now();
    for (const step of this.#plan.steps) {
      this.#clock.at(startMs + step.atMs, () => {
        this.#begin(step.change);
        if (step.forMs !== null) this.#clock.at(startMs + step.atMs + step.forMs, () => this.#end(step.change));
        onStep(step);
      });
    }
  }

  /** Idempotent; nothing of the rack answers or writes afterwards. The folder is the caller's. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#clock.stop();
    for (const job of this.#jobs) job.close();
    this.#kernelLog.close();
    await Promise.all([...this.#pdus.map((pdu) => pdu.close()), this.#bmc?.close()]);
  }

  #begin(change: PlannedChange): void {
    this.#inForce.push(change);
    if (change.type === 'kernel_line') this.#kernelLog.write(change.text, change.priority, change.facility);
    if (change.type === 'xid') for (const gpu of change.gpus) this.#xid(gpu, change.number, change.text);
    if (change.type === 'gpu_lost') for (const gpu of change.gpus) this.#lose(gpu);
    this.#refresh();
  }

  #end(change: PlannedChange): void {
    this.#inForce.splice(this.#inForce.indexOf(change), 1);
    this.#refresh();
  }

  #lose(gpu: number): void {
    const address = this.#plan.world.host.gpus[gpu]?.address ?? '';
    this.#xid(gpu, 79);
    this.#kernelLog.write(`NVRM: GPU ${address}: GPU has fallen off the bus.`, 3);
  }

  #xid(gpu: number, number: number, text = XID_TEXT[number] ?? 'Unknown error'): void {
    const address = this.#plan.world.host.gpus[gpu]?.address ?? '';
    this.#kernelLog.write(xidLine(address, number, text), 4);
    this.#driver.raiseXid(gpu, number);
  }

  #refresh(): void {
    this.#driver.update(this.#inForce);
    this.#powercap.update(this.#inForce);
    for (const job of this.#jobs) job.update(this.#inForce);
    if (this.#bmc !== null) updateBmc(this.#plan.world, this.#bmc, this.#inForce, this.#bmcRandom, this.#plan.jitter);
    this.#plan.world.pdus.forEach((pdu, i) => {
      const simulated = this.#pdus[i];
      if (simulated !== undefined) updatePdu(pdu, simulated, this.#inForce, this.#pduRandom, this.#plan.jitter);
    });
  }
}
