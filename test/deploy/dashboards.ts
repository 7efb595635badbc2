// Reads the dashboards of deploy/grafana as the tests need them: panels, their queries, the queries of annotations.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '../../src/native.ts';

export const FOLDER = join(installationRoot(), 'deploy', 'grafana');

interface Target {
  readonly expr?: string;
  readonly query?: string;
  readonly datasource: { readonly type: string };
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly Target[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly annotations: { readonly list: readonly { readonly expr?: string }[] };
}

export function dashboards(): Dashboard[] {
  const folder = join(FOLDER, 'dashboards');
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dashboard); // what the tests check
}

/** Every PromQL expression with where it is. */
export function queries(dashboard: Dashboard): { readonly where: string; readonly expr: string }[] {
  const inPanels = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.flatMap(({ expr }) => (expr === undefined ? [] : [{ where: `${dashboard.uid}: ${title}`, expr }])),
  );
  const others = dashboard.annotations.list.flatMap(({ expr }) =>
    expr === undefined ? [] : [{ where: `${dashboard.uid}: annotations`, expr }],
  );
  return [...inPanels, ...others];
}

/** The expression as Grafana sends it. */
export function filled(expr: string): string {
  return expr.replaceAll('$__rate_interval', '40s').replaceAll('$__range', '1h').replaceAll('$instance', '.*');
}
