// What the work on this host says about its topology: host → job, GPU → rank, rank → job, NIC → job, and GPU → job where no rank is
// known.

import { rankDiscovery } from '../../identity/rank/links.ts';
import type { Work, WorkView } from '../../identity/work/work.ts';
import { type Component, parseComponent } from '../../model/component.ts';
import type { Discovery } from '../../model/record.ts';
import type { Link } from '../../model/topology.ts';

/** `namedBy`: what names the job of a process besides its launcher. */
export function workDiscoveries(
  view: WorkView,
  host: string,
  namedBy: (pid: number | null) => string | null,
): Discovery[] {
  return view.works.flatMap((work) => [jobDiscovery(work, view, host), ...rankDiscoveries(work, host, namedBy)]);
}

function rankDiscoveries(work: Work, host: string, namedBy: (pid: number | null) => string | null): Discovery[] {
  return work.ranks.map(({ rank, gpus, pid, role }) => {
    const [first = null, ...others] = gpus.map((id) => gpuOf(id, host));
    const names = { aliases: work.aliases, namedBy: namedBy(pid) };
    const found = rankDiscovery(work.id, rank, host, first, role, names);
    const links = others.map((from): Link => ({ from, to: found.component, relation: 'runs', source: 'host' }));
    return { ...found, links: [...found.links, ...links] };
  });
}

function jobDiscovery(work: Work, { devices }: WorkView, host: string): Discovery {
  const component: Component = {
    type: 'job',
    id: work.id,
    ...(work.aliases.length === 0 ? {} : { aliases: work.aliases }),
  };
  const here: Component = { type: 'host', id: host };
  const links: Link[] = [{ from: here, to: component, relation: 'runs', source: 'host' }];
  for (const { device, work: of, ranks } of devices) {
    // A GPU of a rank is linked to that rank; a card that ranks use is the whole job's.
    const isOwn = of === work.id && (ranks.length === 0 || device.startsWith('nic/'));
    const from = isOwn ? parseComponent(device, host) : null;
    if (from !== null) links.push({ from, to: component, relation: 'runs', source: 'host' });
  }
  const { manager, user, name, worldSize } = work;
  return {
    component,
    links,
    attributes: { manager, user, name, world_size: worldSize, local_ranks: work.ranks.length },
  };
}

function gpuOf(id: string, host: string): Component {
  return { type: /\/\d+$/.test(id) ? 'gpu_instance' : 'gpu', id, host };
}
