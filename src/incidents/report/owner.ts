// Owner: whom the work belongs to that an incident hit, as far as identity, or the lines themselves, know the job and its user.

import { groupPlace } from '../../identity/work/group-place.ts';
import type { Component } from '../../model/component.ts';
import { jobText } from '../../model/component-name.ts';
import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { podOf } from '../../model/pod-name.ts';
import { workText } from './whose.ts';

const LONGEST = 64;

/** `who runs llama (slurm job 991): alice`, `who runs job 8812`, `who runs the job` where no line names it. */
export function ownerText(incident: Incident): string {
  const { whose = [] } = incident;
  const one = whose.find(({ user }) => user !== null) ?? whose[0];
  const what = (one === undefined ? workSaid(incident) : workText(one)) ?? 'the job';
  const user = one === undefined ? userSaid(incident) : one.user;
  const more = whose.length > 1 ? `, and of ${whose.length - 1} more` : '';
  const find = one === undefined ? findPod(incident) : '';
  return `who runs ${what}${find}${user === null ? '' : `: ${plain(user, LONGEST)}`}${more}`;
}

/** A control group has the UID of its pod alone, which no one is called by. */
function findPod({ events, root }: Incident): string {
  const own = events.find(({ id }) => id === root.eventId);
  const { memcg } = own?.attributes ?? {};
  if (own === undefined || podOf(own.attributes) !== null || typeof memcg !== 'string') return '';
  const { batch, pod: uid } = groupPlace(`0::${memcg}`);
  const [start] = batch === null && uid !== null ? (/^[0-9a-f]{8}/.exec(uid) ?? []) : [];
  return start === undefined
    ? ''
    : ` (its UID; kubectl get pods -A -o custom-columns=U:.metadata.uid,NS:.metadata.namespace,N:.metadata.name | grep ${start} names it)`;
}

/** The job that lines name: by the event's own words, the kernel's control group, or the component. */
export function workSaid({ events, root }: Incident): string | null {
  const own = events.find(({ id }) => id === root.eventId);
  const ordered = own === undefined ? events : [own, ...events];
  for (const { attributes, component } of ordered) {
    const text = saidIn(attributes) ?? workOf(component);
    if (text !== null) return text;
  }
  return workOf(root.component) ?? processIn(own?.attributes ?? {});
}

function saidIn(attributes: Attributes): string | null {
  const { memcg, job } = attributes;
  const pod = podOf(attributes);
  if (pod !== null) return `pod ${plain(pod, LONGEST)}`;
  if (typeof memcg === 'string') {
    const { batch, pod: uid } = groupPlace(`0::${memcg}`);
    if (batch?.job != null) return `${batch.manager} job ${plain(batch.job, LONGEST)}`;
    if (uid !== null) return `pod ${plain(uid, LONGEST)}`;
  }
  return typeof job === 'string' && job !== '' ? named(job) : null;
}

/** Where no more is known than which process it was. */
function processIn({ pid, process }: Attributes): string | null {
  if (typeof pid !== 'number') return null;
  const name = typeof process === 'string' && process !== '' ? ` (${plain(process, LONGEST)})` : '';
  return `the job of process ${pid}${name}`;
}

function workOf(component: Component | null): string | null {
  if (component?.type === 'job') return named(component.id);
  if (component?.type !== 'rank') return null;
  const slash = component.id.lastIndexOf('/');
  return slash < 1 ? null : named(component.id.slice(0, slash));
}

/** `job 8812`, `the job llama`; `the job` of one that is called so, after its log. */
function named(id: string): string {
  const called = plain(id, LONGEST);
  if (called === 'job') return 'the job';
  const text = jobText(called);
  return text === called ? `the job ${called}` : text;
}

/** By the number that the kernel knows the user by; a container's own root says nothing of who that is. */
function userSaid({ events }: Incident): string | null {
  for (const {
    attributes: { user, uid },
  } of events) {
    if (typeof user === 'string' && user !== '') return user;
    if (typeof uid === 'number' && uid > 0) return `uid ${uid} (getent passwd ${uid})`;
  }
  return null;
}
