// OpenAPI: the document about the API, made of the same table that answers, so that neither can be ahead of the other.

import type { Parameter, Route, Routes } from './route.ts';
import { rightOf } from './route.ts';
import { ERROR } from './routes/shapes.ts';

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;

/** OpenAPI 3.1, whose schemas are JSON Schema. */
export function openApiDocument<Backend>(routes: Routes<Backend>, version: string): object {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Faultline',
      version,
      summary: 'What broke on this host, by name, with its evidence',
      description:
        'On the local socket for those who may connect; over TCP with TLS, and a token or a client certificate. Writing needs the write token, or a certificate of api.writers. Fields may be added to answers; those that are here stay.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'https://127.0.0.1:9466', description: 'As api.listen has it' }],
    security: [{ token: [] }, { certificate: [] }],
    paths: Object.fromEntries(Object.entries(routes).map(([path, methods]) => [path, pathItem(path, methods)])),
    components: {
      schemas: { Error: ERROR },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The read token or the write token.' },
        certificate: { type: 'mutualTLS', description: 'A certificate that api.client_ca_file signs.' },
      },
      responses: {
        Refused: {
          description: 'It was refused; the message says what to do',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  };
}

function pathItem<Backend>(path: string, methods: Readonly<Record<string, Route<Backend>>>): object {
  const parts = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const operations = Object.entries(methods).map(([method, route]) => [
    METHODS[method as keyof typeof METHODS], // routes have no others: test/api/openapi.test.ts
    operation(path, method, route),
  ]);
  return { ...(parts.length === 0 ? {} : { parameters: parts }), ...Object.fromEntries(operations) };
}

function operation<Backend>(path: string, method: string, route: Route<Backend>): object {
  const { summary, parameters = {}, body, answer } = route;
  const types = answer.contentTypes ?? ['application/json'];
  const content = Object.fromEntries(
    types.map((type) => [
      type,
      type === 'application/json' && answer.schema !== undefined ? { schema: answer.schema } : {},
    ]),
  );
  return {
    operationId: `${method.toLowerCase()}${path.replace(/^\/v1/, '').replace(/[/{}-]+([a-z])?/g, (_, letter: string | undefined) => (letter ?? '').toUpperCase())}`,
    summary,
    tags: [rightOf(method, route)],
    parameters: Object.entries(parameters).map(([name, parameter]) => parameterObject(name, parameter)),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      200: { description: answer.description, content },
      default: { $ref: '#/components/responses/Refused' },
    },
  };
}

function parameterObject(name: string, { description, schema, example }: Parameter): object {
  return { name, in: 'query', description, schema, ...(example === undefined ? {} : { example }) };
}
