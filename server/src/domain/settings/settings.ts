// The settings of a project: a table with one row per field, from which the type, the checks, the overrides of
// tiers, the database row, the OpenAPI document and docs/settings.md derive. To add a field, add a row.

import { anonymousRulesOrNull } from './anonymous-rules.ts'
import { cacheRulesOrNull } from './cache-rules.ts'
import { customEntities, customEntityName } from './custom-entities.ts'
import { type FieldTable, field } from './field-table.ts'
import {
  address,
  boolean,
  budgets,
  type FieldType,
  integer,
  modelId,
  modelIds,
  oneOf,
  origins,
  orNull,
  requestsPerMinute,
  terms,
  textOrNull,
  wordMap,
} from './field-types.ts'
import { routesOrNull } from './routes.ts'

export const entityTypes = [
  'EMAIL_ADDRESS',
  'PHONE_NUMBER',
  'PERSON',
  'US_SSN',
  'LOCATION',
  'DATE_TIME',
  'CREDIT_CARD',
  'US_BANK_NUMBER',
  'IBAN_CODE',
  'IP_ADDRESS',
  'CREDENTIAL',
] as const
export type EntityType = (typeof entityTypes)[number]

export const entityActions = ['MASK', 'REDACT', 'BLOCK'] as const
export type EntityAction = (typeof entityActions)[number]

export const guardrailModes = ['disabled', 'shadow', 'enforce'] as const
export type GuardrailMode = (typeof guardrailModes)[number]

export const clientModels = ['prefer', 'exact'] as const
export type ClientModel = (typeof clientModels)[number]

export const sentinelThresholds = ['strict', 'balanced', 'lenient'] as const
export type SentinelThreshold = (typeof sentinelThresholds)[number]

const requestLogs = ['off', 'metadata', 'content'] as const

/** What `pii_entities` maps. */
export const entityActionsOfTypes = 'known entity types to MASK, REDACT or BLOCK'

/** The name of a built-in type, or of one that the project defines in `custom_entities`. */
export type EntityName = string

export type PiiEntities = Partial<Record<EntityName, EntityAction>>

