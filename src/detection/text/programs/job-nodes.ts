// Job nodes: the one node that the log of a scheduler's daemon names for a job, so that a log of a node that names only the job has a host.

/** "JobId=4411 NodeList=gx-12 #CPUs=…", "prolog failure JobId=4411 node gx-12", "Killing JobId=4411 on failed node gx-12": one node, and no list. */
const NAMED =
  /\b(?:JobI[dD]=|[Jj]ob )(\d{1,12})\b[^\n]{0,160}?(?:\b[Nn]ode[Ll]ist=|\b[Nn]odes?[= ]|\bnode\(s\)=|\bon (?:host )?(?=\S{0,126}\d))([A-Za-z0-9][\w.-]{0,127})(?=[\s,;:]|$)/;
/** Of which every such line has one. */
export const JOB_NODE_WORDS: readonly string[] = ['NodeList=', 'rolog failure', 'pilog failure', 'pilog error', 'on failed node', 'on node(s)=']; // biome-ignore format: one list
const MAX_LINE = 1024;
/** Of all that is read together. */
const MOST = 65_536;

export class JobNodes {
  /** Null: of several nodes. */
  readonly #nodes = new Map<string, string | null>();

  /** Takes a line of a log that only the daemon of a scheduler writes. */
  take(text: string): void {
    if (!JOB_NODE_WORDS.some((word) => text.includes(word))) return;
    const [, job, node] = NAMED.exec(text.slice(0, MAX_LINE)) ?? [];
    if (job === undefined || node === undefined) return;
    const had = this.#nodes.get(job);
    if (had === undefined && this.#nodes.size >= MOST) return;
    // Copies: what a pattern found would keep the whole line in memory.
    this.#nodes.set(
      Buffer.from(job).toString(),
      had === undefined || had === node ? Buffer.from(node).toString() : null,
    );
  }

  /** Null where no line names one for it, or several do. */
  of(job: string): string | null {
    return this.#nodes.get(job) ?? null;
  }
}
