// Which variables of a process's environment native code may hand over: nothing else of it is ever seen.

import allowed from '#catalog/process-variables.json' with { type: 'json' };

type NameIn<Group extends 'rank' | 'job' | 'path' | 'plain'> = keyof (typeof allowed)[Group];
export type WorkVariable = NameIn<'rank'> | NameIn<'job'> | NameIn<'path'> | NameIn<'plain'>;

const namesOf = <Name extends string>(group: Readonly<Record<Name, string>>) => Object.keys(group) as Name[]; // its own keys

/** A process that has one is a rank, or was started by one. */
export const RANK_MARKERS = namesOf(allowed.rank);

/** A process that has one belongs to a job of a scheduler. */
export const JOB_MARKERS = namesOf(allowed.job);

/** Their values are paths, or terms of a language of their own, which may have any characters. */
export const PATH_VARIABLES = namesOf(allowed.path);

/** All of them. */
export const WORK_VARIABLES: readonly WorkVariable[] = [
  ...RANK_MARKERS,
  ...JOB_MARKERS,
  ...PATH_VARIABLES,
  ...namesOf(allowed.plain),
];
