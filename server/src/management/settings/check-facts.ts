// Checks what a document says of a project beside its draft: its name, what manages it, the budgets of its end users
// and its webhooks.

import { isWebhookSecret, webhookSecretError } from '../../crypto/secrets/webhook-signature.ts'
import { checkBudgets } from '../../domain/budgets/budget.ts'
import { getChecked } from '../../domain/checked.ts'
import { cleanName } from '../../domain/clean-name.ts'
import { checkUserId } from '../../domain/end-users/user-id.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { type WebhookType, webhookTypes } from '../../domain/webhooks/tenant-events.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { EndUserBudgets } from '../../storage/budgets/budget-rows.ts'
import { getAllowedUrl } from '../plane/allowed-address.ts'
import { getCheckedAt, refuse, refuseRepeated, refuseUnknown, within } from './document-places.ts'

/** As it was sent; what is missing stays as it is. */
export interface GivenFacts {
  name?: unknown
  managed_by?: unknown
  end_user_budgets?: readonly JsonObject[] | undefined
  webhooks?: readonly JsonObject[] | undefined
}

export interface GivenWebhook {
  url: string
  /** Null for all but `audit`. */
  types: WebhookType[] | null
  /** Null leaves that of a webhook that is there. */
  secret: string | null
}

/** Null leaves what is there. */
export interface CheckedFacts {
  name: string | null
  /** Undefined leaves what is there. */
  managedBy: 'file' | null | undefined
  endUserBudgets: EndUserBudgets[] | null
  webhooks: GivenWebhook[] | null
}

export async function checkFacts(outbound: Pick<Outbound, 'check'>, given: GivenFacts): Promise<CheckedFacts> {
  const { name, managed_by, end_user_budgets = null, webhooks = null } = given
  const checkedWebhooks: GivenWebhook[] = []
  for (const [index, webhook] of (webhooks ?? []).entries()) {
    checkedWebhooks.push(await checkWebhook(outbound, webhook, `webhooks[${index}]`))
  }
  const urls = checkedWebhooks.map(({ url }) => url)
  refuseRepeated('webhooks', 'url', urls)
  const users = end_user_budgets?.map((user, index) => checkUser(user, `end_user_budgets[${index}]`)) ?? null
  const ids = users?.map(({ userId }) => userId) ?? []
  refuseRepeated('end_user_budgets', 'uid', ids)
  return {
    name: name === undefined ? null : getChecked(cleanName(name)),
    managedBy: managed_by === undefined ? undefined : checkManagedBy(managed_by),
    endUserBudgets: users,
    webhooks: webhooks === null ? null : checkedWebhooks,
  }
}

function checkManagedBy(value: unknown): 'file' | null {
  return value === 'file' || value === null ? value : refuse('managed_by must be file or null')
}

function checkUser(given: JsonObject, place: string): EndUserBudgets {
  refuseUnknown(place, given, ['uid', 'budgets'])
  const checked = checkUserId(given['uid'], { mayUseReserved: true })
  if (!checked.ok) refuse(`${place}.${checked.message.replace('user_id', 'uid')}`)
  if (checked.value !== given['uid']) refuse(`${place}.uid must not begin or end with white space`)
  const { budgets = 'missing' } = given
  return { userId: checked.value, budgets: getCheckedAt(place, checkBudgets(budgets, 'budgets')) }
}

async function checkWebhook(
  outbound: Pick<Outbound, 'check'>,
  given: JsonObject,
  place: string,
): Promise<GivenWebhook> {
  refuseUnknown(place, given, ['url', 'types', 'secret'])
  const { url, types = null, secret = null } = given
  if (typeof url !== 'string') refuse(`${place}.url must be a string`)
  if (secret !== null && !isWebhookSecret(secret)) refuse(`${place}.${webhookSecretError}`)
  const allowed = await within(`${place}.url`, () => getAllowedUrl(outbound, url))
  return { url: allowed, types: types === null ? null : checkTypes(types, place), secret }
}

function checkTypes(given: unknown, place: string): WebhookType[] {
  const isList = Array.isArray(given) && given.length > 0
  const types = isList ? webhookTypes.filter(type => given.includes(type)) : []
  if (isList && given.every(type => webhookTypes.includes(type))) return types
  return refuse(`${place}.types must be an array of event types: ${webhookTypes.join(', ')}`)
}
