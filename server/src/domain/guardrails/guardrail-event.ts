// The event that reports what a guardrail did to a request, and its form as flat text fields of a stream entry.
// It must never contain the text that was matched.

import { parseJson } from '../json-object.ts'
import { variableNameForm } from '../prompts/template.ts'
import { customEntityName, maxCustomEntities } from '../settings/custom-entities.ts'
import { type EntityName, entityTypes } from '../settings/settings.ts'
import { isStorable } from '../stored-text.ts'
import {
  type GuardrailDirection,
  type GuardrailEventType,
  guardrailDirections,
  guardrailEventTypes,
} from './guardrails.ts'

export const guardrailEventModes = ['shadow', 'enforce'] as const
export const guardrailActions = ['blocked', 'masked', 'redacted', 'flagged', 'detected'] as const
/** Where a text came from: the end user, a document that the user sent, or the result of a tool. */
export const textSources = ['user', 'document', 'tool'] as const
export type TextSource = (typeof textSources)[number]

export interface GuardrailEvent {
  type: GuardrailEventType
  tenantId: string
  projectId: string
  direction: GuardrailDirection
  mode: (typeof guardrailEventModes)[number]
  actionTaken: (typeof guardrailActions)[number]
  entityTypes?: readonly EntityName[] | undefined
  entityCount?: number | undefined
  patternFamily?: string | undefined
  termCount?: number | undefined
  /** Of a jailbreak: from 0 to 1, with three decimals. */
  score?: string | undefined
  /** Set for Sentinel's events; the first in the order above if the match is in texts of several. */
  source?: TextSource | undefined
  /** Of Sentinel's events: the variable of a prompt whose text matched, if it is one. */
  variable?: string | undefined
  requestId: string
  /** The end user; absent for requests of our own services. */
  userId?: string | undefined
  /** Tells end users of a project apart in reports; absent for requests of our own services. */
  userHash?: string | undefined
  /** Unix seconds with a fraction. */
  timestamp: string
}

/** Older events are deleted. */
export const daysOfEvents = 30

export function writeGuardrailEvent(event: GuardrailEvent): Record<string, string> {
  const fields: Record<string, string> = {
    type: event.type,
    tenant_id: event.tenantId,
    project_id: event.projectId,
    direction: event.direction,
    mode: event.mode,
    action_taken: event.actionTaken,
    request_id: event.requestId,
    timestamp: event.timestamp,
  }
  if (event.entityTypes !== undefined) fields['entity_types'] = JSON.stringify([...event.entityTypes].sort())
  if (event.entityCount !== undefined) fields['entity_count'] = String(event.entityCount)
  if (event.patternFamily !== undefined) fields['pattern_family'] = event.patternFamily
  if (event.termCount !== undefined) fields['term_count'] = String(event.termCount)
  if (event.score !== undefined) fields['score'] = event.score
  if (event.source !== undefined) fields['source'] = event.source
  if (event.variable !== undefined) fields['variable'] = event.variable
  if (event.userId !== undefined) fields['uid'] = event.userId
  if (event.userHash !== undefined) fields['user_hash'] = event.userHash
  return fields
}

/** Of the id of an end user: 255 characters of two UTF-16 code units each. */
const maxUnits = 510
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const word = /^[a-z][a-z0-9_]{0,63}$/
const hex = /^[0-9a-f]{32}$/
const count = /^[0-9]{1,15}$/
const score = /^(?:0\.[0-9]{3}|1\.000)$/
const unixSeconds = /^[0-9]{1,11}(?:\.[0-9]{1,9})?$/

/** Returns null if the fields are not a valid event. */
export function readGuardrailEvent(fields: Readonly<Record<string, string>>): GuardrailEvent | null {
  const { type, tenant_id, project_id, direction, mode, action_taken, request_id, timestamp } = fields
  const named = {
    type: guardrailEventTypes.find(known => known === type),
    mode: guardrailEventModes.find(known => known === mode),
    actionTaken: guardrailActions.find(known => known === action_taken),
    tenantId: matching(uuid, tenant_id),
    projectId: matching(uuid, project_id),
    direction: guardrailDirections.find(known => known === direction),
    requestId: request_id !== undefined && isRequestId(request_id) ? request_id : undefined,
    timestamp: matching(unixSeconds, timestamp),
  }
  const optional = {
    entityTypes: readOptional(fields['entity_types'], readEntityTypes),
    entityCount: readOptional(fields['entity_count'], readCount),
    patternFamily: readOptional(fields['pattern_family'], text => matching(word, text) ?? null),
    termCount: readOptional(fields['term_count'], readCount),
    score: readOptional(fields['score'], text => matching(score, text) ?? null),
    source: readOptional(fields['source'], text => textSources.find(known => known === text) ?? null),
    variable: readOptional(fields['variable'], text => matching(variableNameForm, text) ?? null),
    userId: readOptional(fields['uid'], text => (isStorable(text) && text.length <= maxUnits ? text : null)),
    userHash: readOptional(fields['user_hash'], text => matching(hex, text) ?? null),
  }
  const isWhole = Object.values(named).every(value => value !== undefined)
  const isSound = Object.values(optional).every(value => value !== null)
  return isWhole && isSound ? ({ ...named, ...optional } as GuardrailEvent) : null
}

/** Epoch milliseconds of an event, computed from the text to avoid rounding errors. */
export function timeOfEvent({ timestamp }: Pick<GuardrailEvent, 'timestamp'>): number {
  const [seconds = '0', fraction = ''] = timestamp.split('.')
  return Number(seconds) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3))
}

function matching(form: RegExp, text: string | undefined): string | undefined {
  return text !== undefined && form.test(text) ? text : undefined
}

function isRequestId(text: string): boolean {
  return text !== '' && text.length <= 128 && isStorable(text)
}

/** Returns undefined if the field is missing or empty, null if it is invalid. */
function readOptional<Value>(text: string | undefined, read: (text: string) => Value | null) {
  return text === undefined || text === '' ? undefined : read(text)
}

function readCount(text: string): number | null {
  return count.test(text) ? Number(text) : null
}

function readEntityTypes(text: string): EntityName[] | null {
  const names = parseJson(text)
  const isList = Array.isArray(names) && names.length <= entityTypes.length + maxCustomEntities
  return isList && names.every(isEntityName) ? names : null
}

/** Built-in names have the form of a project's own, too. */
function isEntityName(name: unknown): boolean {
  return typeof name === 'string' && customEntityName.test(name)
}
