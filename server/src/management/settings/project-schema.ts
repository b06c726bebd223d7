// The JSON schema of a file that holds a project, for editors: derives from the tables by which its values are checked.

import { z } from 'zod'
import { budgetsSchema } from '../../domain/budgets/budget.ts'
import { promptNameForm } from '../../domain/prompts/template.ts'
import { settingsFields } from '../../domain/settings/settings.ts'
import { overrideFields } from '../../domain/settings/tier.ts'
import { webhookTypes } from '../../domain/webhooks/tenant-events.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { promptProperties } from './prompts.ts'
import { describedFields } from './settings-fields.ts'

const path = '/schemas/project-v1.json'

export function projectSchemaRoutes({ settings: { limits, baseUrl } }: ManagementDependencies): Route[] {
  const name = { type: 'string', minLength: 1, maxLength: 255 }
  const promptName = { type: 'string', pattern: promptNameForm.source }
  const types = { type: ['array', 'null'], minItems: 1, items: { enum: webhookTypes } }
  const secret = { type: 'string', description: 'A reference to a variable of the environment' }
  const closed = (properties: object, required: string[] = []) => ({
    type: 'object',
    additionalProperties: false,
    properties,
    required,
  })
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${baseUrl}${path}`,
    title: 'A project of Sallyport',
    ...closed({
      $schema: { type: 'string' },
      name,
      managed_by: { enum: ['file', null] },
      settings: closed(describedFields(limits, settingsFields)),
      tiers: {
        type: 'array',
        items: closed(
          { name, sort_order: { type: 'number' }, overrides: closed(describedFields(limits, overrideFields)) },
          ['name'],
        ),
      },
      prompts: { type: 'array', items: closed({ name: promptName, ...promptProperties }, ['name', 'messages']) },
      webhooks: { type: 'array', items: closed({ url: { type: 'string' }, types, secret }, ['url']) },
      end_user_budgets: { type: 'array', items: closed({ uid: name, budgets: budgetsSchema }, ['uid', 'budgets']) },
    }),
  }
  return [
    route({
      method: 'GET',
      path,
      operation: 'getProjectSchema',
      summary: 'Get the JSON schema of a project in a file',
      credential: 'none',
      owner: 'none',
      answers: { 200: z.record(z.string(), z.unknown()) },
      handle: async () => ({ status: 200, body: schema }),
    }),
  ]
}
