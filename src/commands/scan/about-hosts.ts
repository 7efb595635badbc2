// About hosts: of which hosts a log reports whose lines do not say which host wrote it, such as the table of a scheduler.

import type { EventInput } from '../../model/record.ts';

/** More are a cluster's, and none of them is the one. */
const MOST = 4096;

export class AboutHosts {
  readonly #hosts = new Set<string>();
  readonly #label: string;
  #isOfItself = false;

  /** `label` stands for the host of the log. */
  constructor(label: string) {
    this.#label = label;
  }

  take({ component, source }: EventInput): void {
    if (component === null) return;
    const host = component.type === 'host' ? component.id : component.host;
    const isOwn = host === this.#label;
    // A job's log has words of its own for where it ran; a job alone is on no host.
    if (source === 'job-log' || isOwn || (host !== undefined && this.#hosts.size >= MOST)) this.#isOfItself = true;
    if (host !== undefined && !isOwn && this.#hosts.size < MOST) this.#hosts.add(host);
  }

  /** Empty where it reports of itself, of too many, or of none. */
  get hosts(): readonly string[] {
    return this.#isOfItself ? [] : [...this.#hosts];
  }

  /** Whether it reports of itself besides or not. */
  get mentioned(): readonly string[] {
    return [...this.#hosts];
  }
}
