// The fields of a meter, with their errors.

import { z } from 'zod'
import { accept, type Checked, refuse } from '../../domain/checked.ts'
import { isJsonObject } from '../../domain/json-object.ts'
import { defaultEventName, meterFormats, meterSubjects, meterValues } from '../../domain/meters/meter.ts'
import { hasControlCharacters, isBlank, isLongerThan } from '../../domain/stored-text.ts'
import { checked } from '../plane/fields.ts'

const oneOf = <const Words extends readonly [string, ...string[]]>(field: string, words: Words) =>
  z.enum(words, {
    error: issue =>
      issue.input === undefined ? `${field} is required` : `${field} must be one of: ${words.join(', ')}`,
  })

/** Where Stripe takes meter events. */
export const stripeUrl = 'https://api.stripe.com/v1/billing/meter_events'

const secretWords = 'secret must be 16 to 512 visible ASCII characters'
const signingWords = 'secret must be whsec_ and 24 to 64 bytes in base64'
const nameWords = 'event_name must be 1 to 100 letters, digits, underscores, dots, colons or hyphens'

const signingForm = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function isSigningForm(secret: string): boolean {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64').length
  return signingForm.test(secret) && bytes >= 24 && bytes <= 64
}

export const meterBody = z.object({
  format: oneOf('format', meterFormats),
  url: z
    .string({ error: 'url must be a string' })
    .optional()
    .meta({ description: "Where events are posted; for `stripe` by default Stripe's own address" }),
  secret: z
    .string({ error: secretWords })
    .regex(/^[!-~]{16,512}$/, { error: secretWords })
    .refine(secret => !secret.startsWith('whsec_') || isSigningForm(secret), { error: signingWords })
    .optional()
    .meta({
      description:
        'One that begins with `whsec_` signs each batch as webhooks are signed, any other is sent as a bearer token. ' +
        'Without one the stored secret stays if format and url stay; else `cloudevents` gets a new one that signs',
    }),
  event_name: z
    .string({ error: nameWords })
    .regex(/^[\w.:-]{1,100}$/, { error: nameWords })
    .optional()
    .meta({ description: `The event name of Stripe's meter, or the type of CloudEvents (\`${defaultEventName}\`)` }),
  value: oneOf('value', meterValues),
  subject: oneOf('subject', meterSubjects),
})

export type MeterBody = z.output<typeof meterBody>

const maxAtOnce = 1_000
const maxCharacters = 255
const mapWords = `body must be an object of 1 to ${maxAtOnce} customers by subject`

const isName = (text: string) =>
  !isBlank(text) && !isLongerThan(text, maxCharacters) && !hasControlCharacters(text) && text.isWellFormed()

function checkCustomers(value: unknown): Checked<ReadonlyMap<string, string | null>> {
  if (!isJsonObject(value)) return refuse(mapWords)
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > maxAtOnce) return refuse(mapWords)
  const customers = new Map<string, string | null>()
  for (const [subject, customer] of entries) {
    if (!isName(subject)) return refuse(`subjects must have 1 to ${maxCharacters} characters, none of them a control`)
    if (customer !== null && (typeof customer !== 'string' || !isName(customer))) {
      return refuse(`${subject} must be null or 1 to ${maxCharacters} characters, none of them a control`)
    }
    customers.set(subject, customer)
  }
  return accept(customers)
}

export const customersBody = checked<ReadonlyMap<string, string | null>>(
  {
    type: 'object',
    additionalProperties: { type: ['string', 'null'], minLength: 1, maxLength: maxCharacters },
    description: 'Customers by subject; null removes one, and those that are not named stay',
    minProperties: 1,
    maxProperties: maxAtOnce,
  },
  checkCustomers,
)
