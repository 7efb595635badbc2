// Which network cards a process works through: those on which it has queues, else the verbs devices that it has open, else what its
// variables choose, within what its
// container was given. A card that it may use and nothing names is not said to be used.

import { canonicalPciAddress } from '../../model/component.ts';
import type { NicFacts } from '../host-nics.ts';
import type { PodContainer, PodDevice, ProcessFact } from './facts.ts';

/** What the paths of verbs devices begin with; a number follows. */
export const VERBS_DEVICE = '/dev/infiniband/uverbs';

/** Id of a card, and how that is known. */
export interface NicUse {
  readonly nic: string;
  readonly knownBy: string;
}

/** Libraries choose RDMA devices by these, each in its own way of writing. */
const CHOICES: readonly { readonly name: string; readonly form: 'nccl' | 'ports' }[] = [
  { name: 'NCCL_IB_HCA', form: 'nccl' },
  { name: 'UCX_NET_DEVICES', form: 'ports' },
];
/** And interfaces by these. */
const INTERFACES: readonly { readonly name: string; readonly form: 'nccl' | 'ports' }[] = [
  { name: 'NCCL_SOCKET_IFNAME', form: 'nccl' },
  { name: 'GLOO_SOCKET_IFNAME', form: 'ports' },
];

/** Each card once. `onlyOpen`: what its variables say is not its own: a rank started it. */
export function nicsOfProcess(
  process: ProcessFact,
  container: PodContainer | null,
  nics: NicFacts,
  onlyOpen = false,
): NicUse[] {
  if (nics.cards.length === 0) return [];
  const variables: Record<string, string> = onlyOpen ? {} : { ...container?.variables, ...process.variables };
  const found = new Map<string, string>();
  const add = (cards: Iterable<string>, knownBy: string): void => {
    for (const card of cards) if (!found.has(card)) found.set(card, knownBy);
  };
  const given = new Set(container?.devices.flatMap((each) => nicGiven(each, nics) ?? []));
  const open = process.devices.flatMap((path) => nics.verbs.get(path.slice(path.lastIndexOf('/') + 1)) ?? []);
  const queued = nics.queues.get(process.pid) ?? [];
  // Libraries open every device to look at it; queues they have on those that they work through.
  if (queued.length > 0) add(queued, 'its queues on RDMA devices');
  else if (open.length > 0) add(open, 'verbs devices that it has open');
  else {
    for (const { name, form } of CHOICES) {
      if (name === 'NCCL_IB_HCA' && isOn(variables.NCCL_IB_DISABLE)) continue;
      const chosen = chosenOf(variables[name], form, [...nics.rdma.keys()]);
      const cards = chosen.flatMap((each) => nics.rdma.get(each) ?? []);
      add(given.size === 0 ? cards : cards.filter((card) => given.has(card)), name);
    }
  }
  for (const { name, form } of INTERFACES) {
    const text = variables[name];
    // Of all but some the library takes what answers first.
    if (text?.startsWith('^') === true) continue;
    const interfaces = interfacesOf(process, container, nics);
    const chosen = chosenOf(text, form, [...interfaces.keys()]);
    add(chosen.flatMap((each) => interfaces.get(each) ?? []), name); // biome-ignore format: one call
  }
  return [...found].map(([nic, knownBy]) => ({ nic, knownBy })).sort((a, b) => (a.nic < b.nic ? -1 : 1));
}

/** In a network of its own an interface of the same name is another one; none is known where nothing says which network it is in. */
function interfacesOf({ place }: ProcessFact, container: PodContainer | null, nics: NicFacts): NicFacts['interfaces'] {
  const network = container?.network;
  if (network === 'host' || (place.pod === null && place.container === null)) return nics.interfaces;
  return new Map(Object.entries(network ?? {}).map(([name, device]) => [name, [nicOf(device, nics) ?? []].flat()]));
}

/** The variable that chooses an interface of a network of which nothing says what its interfaces are; null where there is none. */
export function unknownInterface(process: ProcessFact, container: PodContainer | null): string | null {
  const { place } = process;
  if ((place.pod === null && place.container === null) || container?.network !== undefined) return null;
  const variables: Record<string, string> = { ...container?.variables, ...process.variables };
  const isChosen = (text: string | undefined): boolean => text !== undefined && text !== '' && !text.startsWith('^');
  return INTERFACES.find(({ name }) => isChosen(variables[name]))?.name ?? null;
}

/** By the first of its names that is one of a card. */
export function nicGiven({ id, also = [] }: PodDevice, nics: NicFacts): string | null {
  for (const name of [...also, id]) {
    const nic = nicOf(name, nics);
    if (nic !== null) return nic;
  }
  return null;
}

/** What a device plugin or a driver of claims calls a card: its address, that of a virtual function, its RDMA or verbs device. */
export function nicOf(id: string, { cards, functions, rdma, verbs }: NicFacts): string | null {
  const address = canonicalPciAddress(id);
  if (address === null) return rdma.get(id) ?? verbs.get(id) ?? null;
  return functions.get(address) ?? (cards.some((card) => card.id === address) ? address : null);
}

/**
 * NCCL: `^` all but these, `=` these names and no longer ones, else names that begin so; a port behind each. Others: names, a port
 * behind each.
 */
function chosenOf(text: string | undefined, form: 'nccl' | 'ports', names: readonly string[]): string[] {
  if (text === undefined) return [];
  const [, not = '', exact = '', list = ''] = /^(\^?)(=?)(.*)$/.exec(form === 'nccl' ? text : `=${text}`) ?? [];
  const listed = list.split(',').flatMap((each) => each.trim().split(':', 1)[0] || []);
  if (listed.length === 0) return [];
  const isListed = (name: string) => listed.some((each) => (exact === '=' ? name === each : name.startsWith(each)));
  return names.filter((name) => isListed(name) !== (not === '^'));
}

function isOn(text: string | undefined): boolean {
  return text !== undefined && /^[1-9]\d*$/.test(text);
}
