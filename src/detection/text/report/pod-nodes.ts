// Pod nodes: on which node and in which namespace each pod of a table of events is, as some event says, for the others name the pod alone.

import { askedNamespace } from './asked-namespace.ts';

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
/** kubelet: "container vllm in pod trainer-0_ml(3a1)"; the taint manager: "Marking for deletion Pod ml/trainer-0". */
const OF_KUBELET = /\bin pod ([a-z0-9][a-z0-9.-]{0,252})_([a-z0-9][a-z0-9-]{0,62})\(/;
const DELETED =
  /\b(?:Marking for deletion|Deleting|Cancelling deletion of) [Pp]od ([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9.-]{0,252})(?=\s|$)/;
const MOST_PODS = 4096;

export class PodNodes {
  readonly #known = new Map<string, { readonly namespace: string; readonly node: string | null }>(); // of one whose namespace no line says it is empty
  /** Of the command that the table is the answer to. */
  #asked = '';

  take(line: string): void {
    this.#asked = askedNamespace(line) ?? this.#asked;
    const [, namespace, pod, node] = ASSIGNED.exec(line) ?? DELETED.exec(line) ?? [];
    if (namespace !== undefined && pod !== undefined) this.#keep(pod, namespace, node ?? null);
    const [, named, of] = OF_KUBELET.exec(line) ?? [];
    if (named !== undefined && of !== undefined) this.#keep(named, of, null);
  }

  /** As a table with a column for it says. */
  place(pod: string, namespace: string, node: string): void {
    this.#keep(pod, namespace, node);
  }

  #keep(pod: string, namespace: string, node: string | null): void {
    const known = this.#known.get(pod);
    if (known !== undefined || this.#known.size < MOST_PODS)
      this.#known.set(pod, { namespace: namespace === '' ? (known?.namespace ?? '') : namespace, node: node ?? known?.node ?? null }); // biome-ignore format: one line
  }

  /** In which namespace; null where no line says it. */
  namespaceOf(pod: string): string | null {
    const said = this.#known.get(pod)?.namespace || this.#asked;
    return said === '' ? null : said;
  }

  nodeOf(pod: string): string | null {
    return this.#known.get(pod)?.node ?? null;
  }

  /** The pod that an event is of; null of anything else. */
  podIn(line: string): PodName | null {
    const pod = POD.exec(line)?.[1];
    const [, named, of] = pod === undefined ? (OF_KUBELET.exec(line) ?? []) : [];
    if (named !== undefined && of !== undefined) return { pod: named, namespace: of };
    if (pod === undefined) return null;
    return { pod, namespace: NAMESPACE.exec(line)?.[1] ?? this.namespaceOf(pod) };
  }
}

/** As attributes of an event. */
export function podAttributes(object: PodName | null): Readonly<Record<string, string>> {
  if (object === null) return {};
  return { pod: object.pod, ...(object.namespace === null ? {} : { namespace: object.namespace }) };
}
