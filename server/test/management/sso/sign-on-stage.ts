// What the tests of single sign-on start from: a product, an issuer that it may reach, and a browser with cookies.
import { afterAll } from 'vitest'
import type { Answer, ManagementHarness, Start } from '../../support/management-harness.ts'
import { type ScriptedIssuer, startIssuer } from '../../support/simulated/scripted-issuer.ts'
import { expectOk } from '../requests.ts'

export interface SignOnStage {
  plane: ManagementHarness
  issuer: ScriptedIssuer
  /** Of another tenant, or of nobody. */
  otherIssuer: ScriptedIssuer
  /** A tenant whose people sign in at the issuer, and the domain of their emails. */
  makeTenant(more?: object, issuer?: ScriptedIssuer): Promise<{ id: string; domain: string }>
  openBrowser(): Browser
}

/** Where a browser ends after a sign-in: a path of the installation, and its session if it has one. */
export interface Ended {
  /** With its query. */
  path: string
  /** The code of the problem that the landing page explains. */
  problem: string | null
  session: string | undefined
}

export interface Browser {
  cookies: Map<string, string>
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** Starts at the installation, follows the redirect to the issuer and the one back. */
  signOn(query: string): Promise<Ended>
  /** As `signOn`, up to the address by which the issuer sends the browser back. `alter` is what others do to the way. */
  goToIssuer(query: string, alter?: (toIssuer: URLSearchParams) => void): Promise<string>
  /** Comes back from the issuer. */
  comeBack(address: string): Promise<Ended>
}

let domains = 0

export async function startSignOn(
  start: Start,
  envOf: (issuer: ScriptedIssuer) => Record<string, string> = () => ({}),
): Promise<SignOnStage> {
  const [issuer, otherIssuer] = await Promise.all([startIssuer(), startIssuer()])
  afterAll(() => Promise.all([issuer.stop(), otherIssuer.stop()]))
  const allowed = `${issuer.host},${otherIssuer.host}`
  const plane = await start({ own: true, env: { SYNC_INTERVAL: '1', OUTBOUND_ALLOW: allowed, ...envOf(issuer) } })
  return {
    plane,
    issuer,
    otherIssuer,
    async makeTenant(more = {}, of = issuer) {
      const { id } = await plane.makeTenant()
      const domain = `company-${++domains}.example`
      const path = `/auth/v1/tenants/${id}/sso`
      const body = { issuer: of.url, ...of.client, domains: [domain], default_role: 'viewer', ...more }
      expectOk(await plane.call('PUT', path, { session: plane.owner.session, body }))
      return { id, domain }
    },
    openBrowser: () => openBrowser(plane),
  }
}

export function openBrowser(plane: ManagementHarness): Browser {
  const cookies = new Map<string, string>()
  const call: Browser['call'] = async (method, path, body) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await plane.call(method, path, { body, headers: { cookie, 'x-sallyport': '1' } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  const end = (answer: Answer): Ended => {
    const location = new URL(answer.headers.get('location') ?? '', 'http://localhost')
    const path = location.pathname + location.search
    return { path, problem: location.searchParams.get('problem'), session: cookies.get('sallyport') }
  }
  const goToIssuer: Browser['goToIssuer'] = async (query, alter) => {
    const answer = await call('GET', `/auth/v1/sso/start?${query}`)
    const location = answer.headers.get('location') ?? ''
    if (!location.includes('/authorize')) return location
    const toIssuer = new URL(location)
    alter?.(toIssuer.searchParams)
    const back = await fetch(toIssuer, { redirect: 'manual' })
    return back.headers.get('location') ?? ''
  }
  const comeBack: Browser['comeBack'] = async address => {
    const { pathname, search } = new URL(address)
    if (pathname !== '/auth/v1/sso/callback') return end(new Answered(address))
    return end(await call('GET', pathname + search))
  }
  return { cookies, call, goToIssuer, comeBack, signOn: async query => await comeBack(await goToIssuer(query)) }
}

/** A redirect that never reached the issuer. */
class Answered implements Answer {
  readonly status = 302
  readonly body = ''
  readonly text = ''
  readonly tookMs = 0
  readonly headers: Headers
  constructor(location: string) {
    this.headers = new Headers({ location })
  }
}

/** The role and the other facts of the session's user, by `GET /auth/v1/sessions/current`. */
export interface CurrentUser {
  id: string
  email: string
  tenants: { id: string; role: string; permissions: string[] }[]
}

export async function currentUser(browser: Browser): Promise<CurrentUser> {
  return expectOk<CurrentUser>(await browser.call('GET', '/auth/v1/sessions/current'))
}
