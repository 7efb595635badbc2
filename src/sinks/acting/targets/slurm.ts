// Slurm: drains this node with a reason, counts what is out of service, and takes its own drain back.

import { join } from 'node:path';
import type { Component } from '../../../model/component.ts';
import { OWN_NAME } from '../../../model/stage.ts';
import { isDrained, nodeFromText, type SlurmNode } from '../../../sources/slurm/read/node.ts';
import type { Cluster } from '../decide/breaker.ts';
import type { SlurmTarget } from '../settings.ts';
import { runProgram } from './program.ts';
import { ActError, type Target } from './target.ts';

const DEADLINE_MS = 20_000;
/** Compact states of sinfo by which a node takes no work; a star behind any says that it does not answer. */
const OUT = /^(?:drain|drng|down|fail|failg|maint|boot|inval|unk|plnd|pow_dn|pow_up)|\*$/;
const MOST_REASON = 120;

export class SlurmDrain implements Target {
  readonly stage = 'quarantined';
  readonly action = 'drain';
  readonly component: Component;
  readonly node: string;
  readonly #settings: SlurmTarget;
  readonly #reason: string;

  /** `why`: kind and id of the incident. */
  constructor(settings: SlurmTarget, host: string, why: string) {
    this.#settings = settings;
    this.node = settings.node;
    this.component = { type: 'host', id: host };
    this.#reason = `${OWN_NAME}: ${why}`.replaceAll(/[^\w .:/-]+/g, ' ').slice(0, MOST_REASON);
  }

  get words(): string {
    return `scontrol update NodeName=${this.node} State=DRAIN Reason="${this.#reason}"`;
  }

  async count(): Promise<Cluster> {
    const text = await this.#run('sinfo', ['--noheader', '--Node', '--format=%N %t']);
    const nodes = new Set<string>();
    const out = new Set<string>();
    for (const line of text.split('\n')) {
      const [name, state = ''] = line.trim().split(/\s+/);
      if (name === undefined || name === '') continue;
      nodes.add(name);
      if (OUT.test(state)) out.add(name);
    }
    if (!nodes.has(this.node)) throw new ActError('unknown_node', `sinfo does not list ${this.node}`);
    return { out: [...out], nodes: nodes.size };
  }

  async isDone(): Promise<boolean> {
    return isDrained(await this.#shown());
  }

  /** Slurm has no trial of an update: that it answers about the node is all that can be known. */
  async tryOut(): Promise<void> {
    await this.#shown();
  }

  async act(): Promise<void> {
    await this.#update(['State=DRAIN', `Reason=${this.#reason}`]);
    if (!isDrained(await this.#shown())) throw new ActError('not_taken', 'Slurm took it, and the node is not drained');
  }

  /** Only while the drain is our own. */
  async undo(): Promise<void> {
    const node = await this.#shown();
    if (!isDrained(node)) return;
    const { reason } = node;
    if (reason !== this.#reason) throw new ActError('not_ours', `the reason is another by now: ${reason}`);
    await this.#update(['State=RESUME']);
  }

  get undoWords(): string {
    return `scontrol update NodeName=${this.node} State=RESUME`;
  }

  async #shown(): Promise<SlurmNode> {
    const node = nodeFromText(await this.#run('scontrol', ['show', 'node', this.node]), this.node);
    if (node === null) throw new ActError('unknown_node', `Slurm does not know the node ${this.node}`);
    return node;
  }

  async #update(words: readonly string[]): Promise<void> {
    await this.#run('scontrol', ['update', `NodeName=${this.node}`, ...words]);
  }

  #run(program: string, words: readonly string[]): Promise<string> {
    const { programs, conf } = this.#settings;
    return runProgram(join(programs, program), words, { deadlineMs: DEADLINE_MS, environment: conf === null ? {} : { SLURM_CONF: conf } }); // biome-ignore format: one line
  }
}
