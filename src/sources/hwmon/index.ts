import { defineSource } from '../define-source.ts';
import { resolve, schema } from './settings.ts';

export const hwmon = defineSource({ name: 'hwmon', schema, resolve });
