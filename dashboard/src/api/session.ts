// The signed-in user: sign in, sign out, and what the user may do where.
import { type ManagementRoutes, SallyportError } from '@sallyport/sdk'
import { useSuspenseQuery } from '@tanstack/react-query'
import { isUnauthorized, requestWithoutSession } from './management.ts'
import { askPasskey } from './passkeys.ts'
import { type OneProject, queryClient, type SignedInUser, sessionQuery } from './queries.ts'
import { forgetRecentProjects } from './recent-projects.ts'

export type Permission = SignedInUser['tenants'][number]['permissions'][number]

/** What a sign-in by password goes on with. */
export type AskedFactor = NonNullable<SallyportError['secondFactor']>

const withCookie = { query: { cookie: 'true' } } as const

/** Returns what it goes on with, if the account has a second factor. */
export async function signIn(email: string, password: string): Promise<AskedFactor | null> {
  try {
    const body = { email, password }
    const answer = await requestWithoutSession('POST', '/auth/v1/sessions', { ...withCookie, body })
    queryClient.setQueryData(sessionQuery.queryKey, answer.user)
    return null
  } catch (error) {
    if (error instanceof SallyportError && error.secondFactor !== null) return error.secondFactor
    throw error
  }
}

export type FactorProof = Omit<ManagementRoutes['POST /auth/v1/sessions/second-factor']['input']['body'], 'challenge'>

export async function proveSecondFactor(challenge: string, proof: FactorProof): Promise<void> {
  const body = { challenge, ...proof }
  const answer = await requestWithoutSession('POST', '/auth/v1/sessions/second-factor', { ...withCookie, body })
  queryClient.setQueryData(sessionQuery.queryKey, answer.user)
}

export async function signInWithPasskey(): Promise<void> {
  const options = await requestWithoutSession('POST', '/auth/v1/sessions/passkey/options')
  const body = { response: await askPasskey(options) }
  const answer = await requestWithoutSession('POST', '/auth/v1/sessions/passkey', { ...withCookie, body })
  queryClient.setQueryData(sessionQuery.queryKey, answer.user)
}

export async function signOut(): Promise<void> {
  await endSession()
  location.assign('/app')
}

/** Nothing that a user has read stays for the next one, even if the session ended before. */
export async function endSession(): Promise<void> {
  await requestWithoutSession('DELETE', '/auth/v1/sessions/current').catch(error => {
    if (!isUnauthorized(error)) throw error
  })
  queryClient.clear()
  forgetRecentProjects()
}

/** Only below the session gate. */
export function useUser(): SignedInUser {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('Nobody is signed in')
  return data
}

/** What the screens offer. The API decides what is allowed. */
export function useMay(tenantId: string): (permission: Permission) => boolean {
  const permissions = useUser().tenants.find(({ id }) => id === tenantId)?.permissions ?? []
  return permission => permissions.includes(permission)
}

/** As `useMay`, for what a file of the project holds: nothing while a file manages the project. */
export function useMayEdit(project: OneProject | undefined): (permission: Permission) => boolean {
  const may = useMay(project?.tenant_id ?? '')
  return permission => project?.managed_by === null && may(permission)
}
