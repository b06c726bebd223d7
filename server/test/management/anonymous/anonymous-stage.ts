// A project with anonymous users, and what their clients do.
import { randomBytes } from 'node:crypto'
import { findProof } from '../../../../sdk/src/find-proof.ts'
import type { Answer, ManagementHarness } from '../../support/management-harness.ts'
import { expectOk } from '../requests.ts'

export const pageOrigin = 'https://app.example'

export interface AnonymousToken {
  access_token: string
  expires_in: number
  uid: string
}

interface Client {
  address: string
  /** Null for a client that is no page. */
  origin?: string | null
}

export type Stage = Awaited<ReturnType<typeof openProject>>

let networks = 0
/** An address that no other test of the worker has. */
export const newAddress = (): string => `198.18.${networks >> 8}.${networks++ & 255}`
export const newDevice = (): string => randomBytes(16).toString('base64url')

export async function openProject(plane: ManagementHarness, anonymous: object | null, more: object = {}) {
  const session = plane.owner.session
  const tenant = await plane.makeTenant({ plan: 'pro' })
  const project = await plane.makeProject(tenant.id)
  const own = `/auth/v1/projects/${project.id}`
  const base = `/p/${project.slug}`
  const manage = async (method: string, path: string, body?: unknown) =>
    expectOk(await plane.call(method, `${own}${path}`, { session, body }))
  const deploy = async (settings: object) => {
    await manage('PUT', '/settings', settings)
    await manage('POST', '/settings/deploy')
  }
  await deploy({ cors_origins: [pageOrigin], anonymous, ...more })

  const headersOf = ({ address, origin = pageOrigin }: Client) => ({
    'x-forwarded-for': address,
    ...(origin === null ? {} : { origin }),
  })
  const post = (client: Client, body: unknown): Promise<Answer> =>
    plane.call('POST', `${base}/v1/auth/anonymous`, { headers: headersOf(client), body })
  const challenge = (client: Client): Promise<Answer> =>
    plane.call('GET', `${base}/v1/auth/anonymous/challenge`, { headers: headersOf(client) })
  const prove = async (client: Client): Promise<{ kind: string; token: string }> => {
    const given = expectOk<{ challenge: string; difficulty: number }>(await challenge(client))
    const proof = findProof(given.challenge, given.difficulty, 0, 100_000_000)
    if (proof === null) throw new Error('no proof was found')
    return { kind: 'proof_of_work', token: proof }
  }
  return {
    tenant,
    project,
    base,
    manage,
    deploy,
    post,
    challenge,
    prove,
    mint: async (client: Client, device?: string): Promise<Answer> =>
      post(client, { attestation: await prove(client), ...(device === undefined ? {} : { device }) }),
    /** A request that needs a token, and no model. */
    use: (token: string): Promise<Answer> => plane.call('GET', `${base}/v1/threads`, { session: token }),
  }
}
