// Shows what a project's guardrails would find in a text and do to it, with the same code as a request. The text is
// neither stored nor logged, reaches no provider and leaves no event.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { type OwnFindings, trialOutcomes, trialVerdicts, triedRoles } from '../../domain/guardrails/guardrail-trial.ts'
import { type GuardrailName, guardrailNames } from '../../domain/guardrails/guardrails.ts'
import { entityActions, type Settings } from '../../domain/settings/settings.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { getLive } from '../settings/live-configs.ts'
import { fromSettingsColumns, getSettingsRow } from '../settings/settings-row.ts'

const uses = ['draft', 'deployed'] as const

const bodySchema = z.object({
  text: z.string({ error: issue => (issue.input === undefined ? 'text is required' : 'text must be a string') }),
  role: z.enum(triedRoles, { error: `role must be one of: ${triedRoles.join(', ')}` }).default('user'),
  use: z.enum(uses, { error: `use must be one of: ${uses.join(', ')}` }).default('draft'),
})
const verdict = z.enum(trialVerdicts).meta({ description: '`detected` in shadow mode, `blocked` in enforce mode' })
/** The findings of guardrails that show more than a verdict. */
const ownFindings = {
  pii: z
    .array(
      z.object({
        type: z.string().meta({ description: 'A built-in type, or a name of `custom_entities`' }),
        start: z.int(),
        end: z.int(),
        score: z.number(),
        action: z.enum(entityActions),
      }),
    )
    .meta({ description: 'The matches in the text; `start` and `end` (exclusive) count UTF-16 units' }),
  sentinel: z.object({
    verdict,
    families: z.array(z.string()),
    terms: z.int().meta({ description: 'How many terms of the blocklist occur in the text' }),
  }),
} satisfies Record<keyof OwnFindings, z.ZodType>
const usualFindings = z.object({ verdict })
const trialSchema = z.object({
  ...(Object.fromEntries(guardrailNames.map(name => [name, usualFindings])) as Record<
    GuardrailName,
    typeof usualFindings
  >),
  ...ownFindings,
  would: z
    .enum(trialOutcomes)
    .meta({ description: 'What becomes of a request with this text if the guardrails that are on are enforced' }),
  masked_text: z
    .string()
    .nullable()
    .meta({ description: 'What the provider would get; null if the request would be blocked' }),
})

const perMinute = 60

export function guardrailTryRoutes(management: ManagementDependencies): Route[] {
  const { windows, tryGuardrails } = management
  return [
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/guardrails/try',
      operation: 'tryGuardrails',
      audit: null,
      summary: 'Show what the guardrails find in a text and would do; nothing is stored and no provider is called',
      credential: 'session',
      owner: 'project',
      permission: 'settings:write',
      body: bodySchema,
      answers: { 200: trialSchema },
      refusals: ['guardrail_try_rate_limited', 'guardrail_unavailable'],
      async handle({ owned, body, requestId }) {
        const [tenantId, projectId] = [owned.tenant.id, owned.project.id]
        const demand = { name: `try-guardrails:${projectId}`, limit: perMinute, windowSeconds: 60 }
        const taken = await windows.take([demand])
        if (!taken.admitted) {
          throw new Refusal('guardrail_try_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
        }
        const settings = await getSettings(management, projectId, body.use)
        const { text, role } = body
        const { maskedText, ...tried } = await tryGuardrails({ tenantId, projectId, requestId, settings, role, text })
        return { status: 200, body: { ...tried, masked_text: maskedText } }
      },
    }),
  ]
}

async function getSettings({ sql }: ManagementDependencies, projectId: string, use: string): Promise<Settings> {
  if (use === 'deployed') return (await getLive(sql, projectId)).settings
  return fromSettingsColumns(await getSettingsRow(sql, projectId))
}
