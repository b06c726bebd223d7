// What people read about each setting: its label, what it does, how it is edited, and the area it belongs to.
import type { SettingsDraft } from '../../api/draft.ts'
import {
  modeNames,
  readTextNames,
  readTextsHint,
  recogniserHint,
  thresholdHint,
  thresholdNames,
} from '../guardrails/names.ts'

type Bookkeeping = 'id' | 'project_id' | 'draft_provider_model' | 'draft_saved_at'
type Times = 'deployed_at' | 'created_at' | 'updated_at'
export type SettingsValues = Omit<SettingsDraft, Bookkeeping | Times>
export type SettingsField = keyof SettingsValues

interface FieldDescription {
  label: string
  hint?: string
  kind:
    | 'text'
    | 'integer'
    | 'origins'
    | 'terms'
    | 'models'
    | 'model'
    | 'choice'
    | 'entities'
    | 'types'
    | 'routes'
    | 'cache'
    | 'anonymous'
    | 'budgets'
    | 'address'
  /** The choices, by the API's value as text. */
  choices?: Record<string, string>
  /** What null or an empty list means. */
  none?: string
}

const yesNo = { true: 'Yes', false: 'No' }
const perProject = 'Of the whole project; in a tier: of each of its end users.'

/** Every setting of the API has a row, which the compiler checks. */
export const fields: Record<SettingsField, FieldDescription> = {
  cors_origins: {
    label: 'Allowed origins',
    hint: 'Scheme, host and port of your pages, one a line, such as https://app.example.com. A single * allows all.',
    kind: 'origins',
    none: 'No origin, so no page may call the project',
  },
  cors_allow_credentials: {
    label: 'Pages may send credentials',
    hint: 'Only if your pages send cookies to the project. Not together with the origin *.',
    kind: 'choice',
    choices: yesNo,
  },
  system_prompt: {
    label: 'System prompt',
    hint: 'Put before the messages of every request.',
    kind: 'text',
    none: 'No prompt',
  },
  provider_model: {
    label: 'Model',
    hint: 'Answers all requests that do not choose another one.',
    kind: 'model',
    none: 'The default model of the installation',
  },
  allowed_models: {
    label: 'Allowed models',
    hint: 'One a line.',
    kind: 'models',
    none: 'All models of the same provider',
  },
  client_model: {
    label: 'Request for another model',
    hint: 'With routes: another model than those of the targets.',
    kind: 'choice',
    choices: { prefer: 'The project’s model answers', exact: 'Reject the request (404)' },
  },
  routes: {
    label: 'Routes',
    hint: 'Several models in place of one: in an order, or each with its share.',
    kind: 'routes',
    none: 'The project’s model answers',
  },
  rpm_limit: { label: 'Requests per minute', hint: perProject, kind: 'integer' },
  tokens_per_day: { label: 'Tokens per day (UTC)', hint: perProject, kind: 'integer' },
  user_rpm_limit: {
    label: 'Requests per minute per user',
    hint: 'Applies where the end user’s tier has no limit of its own.',
    kind: 'integer',
    none: 'No limit',
  },
  user_tokens_per_day: {
    label: 'Tokens per day per user (UTC)',
    hint: 'Applies where the end user’s tier has no budget of its own.',
    kind: 'integer',
    none: 'No limit',
  },
  max_output_tokens: {
    label: 'Max output tokens',
    hint: 'Lowers what a request asks for, and is set if it asks for nothing.',
    kind: 'integer',
    none: 'No limit',
  },
  unknown_tier: {
    label: 'Token with an unknown tier',
    hint: 'A deleted tier counts as known for a day.',
    kind: 'choice',
    choices: { project: 'Gets the settings of the project', reject: 'Reject its requests (403)' },
  },
  client_system_messages: {
    label: 'System and developer messages of clients',
    kind: 'choice',
    choices: { allow: 'Allow', drop: 'Drop', reject: 'Reject the request (403)' },
  },
  client_tools: {
    label: 'Tools of clients',
    hint: 'tools, tool_choice and functions in requests.',
    kind: 'choice',
    choices: { allow: 'Allow', reject: 'Reject the request (403)' },
  },
  client_fields: {
    label: 'Unknown request fields',
    kind: 'choice',
    choices: { all: 'Forward them to the provider', known: 'Drop them' },
  },
  client_prompts: {
    label: 'Prompts of the project',
    hint: 'Where they are required, clients choose neither instructions, tools, models nor parameters.',
    kind: 'choice',
    choices: { allow: 'Requests may name one', required: 'Reject requests without one (403)' },
  },
  memory_enabled: {
    label: 'Store conversations',
    hint: 'Earlier messages are added to later requests of the same conversation.',
    kind: 'choice',
    choices: yesNo,
  },
  memory_window: {
    label: 'Earlier messages sent to the provider',
    hint: 'At most, of the same conversation.',
    kind: 'integer',
  },
  retention_days: {
    label: 'Thread retention (days)',
    hint: 'Counted from its last message.',
    kind: 'integer',
    none: 'Never deleted',
  },
  store_tool_calls: { label: 'Store tool calls and their results', kind: 'choice', choices: yesNo },
  pii_mode: { label: 'PII Shield', kind: 'choice', choices: modeNames },
  pii_entities: { label: 'Personal data and actions', kind: 'entities', none: 'None' },
  custom_entities: { label: 'Custom entities', hint: 'As JSON.', kind: 'types', none: 'None' },
  sentinel_mode: { label: 'Sentinel', kind: 'choice', choices: modeNames },
  sentinel_blocklist: { label: 'Blocklist', hint: 'One term a line.', kind: 'terms', none: 'Empty' },
  sentinel_sources: { label: 'What Sentinel reads', hint: readTextsHint, kind: 'choice', choices: readTextNames },
  sentinel_threshold: { label: 'Sentinel threshold', hint: thresholdHint, kind: 'choice', choices: thresholdNames },
  pii_answer_mode: {
    label: 'PII Shield on answers',
    hint: 'Applies the actions to what the model writes: Mask and Redact both remove the value, Block ends the answer.',
    kind: 'choice',
    choices: modeNames,
  },
  answer_blocklist: {
    label: 'Blocklist for answers',
    hint: 'One term a line. Where Sentinel is enforced, a term ends the answer.',
    kind: 'terms',
    none: 'Empty',
  },
  budgets: {
    label: 'Budgets in dollars',
    hint: `What may be spent in a day or a month of UTC. ${perProject} An empty amount: no budget.`,
    kind: 'budgets',
    none: 'No budget',
  },
  recogniser_url: {
    label: 'External recogniser',
    hint: recogniserHint,
    kind: 'address',
    none: 'The one of the installation, if there is one',
  },
  cache: {
    label: 'Answer cache',
    hint: 'A request that equals an earlier one gets its answer, without a call to the provider.',
    kind: 'cache',
    none: 'No cache',
  },
  request_log: {
    label: 'What is kept of each request',
    hint: 'Content: its messages as the provider got them, and the answer, encrypted.',
    kind: 'choice',
    choices: { off: 'Nothing', metadata: 'A row without any text of it', content: 'A row and its content' },
  },
  request_log_days: { label: 'Request log retention (days)', kind: 'integer' },
  content_days: { label: 'Content retention (days)', kind: 'integer' },
  anonymous: {
    label: 'Users without an account',
    hint:
      'A page or app gets a token without a server of yours, if it shows one of these. All but the proof of work need ' +
      'a secret.',
    kind: 'anonymous',
    none: 'None: only your server mints tokens',
  },
}

