// What the tests of the chart read: its folder, its values, and the manifests that it made of each case.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const CHART = join(import.meta.dirname, '../../../deploy/helm/faultline');
export const CASES = readdirSync(join(import.meta.dirname, 'values')).map((name) => name.replace('.yaml', ''));
export const valuesFile = (name: string): string => join(import.meta.dirname, 'values', `${name}.yaml`);
export const golden = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'golden', `${name}.yaml`), 'utf8');

export interface Volume {
  readonly name: string;
  readonly hostPath?: { readonly path: string; readonly type?: string };
}

export interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: {
    readonly privileged: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem: boolean;
    readonly capabilities?: { readonly drop: readonly string[]; readonly add?: readonly string[] };
  };
  readonly ports: readonly { name: string; containerPort: number; hostPort?: number; protocol: string }[];
  readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

export interface PodSpec {
  readonly hostPID: boolean;
  readonly hostNetwork: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: { readonly seccompProfile?: { readonly type: string } };
  readonly containers: readonly [Container];
  readonly volumes: readonly Volume[];
  readonly affinity?: unknown;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: { readonly 'faultline.yaml': string };
  readonly rules?: readonly unknown[];
  readonly spec?: { readonly template: { readonly spec: PodSpec; readonly metadata: object } };
}

export function manifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [value as Manifest]; // of our own chart; what is read of it is asserted
  });
}

export const ofKind = (text: string, kind: string): Manifest[] => manifests(text).filter((one) => one.kind === kind);

export function podOf(set: Manifest | undefined): PodSpec {
  if (set?.spec === undefined) throw new Error('no DaemonSet');
  return set.spec.template.spec;
}

export const values = (file: string): unknown => parse(readFileSync(file, 'utf8')) ?? {};
