// Settings as files, against the running product: export, diff and apply, and what is refused as a whole.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { describeEachBackend, type ManagementHarness } from '../../server/test/support/management-harness.ts'
import { makeFolder, readCli, runCli } from './run-cli.ts'

const prompt = {
  name: 'greet',
  messages: [{ role: 'system', content: 'Greet {{name}}.' }],
  variables: { name: { type: 'string' } },
}
/** Which stands for itself in a project. */
const variable = ['$', '{env:HOME}'].join('')
const document = {
  settings: {
    rpm_limit: 77,
    system_prompt: `Say "${variable}": yes\n  indented\n`,
    pii_entities: { EMAIL_ADDRESS: 'MASK', TICKET: 'REDACT' },
    custom_entities: [{ name: 'TICKET', patterns: ['T-[0-9]{4}'] }],
    cors_origins: ['https://a.example.com', 'https://b.example.com'],
  },
  tiers: [
    { name: 'gold: 1', sort_order: 2, overrides: { rpm_limit: 99, system_prompt: null } },
    { name: 'free', sort_order: 1, overrides: { pii_entities: { TICKET: 'BLOCK' } } },
  ],
  prompts: [prompt],
}

describeEachBackend('settings as files', start => {
  let plane: ManagementHarness
  let tenantId: string
  const folder = makeFolder()
  const file = join(folder, 'project.yaml')
  beforeAll(async () => {
    plane = await start()
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
  })

  async function makeProject() {
    const { id, slug } = await plane.makeProject(tenantId)
    const env = { SALLYPORT_URL: plane.baseUrl, SALLYPORT_TOKEN: plane.owner.session, SALLYPORT_PROJECT: slug }
    return { id, env }
  }
  const write = (value: object) => writeFileSync(file, stringify(value))
  /** Without the address of the schema, which stands twice. */
  const exported = async (env: Record<string, string>) => parse((await runCli(['export'], env)).stdout)
  const resolved = async (env: Record<string, string>) => {
    const tiers = (await readCli(['tiers'], env)) as { name: string; resolved: object }[]
    return tiers.map(tier => [tier.name, tier.resolved])
  }

  test('an export that is applied to another project makes it equal, for every tier', async () => {
    const [first, second] = [await makeProject(), await makeProject()]
    const whole = { name: 'Support: chat', managed_by: 'file', ...document }
    writeFileSync(file, stringify(whole).replaceAll(variable, `$$${variable}`))
    expect(await runCli(['apply', file], first.env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Applied'),
    })
    expect(await runCli(['export', '--out', file], first.env)).toMatchObject({ code: 0 })
    expect(await runCli(['diff', file], second.env)).toMatchObject({ code: 2 })
    expect(await readCli(['apply', file, '--deploy'], second.env)).toMatchObject({
      applied: true,
      deployed_at: expect.any(String),
    })
    expect(await exported(second.env)).toEqual(await exported(first.env))
    expect(await resolved(second.env)).toEqual(await resolved(first.env))
    expect(await runCli(['diff', file], second.env)).toMatchObject({ code: 0 })
    expect(await runCli(['settings', 'diff'], second.env)).toMatchObject({ code: 0 })
    expect((await exported(first.env)).settings.system_prompt).toBe(
      document.settings.system_prompt.replace('$', '$$$$'),
    )
  })

  test.each<[string, (valid: typeof document) => object, string]>([
    ['a wrong value', valid => ({ ...valid, settings: { rpm_limit: 0 } }), '2:3: settings.rpm_limit must'],
    ['an unknown field', valid => ({ ...valid, settings: { rpm: 1 } }), '2:3: settings.rpm is not a setting'],
    [
      'a wrong tier',
      ({ tiers, ...valid }) => ({ tiers: [{ name: 'a', overrides: { rpm_limit: 'x' } }], ...valid }),
      '4:7: tiers[0].overrides.rpm_limit',
    ],
    [
      'an unknown field of a tier',
      ({ tiers, ...valid }) => ({ tiers: [{ name: 'a', overrides: { cors: 1 } }], ...valid }),
      '4:7: tiers[0].overrides.cors is not',
    ],
    [
      'a tier twice',
      valid => ({ tiers: [{ name: 'a' }, { name: 'a' }], settings: valid.settings }),
      '3:5: tiers[1].name is there twice',
    ],
    [
      'a wrong prompt',
      valid => ({ prompts: [{ ...prompt, name: 'no name' }], settings: valid.settings }),
      '2:5: prompts[0]',
    ],
    [
      'an unknown model',
      () => ({ settings: { rpm_limit: 5, provider_model: 'openai/none' } }),
      '3:3: settings.provider_model',
    ],
  ])('%s changes nothing, and is named with its place', async (_, make, words) => {
    const { env } = await makeProject()
    const before = await exported(env)
    write(make({ ...document, settings: { ...document.settings, system_prompt: 'x' } }))
    for (const command of ['diff', 'apply']) {
      expect(await runCli([command, file], env)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${file}:${words}`),
      })
    }
    expect(await exported(env)).toEqual(before)
  })

  test('diff, apply, deploy and settings diff warn of a model without a price under a budget', async () => {
    const { id, env } = await makeProject()
    const models = [{ id: 'bare' }]
    const provider = {
      display_name: 'Own',
      base_url: `${plane.upstream.url}/v1`,
      api_key: 'a-key-that-is-long',
      models,
    }
    const path = `/auth/v1/tenants/${tenantId}/providers/custom/own`
    expect(await plane.call('PUT', path, { session: plane.owner.session, body: provider })).toMatchObject({
      status: 200,
    })
    write({ settings: { provider_model: 'custom-own/bare', budgets: [{ usd: 5, period: 'day' }] } })
    const warned = expect.stringContaining('Warning: custom-own/bare has no price, and a budget is in force')
    for (const args of [
      ['diff', file],
      ['apply', file],
      ['settings', 'diff'],
      ['deploy'],
      ['apply', file, '--dry-run'],
    ]) {
      expect(await runCli(args, env)).toMatchObject({ stdout: warned })
    }
    const warnings = await plane.call('GET', `/auth/v1/projects/${id}/settings/warnings`, {
      session: plane.owner.session,
    })
    expect(warnings.body).toMatchObject({ deployed: [{ models: ['custom-own/bare'] }] })
  })

  test('is refused if the draft has changed since it was read', async () => {
    const { id, env } = await makeProject()
    const path = `/auth/v1/projects/${id}/draft`
    const { session } = plane.owner
    const read = await plane.call('GET', path, { session })
    const etag = read.headers.get('etag') ?? ''
    expect(read.body).toMatchObject({ etag })
    await readCli(['settings', 'set', 'rpm_limit=5'], env)
    const put = (ifMatch: string) =>
      plane.call('PUT', path, { session, body: { settings: { rpm_limit: 6 } }, headers: { 'if-match': ifMatch } })
    expect(await put(etag)).toMatchObject({ status: 409, body: { code: 'draft_changed' } })
    expect(await readCli(['settings', 'get', 'rpm_limit'], env)).toEqual({ rpm_limit: 5 })
    const current = (await plane.call('GET', path, { session })).headers.get('etag') ?? ''
    const both = await Promise.all([put(current), put(current)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('removes what the file lacks only if it is asked to, and nothing in a dry run', async () => {
    const { env } = await makeProject()
    write({ tiers: [{ name: 'a' }, { name: 'b' }], prompts: [prompt] })
    await readCli(['apply', file], env)
    write({ tiers: [{ name: 'b', sort_order: 7 }], prompts: [] })
    const names = async () => ((await readCli(['tiers'], env)) as { name: string }[]).map(({ name }) => name)
    await readCli(['apply', file], env)
    expect(await names()).toEqual(['a', 'b'])
    expect(await readCli(['apply', file, '--prune', '--dry-run'], env)).toMatchObject({ applied: false })
    expect(await names()).toEqual(['a', 'b'])
    await readCli(['apply', file, '--prune'], env)
    expect(await names()).toEqual(['b'])
    expect((await exported(env)).prompts).toEqual([])
  })

  test('is checked by the schema that editors read', async () => {
    const { env } = await makeProject()
    const { body: schema } = await plane.call('GET', '/schemas/project-v1.json')
    const validate = new Ajv2020({ strict: false }).compile(schema as object)
    expect([validate(await exported(env)), validate.errors]).toEqual([true, null])
    expect(validate({ settings: { rpm_limits: 1 } })).toBe(false)
    expect(validate({ tiers: [{ name: 'a', overrides: { cors_origins: [] } }] })).toBe(false)
    expect(readFileSync(file, 'utf8')).not.toBe('')
  })

  test('a file that manages its project says so, until a file says otherwise', async () => {
    const { id, env } = await makeProject()
    const { session } = plane.owner
    const read = async () => (await plane.call('GET', `/auth/v1/projects/${id}`, { session })).body
    write({ managed_by: 'file', name: 'In git' })
    expect((await runCli(['apply', file], env)).stdout).toContain('managed_by')
    expect(await read()).toMatchObject({ name: 'In git', managed_by: 'file' })
    write({ settings: { rpm_limit: 4 } })
    await readCli(['apply', file], env)
    expect(await read()).toMatchObject({ managed_by: 'file' })
    write({ managed_by: null })
    await readCli(['apply', file], env)
    expect(await read()).toMatchObject({ managed_by: null })
    expect(await exported(env)).not.toHaveProperty('managed_by')
  })

  test('leaves one entry in the audit, with what differs', async () => {
    const { id, env } = await makeProject()
    write({ settings: { rpm_limit: 33 }, tiers: [{ name: 'a' }] })
    await readCli(['apply', file], env)
    const path = `/auth/v1/tenants/${tenantId}/audit?action=draft.apply&target=${id}`
    const { data } = (await plane.call('GET', path, { session: plane.owner.session })).body as {
      data: { after: object }[]
    }
    expect(data).toHaveLength(1)
    expect(data[0]?.after).toMatchObject({ rpm_limit: 33 })
  })
})
