// What a file of a project holds, as requests and responses have it: the parts are checked in check-facts.ts and
// draft-document.ts, which know the place of each.

import { z } from 'zod'
import { budgetsSchema } from '../../domain/budgets/budget.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { webhookTypes } from '../../domain/webhooks/tenant-events.ts'
import { promptProperties } from './prompts.ts'

const object = z.record(z.string(), z.unknown())
function list(name: string, max: number, parts: { words: string; required: string[]; properties: JsonObject }) {
  const { words, ...described } = parts
  const error = `${name} must be a list of ${words}`
  const part = z.looseObject({}, { error }).meta(described)
  return z
    .array(part, { error })
    .max(max, { error: `${name} must be at most ${max}` })
    .optional()
}
const text = { type: 'string' }
/** Each part of it is checked together with its place. */
export const draftBody = z.object({
  name: z.unknown().optional().meta({ type: 'string', minLength: 1, maxLength: 255 }),
  managed_by: z
    .unknown()
    .optional()
    .meta({
      enum: ['file', null],
      description: '`file`: the dashboard changes nothing any more that a file holds; null: it does again',
    }),
  settings: z.record(z.string(), z.unknown(), { error: 'settings must be an object' }).optional(),
  tiers: list('tiers', 1000, {
    words: 'tiers, each with a name',
    required: ['name'],
    properties: { name: text, sort_order: { type: 'number' }, overrides: { type: 'object' } },
  }),
  prompts: list('prompts', 1000, {
    words: 'prompts, each with a name',
    required: ['name', 'messages'],
    properties: { name: text, ...promptProperties },
  }),
  webhooks: list('webhooks', 100, {
    words: 'webhooks, each with a url',
    required: ['url'],
    properties: { url: text, types: { type: ['array', 'null'], items: { enum: webhookTypes } }, secret: text },
  }),
  end_user_budgets: list('end_user_budgets', 10_000, {
    words: '{uid, budgets}',
    required: ['uid', 'budgets'],
    properties: { uid: text, budgets: budgetsSchema },
  }),
  prune: z
    .boolean({ error: 'prune must be a boolean' })
    .default(false)
    .meta({
      description:
        'Removes the tiers, prompts, webhooks and budgets of end users that these lists lack; a list that is absent ' +
        'changes nothing',
    }),
})
export const draftSchema = z.object({
  etag: z.string().meta({ description: 'Also the header ETag' }),
  name: z.string(),
  managed_by: z.enum(['file']).nullable(),
  settings: object,
  tiers: z.array(z.object({ name: z.string(), sort_order: z.number(), overrides: object })),
  prompts: z.array(object),
  webhooks: z
    .array(z.object({ url: z.string(), types: z.array(z.string()).nullable() }))
    .meta({ description: 'Those that get the events of this project alone' }),
  end_user_budgets: z
    .array(z.object({ uid: z.string(), budgets: z.array(object) }))
    .optional()
    .meta({ description: 'Absent without the permission `billing:read`' }),
})
