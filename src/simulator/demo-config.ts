// The configuration with which the real daemon watches a simulated rack.

import { join } from 'node:path';
import { stringify } from 'yaml';
import type { RackPlaces } from './rack/rack.ts';
import type { ScenarioPlan } from './scenario/scenario-plan.ts';

/** Where the demo also sends what its daemon tells, because the user asked for it. */
export interface DemoExport {
  readonly endpoint: string;
  readonly protocol: 'grpc' | 'http/protobuf';
}

/** Text of a faultline.yaml; everything the daemon keeps goes under `folder`. Nothing is exported where the user did not ask. */
export function demoConfig(
  plan: ScenarioPlan,
  places: RackPlaces,
  folder: string,
  exported: DemoExport | null = null,
): string {
  const { world } = plan;
  return stringify({
    host: world.host.name,
    directories: { state: join(folder, 'state'), log: join(folder, 'log'), runtime: join(folder, 'run') },
    // Nothing of the machine that the rack is simulated on: its folders are this one's, or are not read at all.
    roots: { sys: places.sys, proc: join(folder, 'rack', 'proc') },
    simulated: true,
    inject: { enabled: 'off' },
    ...(exported === null ? {} : { otlp: exported }),
    sources: {
      gpu: { library: places.library, interval: '500ms', call_deadline: '2s' },
      cpu: { interval: '500ms' },
      kernel_log: { path: places.kernelLog },
      // The host is a simulated one: this machine's own load and disks are not its.
      system: { enabled: 'off' },
      pci: { enabled: 'off' },
      inventory: { enabled: 'off' },
      flight_recorder: { enabled: 'off' },
      kubernetes: { enabled: 'off' },
      slurm: { enabled: 'off' },
      pdu: world.pdus.map((pdu) => ({
        name: pdu.name,
        host: '127.0.0.1',
        port: places.pduPorts.get(pdu.name) ?? 0,
        version: '2c',
        community: 'public',
        interval: '1s',
      })),
      bmc:
        places.bmc === null
          ? []
          : [
              {
                host: world.host.name,
                url: places.bmc.url,
                user: places.bmc.user,
                password_file: places.bmc.passwordFile,
                ca_file: places.bmc.caFile,
                interval: '2s',
              },
            ],
      job_log: world.jobs.map((job) => ({
        job: job.id,
        path: places.jobLogs.get(job.id) ?? '',
        framework: job.framework,
        ranks: job.ranks,
        ...(job.worldSize === null ? {} : { world_size: job.worldSize }),
      })),
    },
    topology: {
      feeds: world.feeds,
      runs: world.jobs.map((job) => ({ from: `host/${world.host.name}`, to: `job/${job.id}` })),
    },
  });
}
