// Shows what a project's guardrails would find in a text, or in a prompt with its variables, and do to it, with the
// same code as a request. Must not store or log the text; it reaches no provider and leaves no event.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import {
  type OwnFindings,
  type TriedMessages,
  trialOutcomes,
  trialVerdicts,
  triedRoles,
} from '../../domain/guardrails/guardrail-trial.ts'
import { type GuardrailName, guardrailNames } from '../../domain/guardrails/guardrails.ts'
import { thresholdOutcomes } from '../../domain/guardrails/sentinel-threshold.ts'
import type { LiveConfig } from '../../domain/settings/live-config.ts'
import { entityActions, type SentinelThreshold } from '../../domain/settings/settings.ts'
import { createPromptVersions } from '../../storage/settings/prompt-versions.ts'
import { type FindVersion, fillNamed, type NamingPlace } from '../../surfaces/named-prompt.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { getLive } from '../settings/live-configs.ts'
import { snapshotPrompts } from '../settings/prompts.ts'
import { fromSettingsColumns, getSettingsRow } from '../settings/settings-row.ts'

const uses = ['draft', 'deployed'] as const

const bodySchema = z.object({
  text: z
    .string({ error: 'text must be a string' })
    .meta({ description: 'Only with `prompt` it is absent' })
    .optional(),
  role: z
    .enum(triedRoles, { error: `role must be one of: ${triedRoles.join(', ')}` })
    .meta({ description: 'Of the text' })
    .default('user'),
  prompt: z
    .unknown()
    .meta({ type: 'object', description: 'A prompt in place of a text, by `id`, with `version` and `variables`' })
    .optional(),
  use: z.enum(uses, { error: `use must be one of: ${uses.join(', ')}` }).default('draft'),
})
const verdict = z.enum(trialVerdicts).meta({
  description:
    '`detected` in shadow mode, `blocked` in enforce mode; `flagged`: a score below the threshold, reported only',
})
const outcome = z.enum(thresholdOutcomes)
/** The findings of guardrails that show more than a verdict. */
const ownFindings = {
  pii: z
    .array(
      z.object({
        message: z.int().meta({ description: 'The index of the message' }),
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
    variable: z.string().nullable().meta({ description: 'The variable of the prompt that has what is detected' }),
    score: z.string().meta({ description: 'How suspicious Sentinel finds the text, from 0.000 to 1.000' }),
    thresholds: z
      .object({ strict: outcome, balanced: outcome, lenient: outcome } satisfies Record<SentinelThreshold, z.ZodType>)
      .meta({ description: 'What each `sentinel_threshold` would do with this score in enforce mode' }),
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
    .meta({ description: 'What the provider would get of the text; null if the request would be blocked' }),
  unchecked_types: z.array(z.string()).meta({
    description: 'Types that PII Shield would detect in the text if `pii_entities` had them; it lets them pass',
  }),
  messages: z
    .array(z.object({ role: z.enum(triedRoles), text: z.string(), masked_text: z.string().nullable() }))
    .meta({ description: 'The text, or the messages of the prompt with its values, and what the provider would get' }),
})

const perMinute = 60

export function guardrailTryRoutes(management: ManagementDependencies): Route[] {
  const { windows, tryGuardrails } = management
  const findVersion = createPromptVersions(management.sql)
  return [
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/guardrails/try',
      operation: 'tryGuardrails',
      audit: null,
      summary:
        'Show what the guardrails find in a text or prompt and would do; nothing is stored, no provider is called',
      credential: 'session',
      owner: 'project',
      permission: 'settings:write',
      body: bodySchema,
      answers: { 200: trialSchema },
      refusals: ['guardrail_try_rate_limited', 'guardrail_unavailable', 'prompt_not_found'],
      async handle({ owned, body, requestId }) {
        const [tenantId, projectId] = [owned.tenant.id, owned.project.id]
        const demand = { name: `try-guardrails:${projectId}`, limit: perMinute, windowSeconds: 60 }
        const taken = await windows.take([demand])
        if (!taken.admitted) {
          throw new Refusal('guardrail_try_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
        }
        const live = await getConfig(management, projectId, body.use)
        const texts = await readTexts(body, live, findVersion)
        const { settings } = live
        const { maskedTexts, uncheckedTypes, ...tried } = await tryGuardrails({
          tenantId,
          projectId,
          requestId,
          settings,
          ...texts,
        })
        const messages = texts.messages.map((one, at) => ({ ...one, masked_text: maskedTexts?.[at] ?? null }))
        const masked = { masked_text: maskedTexts?.[0] ?? null, unchecked_types: uncheckedTypes, messages }
        return { status: 200, body: { ...tried, ...masked } }
      },
    }),
  ]
}

async function getConfig({ sql }: ManagementDependencies, projectId: string, use: string): Promise<LiveConfig> {
  const live = await getLive(sql, projectId)
  if (use === 'deployed') return live
  const settings = fromSettingsColumns(await getSettingsRow(sql, projectId))
  // No deployment is the draft: a version always names one that was deployed.
  return { ...live, deployment: null, settings, prompts: await snapshotPrompts(sql, projectId) }
}

const place: NamingPlace = {
  path: 'prompt',
  refuse(param, message) {
    throw new Refusal('validation_failed', { message: `${param} ${message}`, param })
  },
}

async function readTexts(
  { text, role, prompt = null }: z.output<typeof bodySchema>,
  live: LiveConfig,
  findVersion: FindVersion,
): Promise<Pick<TriedMessages, 'messages' | 'givenTexts'>> {
  if (prompt === null) {
    if (text === undefined) throw new Refusal('validation_failed', { message: 'text is required', param: 'text' })
    return { messages: [{ role, text }], givenTexts: [] }
  }
  if (text !== undefined) place.refuse('text', 'must be absent beside prompt')
  const { messages, texts } = (await fillNamed(place, prompt, live, findVersion)).filled
  return { messages: messages.map(({ role, content }) => ({ role, text: content })), givenTexts: texts }
}
