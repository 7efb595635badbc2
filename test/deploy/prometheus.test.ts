// The example configuration of Prometheus scrapes where Faultline listens by default.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../src/native.ts';
import { load } from '../config/helpers.ts';

test('prometheus.yml names the default port', async () => {
  const { config } = await load('prometheus: {enabled: on}');
  const text = readFileSync(join(installationRoot(), 'deploy/grafana/prometheus.yml'), 'utf8');
  const port = /job_name: faultline\n.*targets: \["[\w-]+:(\d+)"\]/.exec(text)?.[1];
  assert.equal(Number(port), config.prometheus?.listen?.port);
});
