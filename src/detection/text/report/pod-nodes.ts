// Pod nodes: on which node each pod of a table of events was put, by the scheduler's own event, for the later ones name the pod alone.

export interface PodName {
  readonly pod: string;
  /** Null where the table has no column for it and no line says it. */
  readonly namespace: string | null;
}

/** The column with the object of an event, behind that of its namespace in `get events -A` ("ml   12m   Warning   …   pod/trainer-0"). */
const POD = /(?:^|\s)pod\/([a-z0-9][a-z0-9.-]{0,252})(?=\s)/;
const NAMESPACE = /^([a-z0-9][a-z0-9-]{0,62})\s{1,40}(?:(?:\d{1,5}[smhdy]){1,3}|<unknown>)\s/;
/** pkg/scheduler: "Successfully assigned ml/trainer-0 to gx-61" */
const ASSIGNED =
  /\bSuccessfully assigned ([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9.-]{0,252}) to ([a-z0-9][a-z0-9.-]{0,252})\s*$/;
const MOST_PODS = 4096;

export class PodNodes {
  readonly #known = new Map<string, { readonly namespace: string; readonly node: string }>();

  take(line: string): void {
    const [, namespace, pod, node] = ASSIGNED.exec(line) ?? [];
    if (namespace === undefined || pod === undefined || node === undefined) return;
    if (this.#known.size < MOST_PODS) this.#known.set(pod, { namespace, node });
  }

  nodeOf(pod: string): string | null {
    return this.#known.get(pod)?.node ?? null;
  }

  /** The pod that an event is of; null of anything else. */
  podIn(line: string): PodName | null {
    const pod = POD.exec(line)?.[1];
    if (pod === undefined) return null;
    return { pod, namespace: NAMESPACE.exec(line)?.[1] ?? this.#known.get(pod)?.namespace ?? null };
  }
}

/** As attributes of an event. */
export function podAttributes(object: PodName | null): Readonly<Record<string, string>> {
  if (object === null) return {};
  return { pod: object.pod, ...(object.namespace === null ? {} : { namespace: object.namespace }) };
}
