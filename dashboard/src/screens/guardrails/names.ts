// The words for entity types, actions, modes and families, in the order in which screens list them.
import type { SettingsDraft } from '../../api/draft.ts'

export type EntityAction = NonNullable<SettingsDraft['pii_entities'][string]>
export type GuardrailMode = SettingsDraft['pii_mode']

const entityNames: Record<string, string> = {
  EMAIL_ADDRESS: 'Email address',
  PHONE_NUMBER: 'Phone number',
  PERSON: 'Name of a person',
  LOCATION: 'Place or postal address',
  DATE_TIME: 'Date or time',
  CREDIT_CARD: 'Credit card number',
  IBAN_CODE: 'IBAN',
  US_BANK_NUMBER: 'US bank account number',
  US_SSN: 'US social security number',
  IP_ADDRESS: 'IP address',
  CREDENTIAL: 'Password, key or token',
}

/** The built-in types. */
export const entityTypes: readonly string[] = Object.keys(entityNames)

/** The built-in types, then the project's own. */
export function typesOf({ custom_entities }: Pick<SettingsDraft, 'custom_entities'>): readonly string[] {
  return [...entityTypes, ...custom_entities.map(({ name }) => name)]
}

export const familyNames: Record<string, string> = {
  ignore_previous: 'to ignore earlier instructions',
  unrestricted_persona: 'to become somebody without rules',
  fake_system: 'text that pretends to be the system’s',
  bypass_safety: 'to get around filters, rules and refusals',
  override_system_prompt: 'to replace the system prompt',
}

/** A project's own types, and families that this page does not know yet, are shown as the API names them. */
export function nameOfEntity(type: string): string {
  return entityNames[type] ?? type
}

export function nameOfFamily(family: string): string {
  return familyNames[family] ?? family
}

export const actionNames: Record<EntityAction, string> = { MASK: 'Mask', REDACT: 'Redact', BLOCK: 'Block' }

export const modeWords: Record<GuardrailMode, string> = { disabled: 'Off', shadow: 'Shadow', enforce: 'Enforce' }

export const modeNames: Record<GuardrailMode, string> = {
  disabled: modeWords.disabled,
  shadow: `${modeWords.shadow}: detect and report, change nothing`,
  enforce: `${modeWords.enforce}: act on what is detected`,
}

/** The values of `sentinel_sources`. */
export const readTextNames: Record<SettingsDraft['sentinel_sources'], string> = {
  user: 'Messages of end users',
  user_and_tools: 'Messages of end users and results of tools',
}
/** The values of `sentinel_threshold`. */
export const thresholdNames: Record<SettingsDraft['sentinel_threshold'], string> = {
  strict: 'Strict: block from a score of 0.7',
  balanced: 'Balanced: block from a score of 0.8',
  lenient: 'Lenient: block from a score of 0.9',
}
export function nameOfThreshold(threshold: string): string {
  return threshold.charAt(0).toUpperCase() + threshold.slice(1)
}

export const thresholdHint =
  'A text with a score from 0.5 up to the threshold passes and is reported as flagged. The report shows what each threshold would do.'
export const recogniserHint =
  'URL of a Presidio analyzer, such as https://presidio.example.com. Its matches in requests join those of PII Shield; their text is sent there.'
export const readTextsHint =
  'Documents in messages are read in both. Read results of tools if they contain what others wrote, such as web pages.'

/** The value of a `<select>` among those that are known; undefined for any other. */
export function pick<Value extends string>(names: Readonly<Record<Value, string>>, value: string | undefined) {
  return (Object.keys(names) as Value[]).find(one => one === value)
}
