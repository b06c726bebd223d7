// Each command against the running product, from a new project to a rollback: no dashboard, no other client.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../server/test/support/management-harness.ts'
import { readCli, runCli, startCli } from './run-cli.ts'

/** Filters of requests that none of the tests' requests passes. */
const noneOfThem = [
  ['--guardrail', 'blocked'],
  ['--feedback', 'negative'],
  ['--min-latency-ms', '3600000'],
  ['--min-cost-usd', '1000'],
  ['--q', 'ffffffff-ffff'],
] as const

describeEachBackend('the command line', start => {
  let plane: ManagementHarness
  let tenant: { id: string; name: string }
  let slug: string
  let env: Record<string, string>

  beforeAll(async () => {
    plane = await start()
    tenant = await plane.makeTenant({ plan: 'pro' })
    const project = await plane.makeProject(tenant.id)
    slug = project.slug
    env = { SALLYPORT_URL: plane.baseUrl, SALLYPORT_TOKEN: plane.owner.session, SALLYPORT_PROJECT: slug }
  })

  const sendRequest = async (userId: string) => {
    const { api_key: apiKey } = (await readCli(['keys', 'create', '--name', 'ci'], env)) as { api_key: string }
    const minted = await plane.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: userId } })
    const { access_token: session } = minted.body as { access_token: string }
    const body = { messages: [{ role: 'user', content: 'Hello' }] }
    return await plane.call('POST', `/p/${slug}/v1/chat/completions`, { session, body })
  }

  test('begins on a new installation with a tenant', async () => {
    const { session } = await plane.makePerson()
    const own = { ...env, SALLYPORT_TOKEN: session }
    expect(await readCli(['tenants', 'create', 'Acme'], own)).toMatchObject({ name: 'Acme' })
    expect(await readCli(['whoami'], own)).toMatchObject({
      tenants: expect.arrayContaining([expect.objectContaining({ name: 'Acme', role: 'owner' })]),
    })
  })

  test('shows the account, its tenants and projects', async () => {
    expect(await readCli(['whoami'], env)).toMatchObject({
      email: plane.owner.email,
      tenants: expect.arrayContaining([expect.objectContaining({ id: tenant.id, role: 'owner' })]),
    })
    const { id } = (await readCli(['projects', 'create', 'Second', '--tenant', tenant.name], env)) as { id: string }
    const listed = await readCli(['projects', '--tenant', tenant.id], env)
    expect(listed).toEqual([expect.objectContaining({ slug }), expect.objectContaining({ id, name: 'Second' })])
    const text = await runCli(['projects'], env)
    expect(text.stdout).toMatch(new RegExp(`^${slug} `, 'm'))
    expect(text.stdout).not.toContain('\u001b')
  })

  test('of a service account shows its tenant, and names the permission that is missing', async () => {
    const body = { name: 'ci', permissions: ['project:read'] }
    const path = `/auth/v1/tenants/${tenant.id}/service-accounts`
    const { body: account } = await plane.call('POST', path, { session: plane.owner.session, body })
    const own = { ...env, SALLYPORT_TOKEN: (account as { key: string }).key }
    expect(await readCli(['whoami'], own)).toMatchObject({ email: null, tenants: [{ id: tenant.id }] })
    expect(await readCli(['settings', 'get', 'rpm_limit'], own)).toEqual({ rpm_limit: expect.any(Number) })
    expect(await runCli(['settings', 'set', 'rpm_limit=7'], own)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('settings:write'),
    })
  })

  test('changes the draft, shows the difference by its exit code, deploys and rolls back', async () => {
    await readCli(['deploy'], env)
    expect(await runCli(['settings', 'diff'], env)).toMatchObject({ code: 0 })
    expect(await runCli(['settings', 'set', 'rpm_limit=7', 'system_prompt=Be brief.'], env)).toMatchObject({ code: 0 })
    const diff = await runCli(['settings', 'diff', '--json'], env)
    expect(diff.code).toBe(2)
    expect(JSON.parse(diff.stdout)).toContainEqual({ field: 'rpm_limit', from: expect.any(Number), to: 7 })
    await readCli(['tiers', 'set', 'gold', 'rpm_limit=9'], env)
    await readCli(['tiers', 'set', 'gold', 'system_prompt=null'], env)
    expect(await readCli(['tiers'], env)).toMatchObject([
      { name: 'gold', overrides: { rpm_limit: 9, system_prompt: null } },
    ])
    await readCli(['deploy'], env)
    expect(await runCli(['settings', 'diff'], env)).toMatchObject({ code: 0 })
    await readCli(['tiers', 'remove', 'gold'], env)
    const { data } = (await readCli(['rollback'], env)) as { data: { number: number }[] }
    await readCli(['rollback', String((data[0]?.number ?? 0) - 1)], env)
    expect(await readCli(['settings', 'get', 'rpm_limit'], env)).not.toEqual({ rpm_limit: 7 })
  })

  test.each([
    [['settings', 'set', 'rpm_limits=7'], 'There is no setting rpm_limits'],
    [['settings', 'set', 'rpm_limit=lots'], 'rpm_limit'],
    [['settings', 'get', '--project', 'no-such-project'], 'There is no project no-such-project'],
    [['rollback', 'x'], 'x is no number of a deployment'],
    [['usage', '--by', 'colour'], '--by must be one of'],
  ])('%j changes nothing and says why', async (args, words) => {
    expect(await runCli(args, env)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
  })

  test('creates, rotates and revokes keys, which are shown once', async () => {
    const created = (await readCli(['keys', 'create', '--name', 'nightly'], env)) as { id: string; api_key: string }
    const rotated = await runCli(['keys', 'rotate', created.id], env)
    expect(rotated.stdout.trimEnd().split('\n').at(-1)).toMatch(/_sk_live_/)
    expect(rotated.stdout).not.toContain(created.api_key)
    const list = async () => (await readCli(['keys'], env)) as { id: string; name: string | null }[]
    const replaced = (await list()).find(({ name }) => name === 'nightly')
    await readCli(['keys', 'rotate', replaced?.id ?? '', '--overlap', '3600'], env)
    const both = (await list()).filter(({ name }) => name === 'nightly')
    expect(both.map(({ id }) => id)).toContain(replaced?.id)
    expect(both).toHaveLength(2)
    expect(await runCli(['keys', 'rotate', both[1]?.id ?? '', '--overlap', 'a day'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('overlap_seconds must be an integer'),
    })
    await readCli(['keys', 'revoke', replaced?.id ?? ''], env)
    expect((await list()).map(({ id }) => id)).not.toContain(replaced?.id)
  })

  test('stores the key of a provider from a variable, and lists it by its end', async () => {
    plane.upstream.on('*', { body: { data: [] } })
    const withKey = { ...env, MY_KEY: 'sk-0123456789abcdef0123456789abcdef' }
    const stored = await runCli(['providers', 'set', 'openai', '--from-env', 'MY_KEY'], withKey)
    expect(stored).toMatchObject({ code: 0, stdout: 'The key of openai that ends with cdef is stored.\n' })
    expect(await readCli(['providers'], env)).toMatchObject([{ provider_type: 'openai', key_last4: 'cdef' }])
    const models = (await readCli(['models', '--search', 'gpt'], env)) as { modelId: string }[]
    expect(models.length).toBeGreaterThan(0)
    expect(models.filter(({ modelId }) => !modelId.includes('gpt'))).toEqual([])
    await readCli(['providers', 'remove', 'openai'], env)
    expect(await readCli(['providers'], env)).toEqual([])
  })

  test('lists and follows requests, and ends at Ctrl+C with what it has shown', async () => {
    await sendRequest('before')
    const following = await startCli(['requests', '--follow', '--json'], env)
    const seen = () =>
      following
        .stdout()
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line).uid)
    // Only what ends after the stream has begun is followed.
    for (let tries = 0; seen().length === 0 && tries < 100; tries++) {
      await sendRequest('followed')
      await sleep(200)
    }
    expect(await following.end('SIGINT')).toBe(0)
    expect(new Set(seen())).toEqual(new Set(['followed']))
    const page = (await readCli(['requests', '--uid', 'before'], env)) as { data: object[] }
    expect(page.data).toMatchObject([{ uid: 'before' }])
    const ofAgent = ['requests', '--agent-session', 'none', '--agent', 'none']
    expect(await readCli(ofAgent, env)).toMatchObject({ data: [] })
    for (const [option, none] of noneOfThem) {
      expect(await readCli(['requests', option, none], env)).toMatchObject({ data: [] })
    }
    const first = await runCli(['requests', '--limit', '1'], env)
    expect(first.stdout).toContain('--cursor ')
  })

  test('blocks an end user, and shows events and usage', async () => {
    await readCli(['users', 'block', 'mallory', '--reason', 'shared token'], env)
    expect(await readCli(['users', '--search', 'mallory'], env)).toMatchObject({
      data: [{ uid: 'mallory', block_reason: 'shared token' }],
    })
    await readCli(['users', 'revoke', 'mallory'], env)
    await readCli(['users', 'unblock', 'mallory'], env)
    const { data } = (await readCli(['events'], env)) as { data: { type: string }[] }
    expect(data.map(({ type }) => type)).toContain('settings_deployed')
    expect(await runCli(['events', '--type', 'nonsense'], env)).toMatchObject({ code: 1 })
    expect(await readCli(['usage', '--by', 'model'], env)).toMatchObject({ totals: { requests: expect.any(Number) } })
  })

  test("turns a project's kill switch on and off with the operator's secret", async () => {
    const operator = { SALLYPORT_URL: plane.baseUrl, SALLYPORT_ADMIN_SECRET: plane.adminSecret }
    const on = await readCli(['killswitch', 'on', '--project', slug], operator)
    expect(on).toMatchObject({ killswitch: 'project', enabled: true })
    const { projectId } = on as { projectId: string }
    expect(await readCli(['killswitch'], operator)).toMatchObject({ projects: expect.arrayContaining([projectId]) })
    expect(await sendRequest('stopped')).toMatchObject({ status: 403, text: expect.stringMatching(/kill ?switch/i) })
    await readCli(['killswitch', 'off', '--project', projectId], operator)
    const status = (await readCli(['killswitch'], operator)) as { projects: string[] }
    expect(status.projects).not.toContain(projectId)
  })
})
