// Place: where the root is, as far as its name does not say: the host and the GPU that the job's own lines name, or that none does.

import type { Action } from '../../model/action.ts';
import type { Component } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { podOf } from '../../model/pod-name.ts';
import { saidDevice, saidGpu } from '../../model/said-device.ts';
import { hostText, logOfHost, STDIN_LOG } from '../../model/unnamed-host.ts';
import { exactPart } from './exact-part.ts';

const LONGEST = 253;

/** Actions whose object is the node that the target sits in. */
export const ON_NODE: ReadonlySet<Action> = new Set(['reboot_node', 'power_cycle_node', 'drain_node']);

/** ` (gx-11, its GPU 3)`, ` (host not named, log dmesg.txt)`; empty where the name says all that is known. */
export function placeText(incident: Incident): string {
  const { component } = incident.root;
  const attributes = rootAttributes(incident);
  const own = hostOf(component, incident);
  const named = saidHost(attributes);
  // The name of anything but work has its host already.
  const said =
    named === own && component !== null && component.type !== 'rank' && component.type !== 'job' ? null : named;
  const log = logOfHost(own);
  // A host that no line names is called after its log already.
  const unnamed = log === STDIN_LOG ? 'host not named' : `host not named, log ${plain(log ?? '', LONGEST)}`;
  // "GPU 5", or a port, is of some host, which a name with an address would have.
  const isOfHost = saidGpu(attributes) !== null || incident.root.kind.startsWith('nic.');
  const bare = component === null && isOfHost && log === null ? plain(own, LONGEST) : null;
  const where = said ?? bare ?? (log === null || component?.type === 'host' ? null : unnamed);
  const { gpu_index: gpu } = attributes;
  const which = typeof gpu === 'number' && component !== null && component.type !== 'gpu' ? `its GPU ${gpu}` : null;
  const parts = [where, which, exactPart(incident)].filter((part) => part !== null);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Where something is to be done: the one host, or those that it may be; `host` is null and `hosts` empty where no line names any. */
export interface ActOn {
  readonly host: string | null;
  /** More than one only where the lines do not say which of them it is. */
  readonly hosts: readonly string[];
  /** What the host is called, or what stands for it: `log:dmesg.txt`. */
  readonly called: string;
}

/** The host that the steps are typed on, as a program needs it. */
export function actOn(incident: Incident): ActOn {
  const { target } = incident.action;
  const { named_host: one, possible_hosts: several } = isAtRoot(incident) ? rootAttributes(incident) : {};
  if (typeof one === 'string') return { host: one, hosts: [one], called: one };
  if (typeof several === 'string') {
    const hosts = several.replace(COUNTED, '').split(', ');
    return { host: hosts.length === 1 ? (hosts[0] ?? null) : null, hosts, called: several };
  }
  const called = hostOf(target, incident);
  const host = logOfHost(called) === null ? called : null;
  return { host, hosts: host === null ? [] : [host], called };
}

/** What is acted on, on the host that the lines name for it: the log that it was read in may not be of that. Without a host where they name several. */
export function placedTarget(incident: Incident): Component | null {
  const { target } = incident.action;
  const { named_host: one, possible_hosts: several } = isAtRoot(incident) ? rootAttributes(incident) : {};
  if (target === null || (typeof one !== 'string' && typeof several !== 'string')) return target;
  if (target.type === 'host') return { type: 'host', id: hostWords(incident) };
  const { host: own, ...bare } = target;
  const { host } = actOn(incident);
  if (own === undefined || own === host) return target;
  // The id of a part that has no address begins with its host: gx-07/0.
  const id = target.id.startsWith(`${own}/`) ? `${hostWords(incident)}${target.id.slice(own.length)}` : target.id;
  return host === null ? { ...bare, id } : { ...bare, id, host };
}

/** How many were left out of a list. */
const COUNTED = / and \d+ more$/;

/** Whether what is acted on is the root itself, whose lines may say on which host it was. */
function isAtRoot({ action: { target }, root }: Incident): boolean {
  return target === null ? root.component === null : target.id === root.component?.id;
}

/** The host on which something is to be done about the target: `gx-11`, `gx-10 or gx-11`, `the node of pod ml/trainer-2`, `the host of dmesg.txt`, of a job that no line places `its host`. */
export function hostWords(incident: Incident): string {
  const { target } = incident.action;
  const { host, hosts, called } = actOn(incident);
  if (hosts.length > 0) return plain(host ?? orText(called), LONGEST);
  const isWork = target?.type === 'job' || target?.type === 'rank';
  const pod = podOf(rootAttributes(incident));
  if (pod !== null) return `the node of pod ${plain(pod, LONGEST)}`;
  return isWork ? 'its host' : plain(hostText(called), LONGEST);
}

/** What the lines mean without an address: `GPU 5 of gx-54`, `the GPU of rank 3`, `the GPU of gx-07 that the lines mean`, `gx-07`; null where the target is named. */
export function unnamedObject(incident: Incident): string | null {
  const { action, root } = incident;
  if (action.target !== null) return null;
  const host = hostWords(incident);
  const family = root.kind.slice(0, root.kind.indexOf('.'));
  const said = ON_NODE.has(action.kind) ? null : saidDevice(root.kind, rootAttributes(incident));
  if (said?.startsWith('the ')) return logOfHost(incident.host) === null ? `${said} on ${host}` : said;
  if (said !== null) return `${said} of ${host}`;
  const device = ON_NODE.has(action.kind) ? undefined : DEVICES[family];
  if (device === undefined) return host;
  return logOfHost(incident.host) === null
    ? `the ${device} of ${host} that the lines mean`
    : `the ${device} that the lines mean`;
}
const DEVICES: Readonly<Record<string, string>> = { gpu: 'GPU', nic: 'network card', net: 'network card', psu: 'power supply', memory: 'memory module' }; // biome-ignore format: one line

/** Of a host without a name the line of the root says of which log it is, in as many words as that log's name has. */
export function hostOnce({ host }: Incident, text: string): string {
  return logOfHost(host) === null ? text : text.replaceAll(plain(hostText(host), LONGEST), 'that host');
}

function hostOf(component: Component | null, { host }: Incident): string {
  if (component?.host !== undefined) return component.host;
  return component?.type === 'host' ? component.id : host;
}

function rootAttributes({ events, root }: Incident): Attributes {
  return events.find(({ id }) => id === root.eventId)?.attributes ?? {};
}

function saidHost({ named_host: one, possible_hosts: several }: Attributes): string | null {
  if (typeof one === 'string') return plain(one, LONGEST);
  return typeof several === 'string' ? plain(orText(several), LONGEST) : null;
}

/** `gx-10, gx-11 or gx-12`. */
function orText(several: string): string {
  return several.replace(/, (?=[^,]*$)/, ' or ');
}