/** In the order of the contract's table: checks run and changes are listed in this order. */
export const settingsTable = {
  system_prompt: field(textOrNull(32_000), {
    default: null,
    meaning: 'Instructions that are put before the messages of every request',
    hasColumn: true,
  }),
  memory_window: field(integer({ min: 0, max: 500 }), {
    default: 50,
    meaning: 'Maximum of earlier messages of a conversation that the provider gets',
    hasColumn: true,
  }),
  cors_origins: field(origins(100), {
    default: [],
    meaning: 'Origins whose pages may call the project; `*`: all',
    isProjectOnly: true,
    hasColumn: true,
  }),
  cors_allow_credentials: field(boolean, {
    default: false,
    meaning: 'Whether pages may send credentials. Not together with the origin `*`',
    isProjectOnly: true,
    hasColumn: true,
  }),
  rpm_limit: field(requestsPerMinute, {
    default: 60,
    meaning: "Requests per minute of the whole project; in a tier's overrides: of each of its end users",
    hasColumn: true,
  }),
  tokens_per_day: field(integer({ min: 1000 }), {
    default: 1_000_000,
    meaning: "Tokens per day (UTC) of the whole project; in a tier's overrides: of each of its end users",
    hasColumn: true,
  }),
  pii_mode: field(oneOf(guardrailModes), {
    default: 'disabled',
    meaning: 'Whether PII Shield detects personal data, and whether it acts on matches',
    hasColumn: true,
  }),
  pii_entities: field(
    wordMap<EntityName, EntityAction>(
      { keys: entityTypes, otherKeys: customEntityName, words: entityActions },
      entityActionsOfTypes,
    ),
    {
      default: {},
      meaning:
        'Which types of personal data PII Shield detects, built-in ones and those of `custom_entities`, and what it does with each',
      hasColumn: true,
    },
  ),
  custom_entities: field(customEntities(entityTypes), {
    default: [],
    meaning: "The project's own types for `pii_entities`, by patterns or words",
  }),
  sentinel_mode: field(oneOf(guardrailModes), {
    default: 'disabled',
    meaning: 'Whether Sentinel detects jailbreaks, prompt injection and blocklisted terms, and whether it blocks them',
    hasColumn: true,
  }),
  sentinel_blocklist: field(terms({ maxTerms: 200, maxCharacters: 256 }), {
    default: [],
    meaning: 'Terms that Sentinel detects in the texts that it reads',
    hasColumn: true,
  }),
  sentinel_sources: field(oneOf(['user', 'user_and_tools'] as const), {
    default: 'user',
    meaning:
      'Which texts Sentinel reads: messages of users with their documents, or the results of tools as well (indirect prompt injection)',
  }),
  sentinel_threshold: field(oneOf(sentinelThresholds), {
    default: 'balanced',
    meaning:
      'From which score Sentinel blocks an attack: `strict` blocks most, `lenient` least; a suspicious text with a lower ' +
      'score is reported as `flagged`',
  }),
  memory_enabled: field(boolean, {
    default: true,
    meaning: 'Whether Sallyport stores conversations and adds them to later requests',
    hasColumn: true,
  }),
  retention_days: field(orNull(integer({ min: 1, max: 365 })), {
    default: null,
    meaning:
      'Days after which a thread without new messages is deleted, and a stored response; null: never a thread, and a ' +
      'response after 30',
    hasColumn: true,
  }),
  store_tool_calls: field(boolean, {
    default: false,
    meaning: 'Whether threads keep tool calls and their results',
    hasColumn: true,
  }),
  provider_model: field(orNull(modelId), {
    default: null,
    meaning: 'The model for completions, as `provider/model`; null: the default model of the platform',
    hasColumn: true,
  }),
  allowed_models: field(orNull(modelIds({ min: 1, max: 50 })), {
    default: null,
    meaning:
      'Models that a request may choose; `client_model` says what happens to others. Null: all of the same provider',
  }),
  client_model: field(oneOf(clientModels), {
    default: 'prefer',
    meaning:
      'What happens to a request whose `model` the project does not use: another model answers, or `exact`: 404 ' +
      '`model_not_found`. With `routes`, `exact` takes the models of the targets',
  }),
  routes: field(routesOrNull, {
    default: null,
    meaning:
      'Models that answer in place of `provider_model`: the next one is tried when one fails (`fallback`), or each gets ' +
      'its share of the requests (`weighted`). Null: `provider_model` alone',
  }),
  max_output_tokens: field(orNull(integer({ min: 1, max: 1_000_000 })), {
    default: null,
    meaning:
      'The maximum length of an answer: lowers the maximum that a request asks for, and is set if it asks for none',
  }),
  user_rpm_limit: field(orNull(requestsPerMinute), {
    default: null,
    meaning: "Requests per minute of each end user whose tier has no `rpm_limit`; null: only the project's limit",
  }),
  user_tokens_per_day: field(orNull(integer({ min: 1000 })), {
    default: null,
    meaning:
      "Tokens per day (UTC) of each end user whose tier has no `tokens_per_day`; null: only the project's budget",
  }),
  unknown_tier: field(oneOf(['project', 'reject'] as const), {
    default: 'project',
    meaning:
      'What happens to requests whose token names a tier that the project has not: they get the settings of the ' +
      'project, or `reject`: 403 `unknown_tier`',
    isProjectOnly: true,
  }),
  client_system_messages: field(oneOf(['allow', 'drop', 'reject'] as const), {
    default: 'allow',
    meaning: 'What happens to `system` and `developer` messages of clients; `reject`: 403',
  }),
  client_tools: field(oneOf(['allow', 'reject'] as const), {
    default: 'allow',
    meaning: "Whether clients may send tools, functions and the providers' own switches of tools; `reject`: 403",
  }),
  client_fields: field(oneOf(['all', 'known'] as const), {
    default: 'all',
    meaning: 'Whether fields, items and beta headers that the format does not name reach the provider; `known`: no',
  }),
  client_prompts: field(oneOf(['allow', 'required'] as const), {
    default: 'allow',
    meaning:
      "Whether requests for answers must name one of the project's prompts; `required`: 403 without one, and 403 for " +
      'system messages, tools, a model or parameters beside it',
  }),
  pii_answer_mode: field(oneOf(guardrailModes), {
    default: 'disabled',
    meaning: 'Whether PII Shield applies `pii_entities` to answers: MASK acts as REDACT, BLOCK ends the answer',
  }),
  answer_blocklist: field(terms({ maxTerms: 200, maxCharacters: 256 }), {
    default: [],
    meaning: 'Terms that Sentinel detects in answers, as `sentinel_mode` says; `enforce`: a term ends the answer',
  }),
  budgets: field(budgets, {
    default: [],
    meaning:
      "How much may be spent in a day or a month (UTC) of the whole project; in a tier's overrides: by each of its end " +
      "users, beside the project's budgets",
  }),
  recogniser_url: field(orNull(address), {
    default: null,
    meaning:
      "URL of a Presidio analyzer whose matches in requests join PII Shield's; null: the operator's, if there is one",
  }),
  cache: field(cacheRulesOrNull, {
    default: null,
    meaning:
      'Whether a request whose answer is cached gets that answer: for how long after it was given, and whether end ' +
      'users share answers (`scope`: `user`, the default, or `project`). Null: no cache',
  }),
  request_log: field(oneOf(requestLogs), {
    default: 'metadata',
    meaning:
      'What is kept of each request: nothing, a row without any text of it, or also its messages as the provider got ' +
      'them and the answer, encrypted (`content`)',
  }),
  request_log_days: field(integer({ min: 1, max: 400 }), {
    default: 30,
    meaning: 'Days (UTC) for which rows of requests can be read',
  }),
  content_days: field(integer({ min: 1, max: 90 }), {
    default: 7,
    meaning: 'Days (UTC) for which the content of requests can be read, where `request_log` is `content`',
  }),
  anonymous: field(anonymousRulesOrNull, {
    default: null,
    meaning:
      'Whether clients without an account get a token: what they must show first (one of `attestation`), the tier and ' +
      'lifetime of the token, and how many an address gets in an hour. Null: they get none',
    isProjectOnly: true,
  }),
}

type Table = typeof settingsTable
export type SettingsField = keyof Table
export type Settings = { [F in SettingsField]: Table[F]['type'] extends FieldType<infer T> ? T : never }

/** The fields whose row has this flag. */
type FieldsWith<Flag extends 'hasColumn' | 'isProjectOnly'> = {
  [F in SettingsField]: Table[F] extends Readonly<Record<Flag, true>> ? F : never
}[SettingsField]
export type ColumnField = FieldsWith<'hasColumn'>
export type OverrideField = Exclude<SettingsField, FieldsWith<'isProjectOnly'>>

export const settingsFields = Object.keys(settingsTable) as readonly SettingsField[]

/** The origin must be in its normal form, because Origin headers are compared with it exactly. */
export function defaultSettings(dashboardOrigin: string): Settings {
  const rows: FieldTable = settingsTable
  const defaults = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, structuredClone(row.default)]))
  return { ...(defaults as Settings), cors_origins: [dashboardOrigin] }
}
