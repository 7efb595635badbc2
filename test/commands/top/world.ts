// World: a daemon's API over its real socket, with eight GPUs, two feeds, a slow job, two incidents and a source that does not work.

import { TestBackend } from '../../api/helpers.ts';
import { GPUS } from '../../correlation/fixtures.ts';
import { incident, T0 } from '../../incidents/sample.ts';

const time = new Date(T0).toISOString();

export class TopBackend extends TestBackend {
  slowed = true;

  constructor() {
    super();
    const openedMs = Date.now() - 107_000;
    this.known = [
      incident('7f3c41d2a0b1', {
        openedMs,
        title: 'voltage sag on pdu-b-rack-14 phase 1: 121.4 → 108.2 V',
        root: { eventId: 'e-sag', kind: 'power.voltage_sag', component: { type: 'pdu_phase', id: 'pdu-b/1' } },
      }),
      incident('21ab09d2a0b1', { openedMs, severity: 'warning', title: `\u001b[2J\u202eevil ${'long '.repeat(40)}` }),
      incident('aaaaaaaaaaaa', { state: 'resolved', resolvedMs: openedMs }),
    ];
  }

  override status(): object {
    const source = (name: string, status: string, detail = '') => ({ source: name, status, detail, remedy: null });
    const sources = [
      source('gpu', 'works'),
      source('cpu', 'works'),
      source('bmc/bmc-1', 'no_permission', 'HTTP 401'),
      source('nic', 'off'),
    ];
    return { host: this.host, pid: process.pid, uptime_s: 11_400, sources };
  }

  override newest() {
    const reading = (component: string, quantity: string, value: number, usual: number | null = null) => ({
      component,
      quantity,
      value,
      time,
      usual,
    });
    const gpus = GPUS.flatMap((gpu, i) => [
      reading(gpu, 'power', 240 + i),
      reading(gpu, 'power_limit', 400),
      reading(gpu, 'sm_clock', 1.095e9),
      reading(gpu, 'temperature', 61),
      reading(gpu, 'utilization', 0.98),
      reading(gpu, 'clock_event_reasons', this.slowed ? 0x88 : 0),
    ]);
    const feeds = ['a', 'b'].flatMap((pdu) => [
      reading(`pdu_phase/pdu-${pdu}/1`, 'voltage', 121.4),
      reading(`pdu_phase/pdu-${pdu}/1`, 'current', 12.5),
    ]);
    return {
      ...super.newest(),
      readings: [
        ...gpus,
        ...feeds,
        reading('job/llama-70b', 'step_time', 0.897, 0.412),
        reading('job/by-its-log', 'step_time', 0.3, 0.3),
      ],
    };
  }

  override jobs() {
    const nothing = {
      manager: 'slurm',
      account: null,
      queue: null,
      attempt: null,
      started_at: null,
      scheduler_step: null,
      world_size: 1024,
      ranks: [],
      pods: [],
      framework: null,
      logs: [],
      known_by: [],
    };
    const training_step = { iteration: 45_000, step_time_ms: 897, time };
    return {
      ...super.jobs(),
      jobs: [
        {
          ...nothing,
          id: 'llama-70b',
          aliases: [],
          name: 'llama-70b',
          user: 'alice',
          training_step,
          devices: [...GPUS],
        },
      ],
    };
  }

  override devices() {
    const use = {
      job: 'llama-70b',
      manager: 'slurm',
      name: null,
      user: 'alice',
      ranks: [],
      pod: null,
      share: 1,
      known_by: 'test',
    };
    return { ...super.devices(), devices: GPUS.map((device, i) => ({ device, aliases: [`gpu ${i}`], uses: [use] })) };
  }
}
