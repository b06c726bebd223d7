// The fields of a tenant's single sign-on, with their errors.

import { z } from 'zod'
import { hasControlCharacters, isStorable } from '../../domain/stored-text.ts'

const maxDomains = 20
const maxRoleMap = 50
const domainForm = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/

const text = (field: string, maxLength: number) =>
  z
    .string({ error: issue => (issue.input === undefined ? `${field} is required` : `${field} must be a string`) })
    .trim()
    .min(1, { error: `${field} is required` })
    .max(maxLength, { error: `${field} must be at most ${maxLength} characters` })
    .refine(value => isStorable(value) && !hasControlCharacters(value) && value.isWellFormed(), {
      error: `${field} must not contain control characters`,
    })

export const issuerField = text('issuer', 1024)
  .regex(/^https?:\/\//i, { error: 'issuer must be an https address' })
  .refine(value => URL.canParse(value), { error: 'issuer must be an https address' })
export const clientIdField = text('client_id', 512)
export const clientSecretField = text('client_secret', 4096)

const domainWords = `domains must be a list of 1 to ${maxDomains} domain names`
const mapWords = `role_map must be an object of at most ${maxRoleMap} roles by values of the claim`
const requiredWords = 'required must be true or false'

export const connectionBody = z.object({
  issuer: issuerField,
  client_id: clientIdField,
  client_secret: clientSecretField.optional().meta({ description: 'May be left out if issuer and client id stay' }),
  domains: z
    .array(z.string({ error: domainWords }).trim().toLowerCase().regex(domainForm, { error: domainWords }), {
      error: domainWords,
    })
    .min(1, { error: domainWords })
    .max(maxDomains, { error: domainWords })
    .transform(domains => [...new Set(domains)]),
  required: z.boolean({ error: requiredWords }).default(false),
  break_glass_user_id: z
    .uuid({ error: 'break_glass_user_id must be the id of an owner of the tenant' })
    .nullish()
    .meta({ description: 'The one owner who may still sign in by password if `required` is set' }),
  default_role: text('default_role', 40),
  role_claim: text('role_claim', 200).nullish(),
  role_map: z
    .record(text('role_map', 200), text('role_map', 40), { error: mapWords })
    .refine(map => Object.keys(map).length <= maxRoleMap, { error: mapWords })
    .default({}),
})

export type ConnectionBody = z.output<typeof connectionBody>
