// Resource: who sends — service, host, and what the configuration and OTEL_RESOURCE_ATTRIBUTES add.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { type Made, madeAttributes } from '../../model/made.ts';
import type { OtlpConfig } from './settings.ts';

/** Namespace that the semantic conventions give for service.instance.id as a UUID of version 5. */
const NAMESPACE = '4d63009a8d0f11eeaad74c796ed8e320';

/** Attributes are overruled by what the configuration says, except for what identifies the program and what says that all is made up. */
export function resourceOf(
  config: OtlpConfig,
  host: string,
  version: string,
  machineId: string | null,
  made: Made | null = null,
): Resource {
  return resourceFromAttributes({
    'service.name': config.serviceName,
    'service.version': version,
    'service.instance.id': uuid5(`${config.serviceName}/${machineId ?? ''}/${host}`),
    'host.name': host,
    ...(machineId === null ? {} : { 'host.id': machineId }),
    ...config.resourceAttributes,
    ...('service.name' in config.resourceAttributes && config.serviceName !== 'faultline'
      ? { 'service.name': config.serviceName }
      : {}),
    ...madeAttributes(made),
  });
}

/** systemd's machine id; null where there is none. */
export async function readMachineId(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^[0-9a-f]{32}$/.exec(text.trim())?.[0] ?? null;
}

function uuid5(name: string): string {
  const digest = createHash('sha1').update(Buffer.from(NAMESPACE, 'hex')).update(name).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
