import { defineSource } from '../define-source.ts';
import { resolve, schema } from './settings.ts';

export const nic = defineSource({ name: 'nic', schema, resolve });
