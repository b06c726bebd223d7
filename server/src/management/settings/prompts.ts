// The prompts of a project, each under its name. They are drafts like the settings and go live with the next deploy.

import type { Kysely, Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import { getChecked } from '../../domain/checked.ts'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import type { paramNames } from '../../domain/prompts/check-params.ts'
import { checkPromptName, checkTemplate } from '../../domain/prompts/check-template.ts'
import {
  type NamedTemplate,
  type PromptTemplate,
  promptLimits,
  templateRoles,
  variableTypes,
} from '../../domain/prompts/template.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { checkProviderConfigured } from './check-provider-configured.ts'
import { modelsNamedIn } from './known-models.ts'
import { lockSettings } from './settings-row.ts'

type PromptRow = Selectable<Schema['prompts']>

const variableSchema = z.object({
  type: z.enum(variableTypes),
  max_length: z
    .int()
    .min(1)
    .max(promptLimits.textCharacters)
    .meta({ description: `Of type string; default ${promptLimits.defaultTextCharacters}` })
    .optional(),
  values: z.array(z.string()).meta({ description: 'Of type enum' }).optional(),
  required: z.boolean().meta({ description: 'Default true; false: an absent value is an empty text' }).optional(),
})
const templateFields = {
  messages: z
    .array(z.object({ role: z.enum(templateRoles), content: z.string() }))
    .min(1)
    .max(promptLimits.messages)
    .meta({ description: '`{{name}}` in a content stands for the variable of this name' }),
  variables: z.record(z.string(), variableSchema),
  model: z.string().nullable().meta({ description: 'Counts as the `model` of a request does' }),
  params: z
    .object({
      temperature: z.number().min(0).max(2).optional(),
      max_tokens: z.int().min(1).max(promptLimits.maxTokens).optional(),
      response_format: z.record(z.string(), z.unknown()).optional(),
      tools: z.array(z.record(z.string(), z.unknown())).max(promptLimits.tools).optional(),
    } satisfies Record<(typeof paramNames)[number], z.ZodType>)
    .meta({ description: 'In the form of chat completions; every surface writes them in its own' }),
}
const promptSchema = z.object({
  name: z.string(),
  ...templateFields,
  created_at: z.string(),
  updated_at: z.string(),
})
const { messages, ...optionalFields } = templateFields
export const promptProperties = Object.fromEntries(
  Object.entries({ messages, ...optionalFields }).map(([name, field]) => [name, z.toJSONSchema(field)]),
)
const bodySchema = z.looseObject({}).meta({ required: ['messages'], properties: promptProperties })

const path = '/auth/v1/projects/:projectId/prompts'
const common = { credential: 'session', owner: 'project' } as const
const audited = { target: 'promptName', read: rowOf('prompts', { project_id: 'project', name: 'target' }) } as const

export function promptRoutes(management: ManagementDependencies): Route[] {
  return [...readRoutes(management.sql), putRoute(management), deleteRoute(management)]
}

function readRoutes(sql: Kysely<Schema>): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listPrompts',
      permission: 'project:read',
      summary: 'List the prompts of the draft, by name',
      query: pageQuery,
      answers: { 200: z.object({ data: z.array(promptSchema), next_cursor: z.string().nullable() }) },
      async handle({ owned, query }) {
        const page = getPage(query, { list: ['prompts', owned.project.id], key: ['string'] })
        const [after = ''] = page.after ?? []
        const rows = await selectPrompts(sql, owned.project.id)
          .where('name', '>', after)
          .limit(page.limit + 1)
          .execute()
        const data = rows.slice(0, page.limit)
        const last = data.at(-1)
        const next_cursor = rows.length > page.limit && last !== undefined ? page.cursorAfter([last.name]) : null
        return { status: 200, body: { data: data.map(showPrompt), next_cursor } }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:promptName`,
      operation: 'getPrompt',
      permission: 'project:read',
      summary: 'Get a prompt of the draft',
      answers: { 200: promptSchema },
      refusals: ['prompt_not_found'],
      async handle({ owned, params }) {
        const row = await findPrompt(sql, owned.project.id, params['promptName'] ?? '')
        if (row === undefined) throw new Refusal('prompt_not_found')
        return { status: 200, body: showPrompt(row) }
      },
    }),
  ]
}

function putRoute({ sql, now }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'PUT',
    path: `${path}/:promptName`,
    operation: 'putPrompt',
    inFile: true,
    permission: 'prompts:write',
    audit: { action: 'prompt.put', ...audited },
    summary: 'Create or replace a prompt of the draft; live traffic does not change before a deploy',
    body: bodySchema,
    answers: { 200: promptSchema },
    refusals: ['settings_not_found', 'prompt_limit', 'prompts_too_large', 'provider_not_configured'],
    async handle({ owned, params, body }) {
      const name = getChecked(checkPromptName(params['promptName']))
      const isKnownModel = await modelsNamedIn(sql, owned.tenant.id, [body['model']])
      const template = getChecked(checkTemplate(body, isKnownModel))
      if (template.model !== null) await checkProviderConfigured(sql, owned.tenant.id, template.model)
      const time = now()
      const row = { project_id: owned.project.id, name, template: JSON.stringify(template) }
      const stored = await transact(sql, trx => put(trx, { ...row, created_at: time, updated_at: time }))
      return { status: 200, body: showPrompt(stored) }
    },
  })
}

function deleteRoute({ sql }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: `${path}/:promptName`,
    operation: 'deletePrompt',
    inFile: true,
    permission: 'prompts:write',
    audit: { action: 'prompt.delete', ...audited },
    summary: 'Delete a prompt of the draft; requests may name it until the next deploy',
    answers: { 204: null },
    refusals: ['prompt_not_found'],
    async handle({ owned, params }) {
      const deleted = await transact(sql, trx =>
        trx
          .deleteFrom('prompts')
          .where('project_id', '=', owned.project.id)
          .where('name', '=', params['promptName'] ?? '')
          .returning('name')
          .executeTakeFirst(),
      )
      if (deleted === undefined) throw new Refusal('prompt_not_found')
      return { status: 204 }
    },
  })
}

async function put(trx: Transaction<Schema>, prompt: PromptRow): Promise<PromptRow> {
  await lockSettings(trx, prompt.project_id)
  const all = await selectPrompts(trx, prompt.project_id).execute()
  const old = all.find(({ name }) => name === prompt.name)
  const others = all.filter(({ name }) => name !== prompt.name)
  if (others.length >= promptLimits.prompts) throw new Refusal('prompt_limit')
  const characters = [...others, prompt].reduce((sum, { name, template }) => sum + name.length + template.length, 0)
  if (characters > promptLimits.allCharacters) throw new Refusal('prompts_too_large')
  if (old === undefined) {
    await trx.insertInto('prompts').values(prompt).execute()
    return prompt
  }
  const changed = { ...prompt, created_at: old.created_at }
  await trx
    .updateTable('prompts')
    .set(changed)
    .where('project_id', '=', prompt.project_id)
    .where('name', '=', prompt.name)
    .execute()
  return changed
}

type Database = Pick<Transaction<Schema>, 'selectFrom'>

function selectPrompts(sql: Database, projectId: string) {
  return sql.selectFrom('prompts').selectAll().where('project_id', '=', projectId).orderBy('name')
}

async function findPrompt(sql: Database, projectId: string, name: string): Promise<PromptRow | undefined> {
  return await selectPrompts(sql, projectId).where('name', '=', name).executeTakeFirst()
}

export async function snapshotPrompts(sql: Database, projectId: string): Promise<NamedTemplate[]> {
  const rows = await selectPrompts(sql, projectId).execute()
  return rows.map(({ name, template }) => ({ name, ...readTemplate(template) }))
}

/** Restores the prompts of a snapshot; those that are there keep the time of their creation. */
export async function replacePrompts(
  trx: Transaction<Schema>,
  projectId: string,
  prompts: readonly NamedTemplate[],
  now: number,
): Promise<void> {
  const replaced = new Map((await selectPrompts(trx, projectId).execute()).map(row => [row.name, row.created_at]))
  await trx.deleteFrom('prompts').where('project_id', '=', projectId).execute()
  for (const { name, ...template } of prompts) {
    const times = { created_at: replaced.get(name) ?? now, updated_at: now }
    await trx
      .insertInto('prompts')
      .values({ project_id: projectId, name, template: JSON.stringify(template), ...times })
      .execute()
  }
}

function readTemplate(text: string): PromptTemplate {
  return JSON.parse(text)
}

function showPrompt({ name, template, created_at, updated_at }: PromptRow) {
  return { name, ...readTemplate(template), created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
}
