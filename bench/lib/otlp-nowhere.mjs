// A collector that takes everything over gRPC and keeps nothing, for benchmarks of the side that sends.

import { Server, ServerCredentials } from '@grpc/grpc-js';

const SERVICES = {
  metrics: 'opentelemetry.proto.collector.metrics.v1.MetricsService',
  logs: 'opentelemetry.proto.collector.logs.v1.LogsService',
  trace: 'opentelemetry.proto.collector.trace.v1.TraceService',
};

/** Its address, what it took, and how to end it. */
export async function startCollector() {
  const server = new Server({ 'grpc.max_receive_message_length': 1 << 26 });
  const got = { requests: 0, bytes: 0 };
  for (const service of Object.values(SERVICES)) {
    const same = (bytes) => bytes;
    const method = {
      path: `/${service}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    };
    server.addService(
      { Export: method },
      {
        Export: ({ request }, answer) => {
          got.requests += 1;
          got.bytes += request.length;
          answer(null, Buffer.alloc(0));
        },
      },
    );
  }
  const port = await new Promise((resolve, reject) => {
    const done = (error, bound) => (error === null ? resolve(bound) : reject(error));
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), done);
  });
  return { endpoint: `http://127.0.0.1:${port}`, got, stop: () => server.forceShutdown() };
}
