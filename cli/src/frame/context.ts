// What a command works with: the installation's address, the client, and the project and tenant that are meant.
import { createManagementClient, type ManagementClient, type ManagementRoutes } from '@sallyport/sdk'
import { readVersion } from '../version.ts'
import { Failure, signInHint } from './failure.ts'
import { readSignIns, signInsFile, trimUrl } from './sign-ins.ts'

export type Project = ManagementRoutes['GET /auth/v1/projects/{projectId}']['output']
export type Tenant = ManagementRoutes['GET /auth/v1/tenants']['output'][number]
type ListedProject = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/projects']['output'][number]

export interface Environment {
  SALLYPORT_URL?: string | undefined
  SALLYPORT_TOKEN?: string | undefined
  SALLYPORT_PROJECT?: string | undefined
  SALLYPORT_ADMIN_SECRET?: string | undefined
  XDG_CONFIG_HOME?: string | undefined
}

export interface Wanted {
  url?: string | undefined
  project?: string | undefined
  tenant?: string | undefined
}

export interface Context {
  url: string
  /** Of the account of SALLYPORT_TOKEN, or of the session of `login`. */
  client(): ManagementClient
  withToken(token: string): ManagementClient
  /** Of nobody. */
  stranger(): ManagementClient
  /** For the routes of the installation's operators. */
  operator(): ManagementClient
  /** The project of `--project`, by slug or id; the only one, if none is named. */
  project(): Promise<Project>
  tenant(): Promise<Tenant>
  tenants(): Promise<Tenant[]>
  /** The word after `--project`, whoever may see that project. */
  wantedProject: string | null
  wantedTenant: string | null
  /** Where the sessions of `login` are. */
  signInsFile: string
  /** Aborts at Ctrl+C, which ends a command at once that has not read this. */
  signal: AbortSignal
}

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const defaultUrl = 'http://localhost:8080'

export function createContext(wanted: Wanted, environment: Environment, findSignal: () => AbortSignal): Context {
  const file = signInsFile(environment)
  const named = wanted.url || environment.SALLYPORT_URL
  const url = trimUrl(named || readSignIns(file).default || defaultUrl)
  const wantedProject = wanted.project || environment.SALLYPORT_PROJECT || null
  const wantedTenant = wanted.tenant || null
  const fetch = createFetch()
  const findToken = once(() => environment.SALLYPORT_TOKEN || readSignIns(file).installations[url]?.token)
  const withToken = (token: string) => createManagementClient({ baseUrl: url, token, fetch })
  const client = once(() => {
    const token = findToken()
    if (token === undefined) throw new Failure(`Not signed in to ${url}`, signInHint, 'not_signed_in')
    return withToken(token)
  })
  const tenants = once(() => client().request('GET', '/auth/v1/tenants'))
  const project = once(() => findProject(client(), tenants, { wantedProject, wantedTenant }))
  return {
    url,
    client,
    withToken,
    stranger: () => createManagementClient({ baseUrl: url, fetch }),
    signInsFile: file,
    tenants,
    project,
    operator: once(() =>
      createOperatorClient(url, { secret: environment.SALLYPORT_ADMIN_SECRET, token: findToken() }, fetch),
    ),
    tenant: once(async () => await findTenant(await tenants(), wantedTenant, wantedProject === null ? null : project)),
    wantedProject,
    wantedTenant,
    get signal() {
      return findSignal()
    },
  }
}

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The audit and the list of sessions show what sent a request. */
function createFetch() {
  const name = `sallyport-cli/${readVersion()}`
  return async (input: string | URL | Request, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('user-agent', name)
    return await globalThis.fetch(input, { ...init, headers })
  }
}

function createOperatorClient(
  baseUrl: string,
  { secret, token }: { secret: string | undefined; token: string | undefined },
  fetch: ReturnType<typeof createFetch>,
): ManagementClient {
  const adminSecret = secret || (token?.startsWith('op_') ? token : undefined)
  if (adminSecret !== undefined) return createManagementClient({ baseUrl, adminSecret, fetch })
  if (token) return createManagementClient({ baseUrl, token, fetch })
  throw new Failure(
    'This command is for operators of the installation',
    "Set SALLYPORT_ADMIN_SECRET, or SALLYPORT_TOKEN to an operator's credential (op_…) or session.",
  )
}

async function findProject(
  client: ManagementClient,
  tenants: () => Promise<Tenant[]>,
  { wantedProject, wantedTenant }: Pick<Context, 'wantedProject' | 'wantedTenant'>,
): Promise<Project> {
  if (wantedProject !== null && uuid.test(wantedProject)) return await getProject(client, wantedProject)
  const all = await tenants()
  const searched = wantedTenant === null ? all : [await findTenant(all, wantedTenant, null)]
  const listed = await Promise.all(searched.map(({ id }) => listProjects(client, id)))
  const projects = listed.flat()
  const found = wantedProject === null ? projects : projects.filter(({ slug }) => slug === wantedProject)
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) return await getProject(client, first.id)
  if (wantedProject !== null) throw new Failure(`There is no project ${wantedProject}`, listHint)
  const next = first === undefined ? 'Create one: sallyport projects create NAME' : listHint
  throw new Failure(first === undefined ? 'There is no project yet' : 'Which project? Name it with --project', next)
}

const listHint = '`sallyport projects` lists the projects that this account may see.'

async function getProject(client: ManagementClient, projectId: string): Promise<Project> {
  return await client.request('GET', '/auth/v1/projects/{projectId}', { path: { projectId } })
}

export async function listProjects(client: ManagementClient, tenantId: string): Promise<ListedProject[]> {
  return await client.request('GET', '/auth/v1/tenants/{tenantId}/projects', { path: { tenantId } })
}

async function findTenant(
  tenants: readonly Tenant[],
  wanted: string | null,
  project: (() => Promise<Project>) | null,
): Promise<Tenant> {
  const name = wanted ?? (project === null ? null : (await project()).tenant_id)
  const found = name === null ? tenants : tenants.filter(one => one.id === name || one.name === name)
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) return first
  if (tenants.length === 0) throw new Failure('There is no tenant yet', 'Create one: sallyport tenants create NAME')
  const hint = '`sallyport whoami` lists the tenants of this account.'
  if (name !== null && first === undefined) throw new Failure(`There is no tenant ${name}`, hint)
  throw new Failure('Which tenant? Name it with --tenant, or a project of it with --project', hint)
}
