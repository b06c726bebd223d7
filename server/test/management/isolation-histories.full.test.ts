// Random histories of four people in two tenants against a model of a few lines: who is in, with which role, and what
// that allows. Every answer of the product is what the model says it must be.
import fc from 'fast-check'
import { beforeAll, expect, inject, test } from 'vitest'
import { describeEachBackend, type ManagementHarness, type Person } from '../support/management-harness.ts'
import { expectOk } from './requests.ts'

type Role = 'viewer' | 'member' | 'owner'

/** Members of `roles` by person, for each of the two tenants. */
interface World {
  tenants: { id: string; projectId: string; tierId: string; roles: Map<number, Role> }[]
  isIn: boolean[]
}

interface Step {
  kind: Kind
  who: number
  tenant: number
  /** The person whom a change of members is about. */
  whom: number
  role: Role
  isAlias: boolean
}

interface Rule {
  method: string
  needs: Role
  /** After `/tenants/:id` or `/projects/:id`. */
  path(world: World, step: Step): string
  body?(step: Step): unknown
  /** What somebody who may is answered, and what it changes in the model. */
  allowed(world: World, step: Step): number
}

const ranks: Record<Role, number> = { viewer: 0, member: 1, owner: 2 }
const at = ({ tenants }: World, { tenant }: Step) => tenants[tenant]!
const other = ({ tenants }: World, { tenant }: Step) => tenants[1 - tenant]!
const ofTenant = (rest: string) => (world: World, step: Step) => `/tenants/${at(world, step).id}${rest}`
const ofProject = (rest: string) => (world: World, step: Step) => `/projects/${at(world, step).projectId}${rest}`
const always = (status: number) => () => status
const read = (path: Rule['path']): Rule => ({ method: 'GET', needs: 'viewer', path, allowed: always(200) })

let people: Person[]

const rules = {
  readTenant: read(ofTenant('')),
  readMembers: read(ofTenant('/members')),
  readProjects: read(ofTenant('/projects')),
  readProviders: read(ofTenant('/providers')),
  readSettings: read(ofProject('/settings')),
  readMemory: read(ofProject('/memory')),
  readKeys: read(ofProject('/api-keys')),
  readTiers: read(ofProject('/tiers')),
  readDeployments: read(ofProject('/settings/deployments')),
  resolveTier: read((world, step) => ofProject(`/tiers/${at(world, step).tierId}/resolved`)(world, step)),
  resolveForeignTier: {
    ...read((world, step) => ofProject(`/tiers/${other(world, step).tierId}/resolved`)(world, step)),
    allowed: always(404),
  },
  writeSettings: {
    method: 'PUT',
    needs: 'member',
    path: ofProject('/settings'),
    body: ({ who }) => ({ system_prompt: `Written by ${who}` }),
    allowed: always(200),
  },
  deploy: { method: 'POST', needs: 'member', path: ofProject('/settings/deploy'), allowed: always(200) },
  writeTier: {
    method: 'PUT',
    needs: 'member',
    path: (world, step) => ofProject(`/tiers/${at(world, step).tierId}`)(world, step),
    body: ({ who }) => ({ sort_order: who }),
    allowed: always(200),
  },
  deleteForeignTier: {
    method: 'DELETE',
    needs: 'member',
    path: (world, step) => ofProject(`/tiers/${other(world, step).tierId}`)(world, step),
    allowed: always(404),
  },
  addProject: {
    method: 'POST',
    needs: 'member',
    path: ofTenant('/projects'),
    body: () => ({ name: 'Another' }),
    allowed: always(201),
  },
  addMember: {
    method: 'POST',
    needs: 'owner',
    path: ofTenant('/members'),
    body: ({ whom, role }) => ({ email: people[whom]?.email, role }),
    allowed(world, step) {
      const { roles } = at(world, step)
      if (roles.has(step.whom)) return 409
      roles.set(step.whom, step.role)
      return 201
    },
  },
  removeMember: {
    method: 'DELETE',
    needs: 'owner',
    path: (world, step) => ofTenant(`/members/${people[step.whom]?.id}`)(world, step),
    allowed(world, step) {
      const { roles } = at(world, step)
      const owners = [...roles.values()].filter(role => role === 'owner')
      if (roles.get(step.whom) === 'owner' && owners.length === 1) return 409
      return roles.delete(step.whom) ? 204 : 404
    },
  },
} satisfies Record<string, Rule>

type Kind = keyof typeof rules | 'leave' | 'enter'

