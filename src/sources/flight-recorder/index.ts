import { defineSource } from '../define-source.ts';
import { names, resolve, schema } from './settings.ts';

export const flightRecorder = defineSource({ name: 'flight-recorder', schema, resolve, names });
