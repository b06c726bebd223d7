// The audit in requests and responses: the entry, the end of a chain, the verdict on it, and the filter of lists.

import { z } from 'zod'
import { type AuditEntry, actorKinds, auditOutcomes } from '../../domain/audit/entry.ts'
import { accept, type Checked, refuse } from '../../domain/checked.ts'
import { isStorable } from '../../domain/stored-text.ts'
import type { AuditFilter } from '../../storage/audit/audit-rows.ts'
import { checkedOptional, pageQuery } from '../plane/fields.ts'
import { readIsoTime } from '../plane/iso-time.ts'

const maxFilterCharacters = 255

const named = { id: z.string().nullable(), name: z.string().nullable() }
const changed = z.record(z.string(), z.unknown()).nullable()

export const entrySchema: z.ZodType<AuditEntry> = z.object({
  seq: z.int(),
  id: z.string(),
  at: z.string(),
  tenant_id: z.string().nullable(),
  project_id: z
    .string()
    .nullish()
    .meta({ description: 'The project of the target; null without one, absent in entries of an earlier version' }),
  actor: z.object({ kind: z.enum(actorKinds), ...named }),
  authenticated_by: z.string(),
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
  action: z.string().meta({ description: 'What was done to what, such as `settings.deploy`' }),
  target: z.object({ type: z.string(), ...named }),
  before: changed.meta({ description: 'Only what differs; null if nothing was there' }),
  after: changed.meta({ description: 'Only what differs; a changed secret is `{"changed": true}`' }),
  outcome: z.enum(auditOutcomes),
  reason: z.string().nullable().meta({ description: 'The code of the error by which it was refused' }),
  request_id: z.string().nullable(),
  prev_hash: z.string(),
  hash: z.string().meta({ description: 'SHA-256 of the canonical JSON (RFC 8785) of the entry without it' }),
})

export const headSchema = z.object({
  chain: z.string().meta({ description: 'The id of the tenant, or `installation`' }),
  seq: z.int(),
  hash: z.string(),
  signature: z.string().meta({ description: 'A JWS by the key that signs tokens' }),
  start: z
    .object({ seq: z.int(), hash: z.string(), signature: z.string().nullable() })
    .meta({ description: 'The last entry that was dropped after AUDIT_DAYS; 0 if none was' }),
})

export const verdictSchema = z.object({
  verified: z.boolean(),
  entries: z.int().meta({ description: 'How many were read before the fault, if there is one' }),
  first_seq: z.int(),
  last_seq: z.int(),
  fault: z
    .object({
      seq: z.int().nullable(),
      kind: z.enum(['changed', 'missing', 'out_of_order', 'added', 'no_entry']),
      message: z.string(),
    })
    .nullable(),
})

const time = (name: string) =>
  checkedOptional<number | undefined>({ type: 'string', format: 'date-time' }, value => readTime(name, value))
const word = (name: string, description: string) =>
  checkedOptional<string | undefined>({ type: 'string', description }, value => readWord(name, value))

const outcomeWords = `outcome must be one of: ${auditOutcomes.join(', ')}`
const filterFields = {
  from: time('from'),
  to: time('to'),
  actor: word('actor', 'The id of who did it'),
  action: word('action', 'Such as `settings.deploy`'),
  target: word('target', 'The id of what it was done to'),
  outcome: z.enum(auditOutcomes, { error: outcomeWords }).optional(),
}

export const listQuery = pageQuery.extend(filterFields)
export const exportQuery = z.object({
  ...filterFields,
  format: z.enum(['ndjson', 'ocsf'], { error: 'format must be one of: ndjson, ocsf' }).default('ndjson'),
})

export function readFilter({ from, to, actor, action, target, outcome }: AuditFilter): AuditFilter {
  return { from, to, actor, action, target, outcome }
}

function readTime(name: string, value: unknown): Checked<number | undefined> {
  if (value === undefined || value === '') return accept(undefined)
  const read = readIsoTime(value)
  return read === null ? refuse(`${name} must be an ISO 8601 time`) : accept(read.millis)
}

function readWord(name: string, value: unknown): Checked<string | undefined> {
  if (value === undefined || value === '') return accept(undefined)
  const isWord = typeof value === 'string' && value.length <= maxFilterCharacters && isStorable(value)
  return isWord ? accept(value) : refuse(`${name} must be a string (max ${maxFilterCharacters} chars)`)
}
