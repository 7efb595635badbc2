// Place: which service a resource is, and where on this host it runs, by its attributes and what is known of the work here.

import type { WorkView } from '../../../identity/work/work.ts';
import { type Component, parseComponent } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Discovery } from '../../../model/record.ts';
import type { Link } from '../../../model/topology.ts';
import { isOwnersWord } from '../../text-in/owners-word.ts';
import type { PassedOn } from '../../text-in/whose-lines.ts';
import { textOf } from '../wire/values.ts';

type Attributes = ReadonlyMap<string, AttributeValue>;

/** As an id it is in every report; two names that were cut would be one service. */
export const LONGEST_NAME = 128;

/** The name as an id, however long; null where the resource names none. */
export function serviceOf(attributes: Attributes): string | null {
  const name = textOf(attributes, 'service.name')?.replace(/[\s/]+/gu, '_') ?? '';
  return name === '' ? null : name.toWellFormed();
}

/** The node that a resource names, where it is another than this host. */
export function otherNode(attributes: Attributes, host: string): string | null {
  const node = textOf(attributes, 'k8s.node.name');
  return node === null || node === host || node.split('.')[0] === host.split('.')[0] ? null : node;
}

/** One key for each place that a service runs at: its instances may be in several. */
export function placeKey(attributes: Attributes): string {
  const keys = ['k8s.pod.uid', 'slurm.job.id', 'process.pid', 'service.instance.id', 'container.id'];
  return keys.map((key) => String(attributes.get(key) ?? '')).join('\n');
}

/** host → service, and its job and GPUs where pod, process or job number are known here and the sender speaks for that job. */
export function serviceDiscovery(
  service: string,
  attributes: Attributes,
  host: string,
  view: WorkView,
  passed: PassedOn,
): Discovery {
  const component: Component = { type: 'service', id: service };
  const work = workOf(attributes, view, passed);
  const devices = view.devices.flatMap(({ device, work: of }) => (work !== null && of === work ? [device] : []));
  const from = [
    ...devices.flatMap((device) => parseComponent(device, host) ?? []),
    ...(work === null ? [] : [{ type: 'job', id: work } as const]),
    { type: 'host', id: host } as const,
  ];
  const links = from.map((one): Link => ({ from: one, to: component, relation: 'runs', source: 'host' }));
  return { component, links };
}

function workOf(attributes: Attributes, { works }: WorkView, { sender, shippers }: PassedOn): string | null {
  const pod = textOf(attributes, 'k8s.pod.uid');
  const pid = Number(attributes.get('process.pid') ?? Number.NaN);
  const slurm = attributes.get('slurm.job.id') ?? attributes.get('slurm.job_id');
  const found = works.find(
    ({ id, aliases, pods, ranks }) =>
      (pod !== null && pods.some(({ uid }) => uid === pod)) ||
      // A process id of a container means another process here.
      (pod === null && !attributes.has('container.id') && ranks.some((rank) => rank.pid === pid)) ||
      (slurm !== undefined && [id, ...aliases].includes(String(slurm))),
  );
  return found !== undefined && isOwnersWord(sender, found.user, shippers) ? found.id : null;
}
