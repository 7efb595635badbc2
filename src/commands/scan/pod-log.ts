// Pod log: what `kubectl logs` printed in a pasted text is of the pod that the command names, and says why the container ends that the table calls so.

import type { Component } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import { isStandIn } from '../../model/unnamed-host.ts';

/** "$ kubectl logs -n serve llm-a-2kq8z -c vllm --previous | tail -2" */
const COMMAND = /^(?:.{0,120}[$#%>] {0,2})?(?:sudo )?(?:kubectl|oc|k) (.{0,200}?\blogs?\b.{1,400})$/;
/** The next command that was typed. */
const PROMPT = /^(?:\$|#|%|>|[\w.-]{1,40}@[\w.-]{1,64}:[^\s#$]{0,64}[#$]|\[[^\]\n]{1,120}\][#$]) ?[a-z]/;
/** Options that a value follows. */
const WITH_VALUE = /^(?:-n|--namespace|-c|--container|--tail|--since|--since-time|--context|--kubeconfig|--limit-bytes|-l|--selector)$/; // biome-ignore format: one line
const NAME = /^(?:pods?\/)?([a-z0-9][a-z0-9.-]{0,252})$/;
const LOOPS = /CrashLoopBackOff|Back-?[Oo]ff restarting/;
const MOST = 256;

interface Pod {
  readonly pod: string;
  readonly namespace: string | null;
}

function asked(line: string): Pod | null {
  const words = COMMAND.exec(line)?.[1]?.split('|')[0]?.trim().split(/\s+/) ?? [];
  let namespace: string | null = null;
  let pod: string | null = null;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (word === '-n' || word === '--namespace') namespace = next;
    else if (word.startsWith('--namespace=')) namespace = word.slice('--namespace='.length);
    if (WITH_VALUE.test(word)) at += 1;
    else if (!word.startsWith('-') && !/^logs?$/.test(word)) pod ??= NAME.exec(word)?.[1] ?? null;
  }
  return pod === null ? null : { pod, namespace: namespace !== null && NAME.test(namespace) ? namespace : null };
}

interface Found {
  readonly host: string;
  readonly event: EventInput;
}

export class PodLog {
  #of: Pod | null = null;
  /** What jobs are called whose lines such logs have, and the pod of each. */
  readonly #jobs = new Map<string, string>();
  /** By pod, that it ends again and again. */
  readonly #loops = new Map<string, Found>();
  /** By pod, how it ended by its own log. */
  readonly #ended = new Map<string, Found>();

  /** The line as of the pod whose log it is in. */
  named(record: TextRecord): TextRecord {
    if (PROMPT.test(record.text)) this.#of = asked(record.text);
    const { pod, namespace } = this.#of ?? {};
    if (pod === undefined) return record;
    const job = namespace == null ? pod : `${namespace}/${pod}`;
    if (this.#jobs.size < MOST) this.#jobs.set(job, pod);
    return { ...record, attributes: { ...record.attributes, job } };
  }

  /** What is to be said now: that a container ends waits for what its own log says of it. */
  take(host: string, event: EventInput): boolean {
    const { kind, source, severity, component, attributes = {} } = event;
    const { pod, reason, message } = attributes;
    if (kind === 'pod.start_failed' && typeof pod === 'string' && severity !== 'critical') {
      if (!LOOPS.test(`${reason} ${message}`) || this.#loops.size >= MOST) return true;
      this.#loops.set(pod, { host, event });
      return false;
    }
    const of = component === null || source !== 'job-log' || !ENDS.test(kind) ? undefined : this.#podOf(component);
    if (of !== undefined && !this.#ended.has(of)) this.#ended.set(of, { host, event });
    return true;
  }

  #podOf({ type, id }: Component): string | undefined {
    return this.#jobs.get(type === 'rank' ? id.slice(0, Math.max(id.lastIndexOf('/'), 0)) : id);
  }

  /** Of a pod whose log says how it ended that alone, with what else is known of the pod. */
  end(): Found[] {
    const found = [...this.#loops].map(([pod, loop]) => {
      const ended = this.#ended.get(pod);
      return ended === undefined ? loop : { host: ended.host, event: withPod(ended.event, loop.event) };
    });
    this.#loops.clear();
    this.#ended.clear();
    return found;
  }
}

/** Not what only passes. */
const ENDS = /^(?:job\.(?!started|ended|checkpoint|straggler|throughput)|gpu\.|host\.(?:shm|disk)_full$|config\.)/;

function withPod(ended: EventInput, { attributes = {}, component, evidence = [] }: EventInput): EventInput {
  const { pod, namespace, message } = attributes;
  const host = component === null || isStandIn(component) ? null : component.id;
  const more: Attributes = {
    ...(typeof pod === 'string' ? { pod } : {}),
    ...(typeof namespace === 'string' ? { namespace } : {}),
    ...(typeof message === 'string' ? { ends: message } : {}),
    ...(host === null ? {} : { named_host: host }),
  };
  return { ...ended, attributes: { ...ended.attributes, ...more }, evidence: [...(ended.evidence ?? []), ...evidence] };
}
