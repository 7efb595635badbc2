// AlikeProcesses: the processes that may be work, and of them those that must be looked at one by one to know the jobs. Of those that
// say the same (workers that load data, shells of a script) the first two are enough, so that thousands that come and go cost nothing.

import type { Facts, ProcessFact } from './facts.ts';

/** What names single processes, or makes one of them more than it says itself. */
export type Naming = Pick<Facts, 'scheduled' | 'named' | 'reported'> & { readonly gpus: Pick<Facts['gpus'], 'users'> };

/** Two, as whether there is another one decides who is a rank. */
const KEPT = 2;

interface Alike {
  readonly text: string;
  /** Rising. */
  readonly members: ProcessFact[];
}

export class AlikeProcesses {
  readonly #alike = new Map<string, Alike>();
  readonly #alikeOf = new Map<ProcessFact, Alike>();
  /** Usually one; of two under one number one has ended. */
  readonly #byPid = new Map<number, readonly ProcessFact[]>();

  /** One fact came, went, or replaced the one before. */
  changed(before: ProcessFact | undefined, after: ProcessFact | undefined): void {
    if (before !== undefined) this.#remove(before);
    if (after !== undefined) this.#add(after);
  }

  /** Those that decide what the jobs are, rising by start: a function of all facts, and not of the order in which they came. */
  deciding(naming: Naming): readonly ProcessFact[] {
    const kept = new Set<ProcessFact>();
    const keep = (pid: number): void => {
      for (const fact of this.#byPid.get(pid) ?? []) kept.add(fact);
    };
    for (const pids of naming.gpus.users.values()) pids.forEach(keep);
    for (const { tasks } of naming.scheduled) for (const { pid } of tasks) keep(pid);
    for (const { pid } of naming.named) keep(pid);
    for (const { pid } of naming.reported) keep(pid);
    for (const { members } of this.#alike.values()) {
      let most = this.#countsEach(members) ? members.length : KEPT;
      for (const member of members) {
        if (most === 0) break;
        if (!kept.has(member)) most -= 1;
        kept.add(member);
      }
    }
    // A set is walked through to its end, with what is added on the way.
    for (const { parent } of kept) keep(parent);
    return [...kept].sort(inOrder);
  }

  /** What a launcher says is of all its children; and a parent that is younger than a child is another process than theirs. */
  #countsEach([first]: readonly ProcessFact[]): boolean {
    if (first === undefined) return false;
    if (first.launcher !== null && first.said !== null) return true;
    const parents = this.#byPid.get(first.parent) ?? [];
    return parents.some(
      ({ launcher, said, startTicks }) => (launcher !== null && said !== null) || startTicks > first.startTicks,
    );
  }

  #add(fact: ProcessFact): void {
    const text = saying(fact);
    const alike = this.#alike.get(text) ?? { text, members: [] };
    this.#alike.set(text, alike);
    this.#alikeOf.set(fact, alike);
    alike.members.splice(placeOf(fact, alike.members), 0, fact);
    this.#byPid.set(fact.pid, [...(this.#byPid.get(fact.pid) ?? []), fact]);
  }

  #remove(fact: ProcessFact): void {
    const alike = this.#alikeOf.get(fact);
    if (alike === undefined) return;
    this.#alikeOf.delete(fact);
    alike.members.splice(placeOf(fact, alike.members), 1);
    if (alike.members.length === 0) this.#alike.delete(alike.text);
    const others = (this.#byPid.get(fact.pid) ?? []).filter((each) => each !== fact);
    if (others.length === 0) this.#byPid.delete(fact.pid);
    else this.#byPid.set(fact.pid, others);
  }
}

/** All that it says but for which process it is. Brothers and sisters only: what its ancestors are is then the same. */
function saying(fact: ProcessFact): string {
  const { parent, owner, startedMs, place, variables, readable, root, role, launcher, said, framework, writes } = fact;
  // Its root has its number; a file that has an inode is the same through any of them.
  const where = writes.some(({ inode }) => inode === 0) ? root : root === '';
  const sorted = Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1));
  const rest = [readable, where, role, launcher, said, framework, writes, fact.devices];
  return JSON.stringify([parent, owner, startedMs === null, place, sorted, ...rest]);
}

/** Where it is among them, or would be. */
function placeOf(fact: ProcessFact, rising: readonly ProcessFact[]): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = rising[middle];
    if (other !== undefined && inOrder(other, fact) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As their keys. */
const inOrder = (a: ProcessFact, b: ProcessFact): number => a.startTicks - b.startTicks || a.pid - b.pid;
