// The names of jobs: the one under which each is reported, and the others of which no other job has one.

import type { BatchNames } from './batch-names.ts';
import type { Group } from './join.ts';

const MAX_ALIASES = 16;
const NAME = /^[^\s\p{C}]{1,253}$/u;

export interface GroupName {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly manager: string;
  readonly group: Group;
}

export function nameGroups(groups: readonly Group[], batch: BatchNames): GroupName[] {
  const taken = new Set<string>();
  // Names of the configuration first: nothing else may have them.
  const order = [...groups].sort((a, b) => Number(a.named === null) - Number(b.named === null));
  const named = order.map((group) => {
    const names = namesOf(group, batch);
    const id = free(names[0] ?? group.key, group, taken);
    taken.add(id);
    return { id, manager: managerOf(group), group, names };
  });
  const uses = new Map<string, number>();
  for (const { names } of named) for (const name of new Set(names)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return named.map(({ id, manager, group, names }) => {
    const others = [...new Set(names)].filter((name) => name !== id && NAME.test(name));
    return {
      id,
      manager,
      group,
      aliases: others.filter((name) => uses.get(name) === 1 && !taken.has(name)).slice(0, MAX_ALIASES),
    };
  });
}

/** First the one that it is reported under. */
function namesOf({ key, named, pods, processes }: Group, batch: BatchNames): string[] {
  const [kind, ...rest] = key.split('/');
  const names = named === null ? [] : [named.job];
  if (kind === 'batch') {
    const [manager, name = ''] = rest;
    const [id = name, user] = name.split('#');
    names.push(user === undefined ? id : `${id}-uid-${user}`);
    if (user === undefined && (manager === 'slurm' || manager === 'pbs' || manager === 'lsf' || manager === 'flux'))
      names.push(...batch.aliasesOf({ manager, id }));
  } else if (kind === 'owner') names.push(`${rest[0]}/${rest[2]}`);
  else if (kind === 'pod') names.push(rest.join('/'));
  else if (kind === 'container') names.push((rest[0] ?? '').slice(0, 12));
  else if (kind === 'run' || kind === 'pmix') names.push(rest.slice(1).join('/'));
  else names.push(kind === 'pod-uid' ? `pod-${rest[0]}` : `pid-${rest[1]}`);
  for (const { namespace, owner } of pods) if (owner !== null) names.push(`${namespace}/${owner.name}`);
  for (const { variables } of processes) {
    const run = variables.TORCHELASTIC_RUN_ID;
    if (run !== undefined && run !== 'none') names.push(run);
  }
  return names;
}

/** Two that are called the same differ by their users, else by what runs them. */
function free(name: string, group: Group, taken: ReadonlySet<string>): string {
  const user = group.processes.map(({ owner }) => owner[0]).find((each) => each !== 0) ?? group.processes[0]?.owner[0];
  const choices = [name, ...(user === undefined ? [] : [`${name}-uid-${user}`]), `${name}-${managerOf(group)}`];
  return choices.find((each) => NAME.test(each) && !taken.has(each)) ?? group.key;
}

function managerOf({ key, processes }: Group): string {
  const [kind = '', second = ''] = key.split('/');
  if (kind === 'batch') return second;
  if (kind === 'owner' || kind === 'pod' || kind === 'pod-uid') return 'kubernetes';
  if (kind === 'container') return processes.find(({ place }) => place.runtime !== null)?.place.runtime ?? 'container';
  if (kind === 'pmix') return 'mpi';
  if (kind === 'run') return 'torchrun';
  const has = (prefix: RegExp) =>
    processes.some(({ variables }) => Object.keys(variables).some((name) => prefix.test(name)));
  const launcher = processes.find((each) => each.launcher !== null)?.launcher;
  if (launcher !== undefined && launcher !== null) return launcher;
  return has(/^(?:OMPI|PMIX?|MV2|PALS)_/) ? 'mpi' : has(/^TORCHELASTIC_/) ? 'torchrun' : 'process';
}
