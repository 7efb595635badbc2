import { defineSource } from '../define-source.ts';
import { resolve, schema } from './settings.ts';

export const system = defineSource({ name: 'system', schema, resolve });
