// About: whether an incident or an event has to do with a component or a job, as people and programs ask for it.

import { type Component, componentText } from '../model/component.ts';
import type { Incident } from '../model/incident.ts';
import type { Whose } from '../model/whose.ts';

/** Everything that the incident names: its root, what followed, what it hit. */
export function placesOf({ root, chain, impact }: Incident): readonly Component[] {
  const named = [
    root.component,
    ...chain.map(({ component }) => component),
    ...impact.map(({ component }) => component),
  ];
  return named.filter((component) => component !== null);
}

/** `wanted`: `type/id`, of one of the places or of what one is part of. */
export function isAbout(places: readonly Component[], wanted: string): boolean {
  return places.some((place) => isOrIsIn(place, wanted));
}

/** By any name that the job had when it was hit; a pod may stand for its job. */
export function isOfJob(whose: readonly Whose[] | undefined, places: readonly Component[], name: string): boolean {
  const named = (whose ?? []).some(
    ({ job, aliases, pods, name: called }) =>
      [job, called, ...aliases].includes(name) || pods.some((pod) => pod.name === name),
  );
  return named || places.some((place) => isPartOfJob(place, name));
}

function isOrIsIn(place: Component, wanted: string): boolean {
  const text = componentText(place);
  if (text === wanted || place.parent === wanted || `host/${place.host ?? ''}` === wanted) return true;
  // Parts are named by what they are part of: pdu_phase/pdu-b/1, rank/llama/34.
  const [type, id] = [wanted.slice(0, wanted.indexOf('/')), wanted.slice(wanted.indexOf('/') + 1)];
  return (
    (place.type.startsWith(`${type}_`) || (type === 'job' && place.type === 'rank')) && place.id.startsWith(`${id}/`)
  );
}

function isPartOfJob({ type, id }: Component, job: string): boolean {
  return ((type === 'job' || type === 'service') && id === job) || (type === 'rank' && id.startsWith(`${job}/`));
}
