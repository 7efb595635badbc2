// Frameworks: every file of catalog/job is of the schema, names only what there is, and makes the choices of the configuration.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import schema from '#catalog/job.schema.json' with { type: 'json' };
import { FRAMEWORKS } from '../../src/detection/text/job/framework.ts';
import { expectedBy, JOB_FRAMEWORKS } from '../../src/detection/text/job-framework.ts';
import { catalogueFolder } from '../../src/helpers/catalogue-folder.ts';
import { schema as settings } from '../../src/sources/job-log/settings.ts';

const files = catalogueFolder('job');

test('every file is of the schema, and each has a precedence of its own', () => {
  const valid = new Ajv({ allErrors: true, strict: false }).compile(schema);
  for (const [name, file] of files) assert.ok(valid(file), `${name}: ${JSON.stringify(valid.errors, null, 1)}`);
  assert.equal(new Set(FRAMEWORKS.map(([, { precedence }]) => precedence)).size, files.size);
  assert.ok(files.size >= 12);
});

test('a framework that a configuration may name reads lines of frameworks that have a file', () => {
  for (const framework of JOB_FRAMEWORKS) {
    for (const name of expectedBy(framework) ?? []) assert.ok(files.has(name), `${framework} expects ${name}`);
  }
  assert.deepEqual(settings.job_log.items.properties.framework.enum, JOB_FRAMEWORKS);
  const known = ['auto', 'composer', 'deepspeed', 'lightning', 'maxtext', 'megatron', 'nemo', 'torchtitan', 'transformers', 'verl']; // biome-ignore format: a list
  assert.deepEqual([...JOB_FRAMEWORKS].sort(), known);
});
