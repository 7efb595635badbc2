// The OpenAPI document: valid by a library, made of the routes, and what is answered fits it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type ApiServer, startApi } from '../../src/api/api-server.ts';
import { openApiDocument } from '../../src/api/openapi.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { incident as sampleIncident } from '../incidents/sample.ts';
import { event, get, TestBackend, temporaryFolder } from './helpers.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, { readonly schema?: object }>> } };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

function pathsOf(document: object): Paths {
  return (document as { paths: Paths }).paths; // what openApiDocument makes, checked by the library below
}

describe('the OpenAPI document', () => {
  let backend: TestBackend;
  let api: ApiServer;
  beforeEach(async () => {
    backend = new TestBackend();
    backend.recent = [event('one'), event('two', 1_700_000_050_000)];
    backend.known = [sampleIncident('0a1b2c3d4e5f')];
    api = await startApi(backend, join(temporaryFolder(), 'run'));
  });
  afterEach(() => api.close());

  test('is valid OpenAPI 3.1, as the library says', async () => {
    const { body } = await get(api.path, '/v1/openapi.json');
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(body));
    assert.ok(result.valid, JSON.stringify(result.errors));
    assert.equal(validator.version, '3.1');
  });

  test('has each route and method, and each parameter that is taken', async () => {
    const paths = pathsOf(openApiDocument(ROUTES, '1'));
    assert.deepEqual(Object.keys(paths), Object.keys(ROUTES));
    const ids = new Set<string>();
    for (const [path, methods] of Object.entries(ROUTES)) {
      for (const [method, route] of Object.entries(methods)) {
        const operation = paths[path]?.[method.toLowerCase()];
        assert.ok(operation !== undefined, `${method} ${path}`);
        assert.deepEqual(
          operation.parameters.map(({ name }) => name),
          Object.keys(route.parameters ?? {}),
        );
        assert.ok(!ids.has(operation.operationId), operation.operationId);
        ids.add(operation.operationId);
      }
    }
  });

  for (const [path, methods] of Object.entries(ROUTES)) {
    const schema = methods.GET?.answer.schema;
    if (schema === undefined) continue;
    test(`what GET ${path} answers fits what the document says`, async () => {
      const ids: Readonly<Record<string, string>> = {
        '/v1/incidents/{id}': backend.known[0]?.id ?? '',
        '/v1/alerts/{id}': backend.recent[0]?.id ?? '',
      };
      const answer = await get(api.path, path.replace('{id}', ids[path] ?? ''));
      assert.equal(answer.status, 200, answer.body);
      const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
      assert.ok(fits(JSON.parse(answer.body)), JSON.stringify(fits.errors?.slice(0, 3)));
    });
  }
});
