// What the ranks on this host say about it: host → job, host → rank, rank → job, and GPU → rank where that is known.

import type { Component } from '../../model/component.ts';
import type { Discovery } from '../../model/record.ts';
import type { Link } from '../../model/topology.ts';

/** What else the job of a rank is called, and what says so. */
export interface OtherNames {
  readonly aliases: readonly string[];
  readonly namedBy: string | null;
}

const NO_OTHERS: OtherNames = { aliases: [], namedBy: null };

export function rankComponent(job: string, rank: number, host: string): Component {
  return { type: 'rank', id: `${job}/${rank}`, host, parent: `job/${job}` };
}

/** The environment is the tenant's word: it places the tenant's own ranks and nothing else. */
export function rankDiscovery(
  job: string,
  rank: number,
  host: string,
  gpu: Component | null,
  role: string,
  { aliases, namedBy }: OtherNames = NO_OTHERS,
): Discovery {
  const called = (names: readonly string[]) => (names.length === 0 ? {} : { aliases: names });
  const component = { ...rankComponent(job, rank, host), ...called(aliases.map((name) => `${name}/${rank}`)) };
  const whole: Component = { type: 'job', id: job, ...called(aliases) };
  const here: Component = { type: 'host', id: host };
  const links: Link[] = [
    { from: here, to: whole, relation: 'runs', source: 'host' },
    { from: gpu ?? here, to: component, relation: 'runs', source: 'host' },
    { from: component, to: whole, relation: 'member_of', source: 'host' },
  ];
  return {
    component,
    links,
    attributes: { gpu: gpu?.id ?? null, role, ...(namedBy === null ? {} : { named_by: namedBy }) },
  };
}
