// A platform connector: a real gRPC server on a unix socket, which reads requests by NVSentinel's own field numbers with protobufjs.

import { unlinkSync } from 'node:fs';
import { type Metadata, Server, ServerCredentials, type ServiceError, type sendUnaryData, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const PROTO = `
syntax = "proto3";
package datamodels;
message Empty {}
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
service PlatformConnector { rpc HealthEventOccurredV1(HealthEvents) returns (Empty) {} }
message HealthEvents { uint32 version = 1; repeated HealthEvent events = 2; }
enum ProcessingStrategy { UNSPECIFIED = 0; EXECUTE_REMEDIATION = 1; STORE_ONLY = 2; }
enum RecommendedAction {
  NONE = 0; COMPONENT_RESET = 2; CONTACT_SUPPORT = 5; RUN_FIELDDIAG = 6; RESTART_VM = 15; RESTART_BM = 24;
  REPLACE_VM = 25; RUN_DCGMEUD = 26; CUSTOM = 27; RESTART_APP = 39; UNKNOWN = 99;
}
message Entity { string entityType = 1; string entityValue = 2; }
message BehaviourOverrides { bool force = 1; bool skip = 2; }
message HealthEvent {
  uint32 version = 1; string agent = 2; string componentClass = 3; string checkName = 4; bool isFatal = 5; bool isHealthy = 6;
  string message = 7; RecommendedAction recommendedAction = 8; repeated string errorCode = 9; repeated Entity entitiesImpacted = 10;
  map<string, string> metadata = 11; Timestamp generatedTimestamp = 12; string nodeName = 13;
  BehaviourOverrides quarantineOverrides = 14; BehaviourOverrides drainOverrides = 15; ProcessingStrategy processingStrategy = 16;
  string id = 17; string customRecommendedAction = 18;
}`;

const ROOT = protobuf.parse(PROTO, { keepCase: true }).root;
const REQUEST = ROOT.lookupType('datamodels.HealthEvents');

export interface Heard {
  readonly agent: string;
  readonly componentClass: string;
  readonly checkName: string;
  readonly isFatal: boolean;
  readonly isHealthy: boolean;
  readonly message: string;
  readonly recommendedAction: string;
  readonly customRecommendedAction: string;
  readonly errorCode: readonly string[];
  readonly entitiesImpacted: readonly { readonly entityType: string; readonly entityValue: string }[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly generatedTimestamp: { readonly seconds: number; readonly nanos: number };
  readonly nodeName: string;
  readonly processingStrategy: string;
  readonly version: number;
}

export function readRequest(bytes: Uint8Array): { readonly version: number; readonly events: readonly Heard[] } {
  const plain = REQUEST.toObject(REQUEST.decode(bytes), {
    defaults: true,
    enums: String,
    longs: Number,
    arrays: true,
    objects: true,
  });
  return plain as { version: number; events: Heard[] }; // the message above
}

export class Connector {
  readonly heard: Heard[] = [];
  readonly metadata: Metadata[] = [];
  asked = 0;
  /** A status to refuse with; "silent" for no answer; null to take it. */
  react: (number: number) => number | 'silent' | null = () => null;
  readonly socket: string;
  #server: Server | null = null;

  constructor(socket: string) {
    this.socket = socket;
  }

  async start(): Promise<this> {
    const server = new Server();
    const method = {
      path: '/datamodels.PlatformConnector/HealthEventOccurredV1',
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    };
    const take = ({ request, metadata }: { request: Buffer; metadata: Metadata }, done: sendUnaryData<Buffer>) => {
      this.asked += 1;
      const reaction = this.react(this.asked);
      if (reaction === 'silent') return;
      if (reaction !== null) return done({ code: reaction, details: 'as the test says' } as ServiceError);
      this.metadata.push(metadata);
      this.heard.push(...readRequest(request).events);
      done(null, Buffer.alloc(0));
    };
    server.addService({ HealthEventOccurredV1: method }, { HealthEventOccurredV1: take });
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix://${this.socket}`, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      ),
    );
    this.#server = server;
    return this;
  }

  stop(): void {
    this.#server?.forceShutdown();
    this.#server = null;
    try {
      unlinkSync(this.socket);
    } catch {} // the server may have taken it away
  }

  /** What each check is left as by the last event on it, as NVSentinel would have it. */
  state(): ReadonlyMap<string, boolean> {
    return new Map(
      this.heard.map(({ checkName, entitiesImpacted, isHealthy }) => [
        `${checkName} ${entitiesImpacted.map(({ entityValue }) => entityValue).join(' ')}`,
        isHealthy,
      ]),
    );
  }
}

export { status };
