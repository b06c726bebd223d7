// The single sign-on of a tenant, as the API has it.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { hasStatus } from '../../api/errors.ts'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import type { FormValues } from '../../ui/form.tsx'

export const connectionPath = '/auth/v1/tenants/{tenantId}/sso'

const testPath = '/auth/v1/tenants/{tenantId}/sso/test'

export type Connection = ManagementRoutes[`GET ${typeof connectionPath}`]['output']
export type TestResult = ManagementRoutes[`POST ${typeof testPath}`]['output']

export const connectionQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'single-sign-on'],
    /** Null if there is none. */
    queryFn: async (): Promise<Connection | null> => {
      try {
        return await request('GET', connectionPath, { path: { tenantId } })
      } catch (error) {
        if (hasStatus(error, 404)) return null
        throw error
      }
    },
  })

/** A read that began before a write would bring the old values back. */
async function keepConnection(tenantId: string, connection: Connection | null): Promise<void> {
  const { queryKey } = connectionQuery(tenantId)
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, connection)
}

export async function putConnection(tenantId: string, values: FormValues): Promise<void> {
  const secret = values['client_secret'] ?? ''
  const claim = values['role_claim'] ?? ''
  const breakGlass = values['break_glass_user_id'] ?? ''
  const body = {
    issuer: values['issuer'] ?? '',
    client_id: values['client_id'] ?? '',
    domains: (values['domains'] ?? '').split(/[\s,]+/).filter(domain => domain !== ''),
    required: values['required'] !== undefined,
    break_glass_user_id: breakGlass === '' ? null : breakGlass,
    default_role: values['default_role'] ?? 'viewer',
    role_claim: claim === '' ? null : claim,
    role_map: readRoleMap(values['role_map'] ?? ''),
    ...(secret === '' ? {} : { client_secret: secret }),
  }
  await keepConnection(tenantId, await request('PUT', connectionPath, { path: { tenantId }, body }))
}

export async function deleteConnection(tenantId: string): Promise<void> {
  await request('DELETE', connectionPath, { path: { tenantId } })
  await keepConnection(tenantId, null)
}

export async function testConnection(tenantId: string, values: FormValues): Promise<TestResult> {
  const { issuer = '', client_id = '', client_secret = '' } = values
  const body = {
    ...(issuer === '' ? {} : { issuer }),
    ...(client_id === '' ? {} : { client_id }),
    ...(client_secret === '' ? {} : { client_secret }),
  }
  return await request('POST', testPath, { path: { tenantId }, body })
}

/** One line for each value of the claim: `value = role`. */
function readRoleMap(text: string): Record<string, string> {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  return Object.fromEntries(
    lines.map(line => {
      const at = line.lastIndexOf('=')
      if (at < 1) throw new Error('role_map must have a line such as llm-admins = owner for each value')
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

export function writeRoleMap(map: Record<string, string>): string {
  return Object.entries(map)
    .map(([value, role]) => `${value} = ${role}`)
    .join('\n')
}
