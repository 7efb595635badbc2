// What a configured job log says about the host: the job runs here, and so do the ranks that are named.

import type { Component } from '../../model/component.ts';
import type { Discovery } from '../../model/record.ts';
import type { JobLogSettings, ServiceLogSettings } from './settings.ts';

/**
 * host → job, host → rank, rank → job. Which GPU runs which rank is not said by the order of `ranks` and not guessed:
 * links of the configuration's topology may say it.
 */
export function jobDiscoveries(config: JobLogSettings, hostName: string): Discovery[] {
  const host: Component = { type: 'host', id: hostName };
  const job: Component = { type: 'job', id: config.job };
  const found: Discovery[] = [
    {
      component: job,
      links: [{ from: host, to: job, relation: 'runs', source: 'configuration' }],
      attributes: { world_size: config.worldSize, local_ranks: config.ranks.length },
    },
  ];
  for (const number of config.ranks) {
    const rank: Component = {
      type: 'rank',
      id: `${config.job}/${number}`,
      host: hostName,
      parent: `job/${config.job}`,
    };
    found.push({
      component: rank,
      links: [
        { from: host, to: rank, relation: 'runs', source: 'configuration' },
        { from: rank, to: job, relation: 'member_of', source: 'configuration' },
      ],
    });
  }
  return found;
}

/** host → service: it is served here. On which GPUs, links of the configuration's topology say. */
export function serviceDiscovery({ service }: ServiceLogSettings, hostName: string): Discovery {
  const host: Component = { type: 'host', id: hostName };
  const component: Component = { type: 'service', id: service };
  return { component, links: [{ from: host, to: component, relation: 'runs', source: 'configuration' }] };
}
