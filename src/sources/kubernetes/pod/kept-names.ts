// Which labels, annotations and variables of pods are kept: those of catalog/kubernetes/workloads.json.

import { catalogueFolder } from '../../../helpers/catalogue-folder.ts';

export interface Workloads {
  /** First to last; the first that fits is what owns the pod. */
  readonly owners: readonly {
    readonly kind: string;
    /** Label or annotation that has the owner's name. */
    readonly name: string;
    /** Labels that must be there as well, with this text, or any where it is empty. */
    readonly where?: Readonly<Record<string, string>>;
    readonly from: string;
  }[];
  readonly queues: readonly string[];
  readonly users: readonly string[];
  readonly attempts: readonly string[];
  readonly batch_jobs: readonly string[];
  /** What a label says of the pod's place among its job's pods, as the variable that launchers know. */
  readonly indexes: readonly { readonly variable: string; readonly name: string; readonly from: string }[];
  /** Names that variables of pods take their text from. */
  readonly fields: readonly string[];
  readonly variables: readonly string[];
}

export const WORKLOADS = catalogueFolder('kubernetes').get('workloads') as Workloads; // test/sources/kubernetes/workloads.test.ts checks its form

const { owners, queues, users, attempts, batch_jobs: batchJobs, indexes, fields, variables } = WORKLOADS;
const names: readonly string[] = [
  ...new Set([
    ...owners.flatMap(({ name, where = {} }) => [name, ...Object.keys(where)]),
    ...queues,
    ...users,
    ...attempts,
    ...batchJobs,
    ...indexes.map(({ name }) => name),
    ...fields,
  ]),
];

/** Operators differ in which of the two they write: both are looked at. */
export const expectedNames = { labels: names, annotations: names, variables };
