// Which pod a control group belongs to: by the uid that its name has, or by the GPU where only one pod and one group fit.

import { deviceOf } from './device-names.ts';
import type { Facts, PodFact } from './facts.ts';

/** Uid, or hash of a static pod, as a control group has it → the pod. */
export function podsByGroup(pods: readonly PodFact[]): Map<string, PodFact> {
  return new Map(pods.flatMap((pod) => [pod.uid, pod.configHash].flatMap((id) => (id === null ? [] : [[id, pod] as const])))); // biome-ignore format: one line
}

/** The same pods; those of a source without uids with the uid of their control group, where that is sure. */
export function podsWithUids({ pods, processes, gpus }: Facts): readonly PodFact[] {
  const nameless = pods.filter(({ uid }) => uid === null);
  if (nameless.length === 0) return pods;
  const known = podsByGroup(pods);
  // Such a source names pods and their devices; control groups have uids, and the driver the devices of their processes.
  const places = new Map(processes.map(({ pid, place }) => [pid, place.pod]));
  const groups = new Map<string, readonly string[]>();
  for (const [gpu, pids] of gpus.users) {
    const uids = new Set(pids.flatMap((pid) => places.get(pid) ?? []));
    groups.set(
      gpu,
      [...uids].filter((uid) => !known.has(uid)),
    );
  }
  const given = new Map(nameless.map((pod) => [pod, gpusOf(pod, gpus)]));
  const fits = new Map<PodFact, string>();
  for (const [pod, own] of given) {
    const [uid, ...more] = new Set([...own].flatMap((gpu) => groups.get(gpu) ?? []));
    const rivals = nameless.filter(
      (other) => other !== pod && [...(given.get(other) ?? [])].some((gpu) => own.has(gpu)),
    );
    if (uid !== undefined && more.length === 0 && rivals.length === 0) fits.set(pod, uid);
  }
  const times = (uid: string) => [...fits.values()].filter((each) => each === uid).length;
  return pods.map((pod) => {
    const uid = fits.get(pod);
    return uid === undefined || times(uid) > 1 ? pod : { ...pod, uid };
  });
}

function gpusOf({ containers }: PodFact, gpus: Facts['gpus']): Set<string> {
  const devices = containers.flatMap((container) =>
    container.devices.flatMap(({ id, resource }) => deviceOf(id, gpus, resource)?.device ?? []),
  );
  return new Set(devices.map((device) => device.split('/')[1] ?? ''));
}
