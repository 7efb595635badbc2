import { defineSource } from '../define-source.ts';
import { resolve, schema } from './settings.ts';

export const gpu = defineSource({ name: 'gpu', schema, resolve });
