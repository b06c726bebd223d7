// The meter of a tenant and its customers, as the API has them.
import type { ManagementRoutes } from '@sallyport/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { hasStatus } from '../../api/errors.ts'
import { request } from '../../api/management.ts'
import { liveMs, queryClient } from '../../api/queries.ts'
import type { FormValues } from '../../ui/form.tsx'

const path = '/auth/v1/tenants/{tenantId}/meter'
const subjectsPath = '/auth/v1/tenants/{tenantId}/meter/subjects'

export type Meter = ManagementRoutes[`GET ${typeof path}`]['output']
type MeterBody = ManagementRoutes[`PUT ${typeof path}`]['input']['body']
export type Customer = ManagementRoutes[`GET ${typeof subjectsPath}`]['output']['data'][number]

const keyOf = (tenantId: string) => ['tenant', tenantId, 'meter'] as const

export const meterQuery = (tenantId: string) =>
  queryOptions({
    queryKey: [...keyOf(tenantId), 'state'],
    /** Null if there is none. */
    queryFn: async (): Promise<Meter | null> => {
      try {
        return await request('GET', path, { path: { tenantId } })
      } catch (error) {
        if (hasStatus(error, 404)) return null
        throw error
      }
    },
    refetchInterval: liveMs,
  })

export const customersQuery = (tenantId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...keyOf(tenantId), 'customers', cursor],
    queryFn: () => {
      const query = cursor === undefined ? {} : { cursor }
      return request('GET', subjectsPath, { path: { tenantId }, query })
    },
    placeholderData: keepPreviousData,
  })

const refresh = (tenantId: string) => queryClient.invalidateQueries({ queryKey: keyOf(tenantId) })

/** Returns a secret that was made, which no other response contains. */
export async function putMeter(tenantId: string, values: FormValues): Promise<string | null> {
  const given = (name: string) => (values[name] ?? '').trim()
  const optional = (name: 'url' | 'secret' | 'event_name') => (given(name) === '' ? {} : { [name]: given(name) })
  const body: MeterBody = {
    format: given('format') as MeterBody['format'],
    value: given('value') as MeterBody['value'],
    subject: given('subject') as MeterBody['subject'],
    ...optional('url'),
    ...optional('secret'),
    ...optional('event_name'),
  }
  const { secret = null } = await request('PUT', path, { path: { tenantId }, body })
  await refresh(tenantId)
  return secret
}

export async function deleteMeter(tenantId: string): Promise<void> {
  await request('DELETE', path, { path: { tenantId } })
  await refresh(tenantId)
}

/** Returns what became of it, in a sentence. */
export async function testMeter(tenantId: string): Promise<string> {
  const { delivered, status, reason } = await request('POST', `${path}/test`, { path: { tenantId } })
  if (delivered) return 'The receiver took the test.'
  return `The receiver did not take the test: ${describeFailure({ status, reason })}.`
}

export async function putCustomer(tenantId: string, subject: string, customer: string | null): Promise<void> {
  await request('PUT', subjectsPath, { path: { tenantId }, body: { [subject]: customer } })
  await refresh(tenantId)
}

const reasons: Record<string, string> = {
  blocked: 'its address is no longer allowed',
  dns: 'its name does not resolve',
  connect: 'it cannot be reached',
  tls: 'its certificate is not valid',
  timeout: 'it did not answer within 10 seconds',
  redirect: 'it redirects',
  reset: 'it ended the connection',
  secret_unreadable: 'the stored secret cannot be decrypted; set it again',
}

export function describeFailure({ status, reason }: { status: number | null; reason: string | null }): string {
  const words = reason === null ? null : (reasons[reason] ?? reason)
  if (status === null) return words ?? 'no answer'
  return words === null ? `status ${status}` : `status ${status}, ${words}`
}
