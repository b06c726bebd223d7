// What a tenant's meter says of its requests, and how much each of them counts. Amounts are whole numbers: dollars are
// counted in nano-dollars and written with a decimal point, never computed in floating point.

import type { NanoUsd } from '../money.ts'

export const meterFormats = ['cloudevents', 'stripe'] as const
export type MeterFormat = (typeof meterFormats)[number]

/** What an event counts. */
export const meterValues = ['cost_usd', 'total_tokens', 'requests'] as const
export type MeterValue = (typeof meterValues)[number]

/** Whom an event is for, unless the tenant's map names a customer. */
export const meterSubjects = ['uid', 'tier', 'project'] as const
export type MeterSubject = (typeof meterSubjects)[number]

/** In the queue of events; a rejected one is sent again. */
export type MeterEventState = 'waiting' | 'rejected' | 'sent'

/** How events ended: those of a failed attempt are sent again, dropped ones have no usage row any more. */
export const meterEventOutcomes = ['sent', 'retried', 'rejected', 'dropped'] as const

/** How long an event is kept, as its usage row is: a receiver that is down for longer loses events. */
export const daysOfMeterEvents = 35

/** The type of CloudEvents, unless the meter names its own. */
export const defaultEventName = 'sallyport.usage'

/** A settled request. */
export interface MeteredRequest {
  requestId: string
  /** Epoch ms. */
  at: number
  projectId: string
  projectSlug: string
  userId: string
  tier: string | null
  model: string
  provider: string
  endpoint: string
  promptTokens: number
  completionTokens: number
  totalTokens: number
  cost: NanoUsd
}

export interface MeterEvent {
  request: MeteredRequest
  /** The customer, or the subject's own name. */
  subject: string
  /** Whole nano-dollars, tokens or requests. */
  amount: number
}

/** Requests without a tier have this subject. */
const noTier = 'none'

export function subjectOf(subject: MeterSubject, { userId, tier, projectSlug }: MeteredRequest): string {
  return { uid: userId, tier: tier ?? noTier, project: projectSlug }[subject]
}

/** Null if the meter has no event for it: an answer of the cache consumed nothing, but is a request. */
export function amountOf(value: MeterValue, { totalTokens, cost }: MeteredRequest): number | null {
  if (value === 'requests') return 1
  if (totalTokens === 0 && cost === 0) return null
  return value === 'cost_usd' ? cost : totalTokens
}

/** Dollars with all their digits, such as `0.0000125`. */
export function usdText(cost: NanoUsd): string {
  const digits = String(cost).padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -9) : `${digits.slice(0, -9)}.${fraction}`
}
