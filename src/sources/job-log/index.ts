import { defineSource } from '../define-source.ts';
import { names, resolve, schema } from './settings.ts';

export const jobLog = defineSource({ name: 'job-log', schema, resolve, names });
