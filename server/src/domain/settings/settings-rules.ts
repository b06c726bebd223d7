// Every rule for a value of the settings, in the contract's words: one check per field, used alike for a settings
// update, a tier's overrides and a stored document. Knows no storage; what models are known it is told.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, ownValue } from '../json-object.ts'
import { isModelId } from '../model-id.ts'
import { isBlank, isLongerThan, isStorable } from '../stored-text.ts'
import { checkBoolean, checkInteger, checkOneOf, isStringArray } from '../value-rules.ts'
import { normalizeOrigin, wildcardOrigin } from './cors-origin.ts'
import {
  type EntityAction,
  type EntityType,
  entityActions,
  entityTypes,
  guardrailModes,
  type PiiEntities,
  type Settings,
  type SettingsField,
  settingsFields,
} from './settings.ts'

const maxPromptCharacters = 32_000
const maxOrigins = 100
const maxTerms = 200
const maxTermCharacters = 256

export type IsKnownModel = (modelId: string) => boolean

type FieldRules = { [F in SettingsField]: (value: unknown, isKnownModel: IsKnownModel) => Checked<Settings[F]> }

const fieldRules: FieldRules = {
  system_prompt: checkSystemPrompt,
  memory_window: value => checkInteger(value, 0, 500, 'memory_window must be an integer 0-500'),
  cors_origins: checkOrigins,
  cors_allow_credentials: value => checkBoolean(value, 'cors_allow_credentials'),
  rpm_limit: value => checkInteger(value, 1, 10_000, 'rpm_limit must be an integer 1-10000'),
  tokens_per_day: value =>
    checkInteger(value, 1000, Number.MAX_SAFE_INTEGER, 'tokens_per_day must be an integer >= 1000'),
  pii_mode: value => checkOneOf(value, guardrailModes, 'pii_mode'),
  pii_entities: checkPiiEntities,
  sentinel_mode: value => checkOneOf(value, guardrailModes, 'sentinel_mode'),
  sentinel_blocklist: checkBlocklist,
  memory_enabled: value => checkBoolean(value, 'memory_enabled'),
  retention_days: value =>
    value === null ? accept(null) : checkInteger(value, 1, 365, 'retention_days must be an integer 1-365 or null'),
  store_tool_calls: value => checkBoolean(value, 'store_tool_calls'),
  provider_model: (value, isKnownModel) =>
    value === null || (typeof value === 'string' && isKnownModel(value))
      ? accept(value)
      : refuse('provider_model must be a known model ID or null'),
}

export function checkSettingsField<F extends SettingsField>(
  field: F,
  value: unknown,
  isKnownModel: IsKnownModel,
): Checked<Settings[F]> {
  return fieldRules[field](value, isKnownModel)
}

/** The given fields of `body`, checked in the order of the table; the first failure answers. Other keys are not looked at. */
export function checkFields<F extends SettingsField>(
  body: unknown,
  fields: readonly F[],
  isKnownModel: IsKnownModel,
  afterField: (field: F, checked: Partial<Settings>) => string | null = () => null,
): Checked<Partial<Pick<Settings, F>>> {
  const checked: Partial<Settings> = {}
  if (!isJsonObject(body)) return accept(checked)
  for (const field of fields) {
    const value = ownValue(body, field)
    if (value !== undefined) {
      const outcome = checkSettingsField(field, value, isKnownModel)
      if (!outcome.ok) return outcome
      Object.assign(checked, { [field]: outcome.value })
    }
    const message = afterField(field, checked)
    if (message !== null) return refuse(message)
  }
  return accept(checked)
}

/** The body of a settings update; `stored` is the draft row that it will be merged into. */
export function checkSettingsUpdate(
  body: unknown,
  stored: Pick<Settings, 'cors_origins' | 'cors_allow_credentials'>,
  isKnownModel: IsKnownModel,
): Checked<Partial<Settings>> {
  const outcome = checkFields(body, settingsFields, isKnownModel, (field, checked) =>
    field === 'cors_allow_credentials' ? findWildcardFault({ ...stored, ...checked }) : null,
  )
  if (outcome.ok && Object.keys(outcome.value).length === 0) return refuse('no fields to update')
  return outcome
}

/** Settings out of a stored document: every field there and valid, or null. The model need only look like one. */
export function parseSettings(value: unknown): Settings | null {
  const outcome = checkFields(value, settingsFields, isModelId)
  return outcome.ok && isComplete(outcome.value) ? outcome.value : null
}

function isComplete(settings: Partial<Settings>): settings is Settings {
  return settingsFields.every(field => Object.hasOwn(settings, field))
}

/** Looked at once both fields are valid by themselves, so that an update of either is held against the stored other. */
function findWildcardFault({
  cors_origins,
  cors_allow_credentials,
}: Pick<Settings, 'cors_origins' | 'cors_allow_credentials'>): string | null {
  if (!cors_origins.includes(wildcardOrigin)) return null
  if (cors_allow_credentials) return 'Cannot use wildcard CORS origin (*) with cors_allow_credentials=true'
  return cors_origins.length > 1 ? 'The wildcard CORS origin (*) cannot be combined with other origins' : null
}

function checkSystemPrompt(value: unknown): Checked<string | null> {
  if (value === null) return accept(null)
  if (typeof value !== 'string' || isLongerThan(value, maxPromptCharacters)) {
    return refuse('system_prompt must be a string (max 32000 chars)')
  }
  return isStorable(value) ? accept(value) : refuse(unstorable('system_prompt'))
}

function checkOrigins(value: unknown): Checked<string[]> {
  if (!isStringArray(value)) return refuse('cors_origins must be an array of strings')
  const origins = new Set<string>()
  for (const entry of value) {
    const origin = entry === wildcardOrigin ? entry : normalizeOrigin(entry)
    if (origin === null) return refuse(`Invalid origin '${excerpt(entry)}': must be scheme + host, no trailing slash`)
    origins.add(origin)
  }
  if (origins.size > maxOrigins) return refuse(`cors_origins must not exceed ${maxOrigins} origins`)
  return accept([...origins])
}

function checkPiiEntities(value: unknown): Checked<PiiEntities> {
  const message = 'pii_entities must map known entity types to MASK, REDACT or BLOCK'
  if (!isJsonObject(value)) return refuse(message)
  const actions: [EntityType, EntityAction][] = []
  for (const type of entityTypes) {
    const given = ownValue(value, type)
    if (given === undefined) continue
    const action = entityActions.find(known => known === given)
    if (action === undefined) return refuse(message)
    actions.push([type, action])
  }
  // A key that was not read above is no entity type.
  return actions.length === Object.keys(value).length ? accept(Object.fromEntries(actions)) : refuse(message)
}

function checkBlocklist(value: unknown): Checked<string[]> {
  if (!isStringArray(value)) return refuse('sentinel_blocklist must be an array of strings')
  if (value.length > maxTerms) return refuse(`sentinel_blocklist must not exceed ${maxTerms} terms`)
  for (const term of value) {
    // A term that folds to nothing would be found in every message.
    if (isBlank(term) || isLongerThan(term, maxTermCharacters)) {
      return refuse(`sentinel_blocklist terms must be 1-${maxTermCharacters} characters and not blank`)
    }
    if (!isStorable(term)) return refuse(unstorable('sentinel_blocklist'))
  }
  return accept([...value])
}

function unstorable(field: string): string {
  return `${field} must not contain NUL characters or unpaired surrogates`
}

/** A refusal quotes what was sent, but not a megabyte of it. */
function excerpt(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300).toWellFormed()}…` : text
}
