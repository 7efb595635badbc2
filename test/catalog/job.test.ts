// Frameworks: every file of catalog/job is of the schema, names only what there is, and makes the choices of the configuration.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAMEWORKS } from '../../src/detection/text/job/framework.ts';
import { expectedBy, JOB_FRAMEWORKS, linesOf } from '../../src/detection/text/job-framework.ts';
import { parseServerLine } from '../../src/detection/text/service/server-line.ts';
import { catalogueFolder } from '../../src/helpers/catalogue-folder.ts';
import { schema as settings } from '../../src/sources/job-log/settings.ts';
import { checkedFile, schemaOf } from './checked-file.ts';

const files = catalogueFolder('job');

test('every file is of the schema, and each has a precedence of its own', () => {
  const valid = schemaOf('catalog/job.schema.json');
  const problems = [...files.keys()].flatMap((name) => checkedFile(`catalog/job/${name}.json`, valid).problems);
  assert.deepEqual(problems, []);
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

test('each choice of the configuration has a line to look like, and each server reads its own', () => {
  for (const [name, { expects, looks_like: looks, server }] of FRAMEWORKS) {
    assert.equal(looks !== undefined, expects !== undefined, name);
    if (looks !== undefined) assert.ok(linesOf(name) === looks, name);
    if (server === undefined) continue;
    const read = parseServerLine(server.load.example);
    assert.ok(read !== null && read.generation > 0 && read.cacheUsage !== null && read.waiting !== null, name);
    assert.ok(read.engine > 0, name);
  }
});