export interface Area {
  id: string
  title: string
  /** What the area decides. */
  lead: string
  fields: SettingsField[]
}

/** The areas that the settings screen edits; the guardrails have a screen of their own. */
export const areas: Area[] = [
  {
    id: 'origins',
    title: 'Origins',
    lead: 'Which pages may call the project from a browser.',
    fields: ['cors_origins', 'cors_allow_credentials'],
  },
  {
    id: 'anonymous',
    title: 'Anonymous users',
    lead: 'Whether clients without an account get tokens, and what they must show first.',
    fields: ['anonymous'],
  },
  {
    id: 'model',
    title: 'Prompt and model',
    lead: 'What answers, and with which instructions.',
    fields: ['system_prompt', 'provider_model'],
  },
  {
    id: 'routing',
    title: 'Routes and cache',
    lead: 'Which models answer if one fails or has too much to do, and which requests get an earlier answer.',
    fields: ['routes', 'cache'],
  },
  {
    id: 'limits',
    title: 'Limits',
    lead: 'How much the project and each end user may use.',
    fields: ['rpm_limit', 'tokens_per_day', 'user_rpm_limit', 'user_tokens_per_day', 'max_output_tokens', 'budgets'],
  },
  {
    id: 'clients',
    title: 'Untrusted clients',
    lead: 'What the holder of a token may ask for: the token is in a browser, where its user can change requests.',
    fields: [
      'unknown_tier',
      'allowed_models',
      'client_model',
      'client_system_messages',
      'client_tools',
      'client_fields',
      'client_prompts',
    ],
  },
  {
    id: 'memory',
    title: 'Memory',
    lead: 'What is stored of conversations, and for how long.',
    fields: ['memory_enabled', 'memory_window', 'retention_days', 'store_tool_calls'],
  },
  {
    id: 'requests',
    title: 'Request log',
    lead: 'What is kept of each request, and for how long.',
    fields: ['request_log', 'request_log_days', 'content_days'],
  },
]

export function isSettingsField(name: string): name is SettingsField {
  return Object.hasOwn(fields, name)
}

/** The label of a field, or of a tier or prompt as changes name it: `tiers.<name>`. */
export function labelOf(name: string): string {
  if (name.startsWith('tiers.')) return `Tier ${name.slice('tiers.'.length)}`
  if (name.startsWith('prompts.')) return `Prompt ${name.slice('prompts.'.length)}`
  return isSettingsField(name) ? fields[name].label : name
}

/** A draft model takes the place of the deployed one. */
export function valuesOf(draft: SettingsDraft): SettingsValues {
  return { ...draft, provider_model: draft.draft_provider_model ?? draft.provider_model }
}