/** What the product must answer; the model is changed by what is allowed. */
function predict(world: World, step: Step, rule: Rule): number {
  if (!world.isIn[step.who]) return 401
  const role = at(world, step).roles.get(step.who)
  const isLeaving = step.kind === 'removeMember' && step.who === step.whom
  if (role === undefined || (!isLeaving && ranks[role] < ranks[rule.needs])) return 403
  return rule.allowed(world, step)
}

const person = fc.nat({ max: 3 })
const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...(Object.keys(rules) as Kind[])) },
    { weight: 12, arbitrary: fc.constantFrom<Kind>('addMember', 'removeMember') },
    { weight: 1, arbitrary: fc.constant<Kind>('leave') },
    { weight: 3, arbitrary: fc.constant<Kind>('enter') },
  ),
  who: person,
  tenant: fc.nat({ max: 1 }),
  whom: person,
  role: fc.constantFrom<Role>('viewer', 'member', 'owner'),
  isAlias: fc.boolean(),
})

const prove = inject('prove')
const histories = prove ? 100 : 4
const steps = prove ? 100 : 50

describeEachBackend('histories of two tenants', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
    people = await Promise.all(Array.from({ length: 4 }, () => plane.makePerson()))
  })

  async function makeWorld(): Promise<World> {
    for (const someone of people) await enter(someone)
    const tenants = await Promise.all(
      people.slice(0, 2).map(async ({ session }, owner) => {
        const { id } = await plane.makeTenant({ plan: 'pro', session })
        const project = await plane.makeProject(id, session)
        const path = `/auth/v1/projects/${project.id}/tiers`
        const tier = expectOk(await plane.call('POST', path, { session, body: { name: 'gold' } }), 201)
        const roles = new Map<number, Role>([[owner, 'owner']])
        return { id, projectId: project.id, tierId: String(tier['id']), roles }
      }),
    )
    return { tenants, isIn: people.map(() => true) }
  }

  /** Signs in only who has left: each sign-in costs a slow hash. */
  async function enter(someone: Person): Promise<void> {
    const { status } = await plane.call('GET', '/auth/v1/sessions/current', { session: someone.session })
    if (status === 401) someone.session = await plane.signIn(someone.email, someone.password)
  }

  /** With the password, since the person may have signed out. */
  async function accept({ password }: Person, { invite_url }: Record<string, unknown>): Promise<void> {
    const token = new URL(String(invite_url)).hash.slice('#token='.length)
    expectOk(await plane.call('POST', '/auth/v1/invitations/accept', { body: { token, password } }))
  }

  async function run(history: readonly Step[]): Promise<{ said: Record<number, number> }> {
    const world = await makeWorld()
    const said: Record<number, number> = {}
    for (const [index, step] of history.entries()) {
      const who = people[step.who]!
      if (step.kind === 'enter' || step.kind === 'leave') {
        if (step.kind === 'enter') await enter(who)
        else await plane.call('DELETE', '/auth/v1/sessions/current', { session: who.session })
        world.isIn[step.who] = step.kind === 'enter'
        continue
      }
      const rule: Rule = rules[step.kind]
      const path = `${step.isAlias ? '/v1' : '/auth/v1'}${rule.path(world, step)}`
      const expected = predict(world, step, rule)
      const answer = await plane.call(rule.method, path, { session: who.session, body: rule.body?.(step) })
      expect({ index, step, status: answer.status }).toEqual({ index, step, status: expected })
      if (step.kind === 'addMember' && expected === 201) await accept(people[step.whom]!, expectOk(answer, 201))
      said[answer.status] = (said[answer.status] ?? 0) + 1
    }
    await compareMembers(world)
    return { said }
  }

  async function compareMembers({ tenants }: World): Promise<void> {
    for (const { id, roles } of tenants) {
      const rows = await plane.query<{ user_id: string; role: string }>(
        'select user_id, role from memberships where tenant_id = ?',
        [id],
      )
      const expected = [...roles].map(([index, role]) => ({ user_id: people[index]?.id, role }))
      expect(rows.map(row => ({ ...row }))).toEqual(expect.arrayContaining(expected))
      expect(rows.length).toBe(expected.length)
    }
  }

  test(`${histories} histories of ${steps} steps go as the model says`, { timeout: 1_200_000 }, async () => {
    const total: Record<number, number> = {}
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: steps, maxLength: steps }), async history => {
        const { said } = await run(history)
        for (const [status, count] of Object.entries(said)) total[Number(status)] = (total[Number(status)] ?? 0) + count
      }),
      { numRuns: histories },
    )
    // A history in which everybody is refused, or nobody is, would say little.
    for (const status of [200, 403]) expect(total[status] ?? 0).toBeGreaterThan(0)
    if (prove) for (const status of [201, 204, 401, 404, 409]) expect(total[status] ?? 0).toBeGreaterThan(0)
  })
})
