// Pod name: the pod that an event is of, by the attributes that sources of Kubernetes and its saved texts give it.

import type { Attributes } from './event.ts';

/** `ml/trainer-0`, `trainer-0` where no namespace is known; null where it is of no pod. Others wrote it: for people only. */
export function podOf({ pod, namespace }: Attributes): string | null {
  if (typeof pod !== 'string' || pod === '') return null;
  return typeof namespace === 'string' && namespace !== '' && !pod.includes('/') ? `${namespace}/${pod}` : pod;
}
