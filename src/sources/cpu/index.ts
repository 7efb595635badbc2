import { defineSource } from '../define-source.ts';
import { resolve, schema } from './settings.ts';

export const cpu = defineSource({ name: 'cpu', schema, resolve });
