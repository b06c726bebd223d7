// What `doctor` finds on the way to the running product, and what shells complete.
import { execFileSync } from 'node:child_process'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../server/test/support/management-harness.ts'
import { makeFolder, readCli, runCli } from './run-cli.ts'

interface Finding {
  check: string
  status: string
  message: string
  page: string | null
}

describeEachBackend('the doctor', start => {
  let plane: ManagementHarness
  let env: Record<string, string>
  beforeAll(async () => {
    plane = await start()
    const { id } = await plane.makeTenant()
    const { slug } = await plane.makeProject(id)
    env = { SALLYPORT_URL: plane.baseUrl, SALLYPORT_TOKEN: plane.owner.session, SALLYPORT_PROJECT: slug }
  })

  const examine = async (variables: Record<string, string>, ...args: string[]) => {
    const { code, stdout } = await runCli(['doctor', ...args, '--json'], variables)
    const findings = JSON.parse(stdout) as Finding[]
    return { code, of: (check: string) => findings.filter(one => one.check === check) }
  }

  test('finds nothing wrong with a project that is deployed, and an origin that is allowed', async () => {
    await readCli(['settings', 'set', 'cors_origins=["https://app.example.com"]'], env)
    expect((await examine(env)).of('Settings')).toMatchObject([{ status: 'failed', page: 'concepts' }])
    await readCli(['deploy'], env)
    const { code, of } = await examine(env, '--origin', 'https://app.example.com')
    expect(code).toBe(0)
    for (const check of ['DNS', 'TLS', 'Readiness', 'Clock', 'Credential', 'Settings', 'API keys', 'CORS']) {
      expect([check, of(check).map(({ status }) => status)]).toEqual([check, ['ok']])
    }
  })

  test('names what is wrong, each with the page that mends it', async () => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
    await readCli(['keys', 'create', '--name', 'ending', '--expires', soon], env)
    await readCli(['settings', 'set', 'rpm_limit=3'], env)
    const { code, of } = await examine({ ...env, SALLYPORT_CHECKED_TOKEN: 'none' }, '--origin', 'https://b.example.com')
    expect(code).toBe(1)
    expect(of('CORS')).toMatchObject([{ status: 'failed', page: 'troubleshooting' }])
    expect(of('Settings')).toMatchObject([{ status: 'warning', message: expect.stringContaining('not deployed') }])
    expect(of('API keys')).toMatchObject([{ status: 'warning', message: expect.stringContaining('ending expires') }])
    expect(of('Token')).toMatchObject([{ status: 'failed' }])
    const text = await runCli(['doctor'], env)
    expect(text.stdout).toContain(`${plane.baseUrl}/docs/concepts`)
  })

  test('says which webhook does not take its deliveries', async () => {
    const { id: tenantId } = await plane.makeTenant()
    const { id, slug } = await plane.makeProject(tenantId)
    const variables = { ...env, SALLYPORT_PROJECT: slug }
    expect((await examine(variables)).of('Webhooks')).toMatchObject([{ status: 'ok' }])
    plane.upstream.on(`POST /refusing/${id}`, { status: 500, body: '' })
    plane.upstream.on(`POST /taking/${id}`, { status: 204, body: '' })
    const { session } = plane.owner
    for (const name of ['refusing', 'taking']) {
      const body = { url: `${plane.upstream.url}/${name}/${id}` }
      await plane.call('POST', `/auth/v1/tenants/${tenantId}/webhooks`, { session, body })
    }
    await readCli(['keys', 'create', '--name', 'announced'], variables)
    const found = async () => (await examine(variables)).of('Webhooks').map(({ status, message }) => [status, message])
    await expect.poll(found).toEqual([
      ['failed', expect.stringMatching(/refusing.* did not take 1 of its last 1 deliveries: it answered 500/)],
      ['ok', expect.stringMatching(/taking.* got all of its last 1 deliveries/)],
    ])
  })

  test('looks at the disk and the backups that it is shown', async () => {
    const [data, backups] = [makeFolder(), makeFolder()]
    const options = ['--data-dir', data, '--backups', backups]
    const none = await examine(env, ...options)
    expect(none.of('Disk')).toMatchObject([{ message: expect.stringMatching(/GB of .* are free, \d+ percent/) }])
    expect(none.of('Backups')).toMatchObject([{ status: 'failed', page: 'operations' }])
    const file = join(backups, 'sallyport.sqlite')
    writeFileSync(file, 'a copy')
    expect((await examine(env, ...options)).of('Backups')).toMatchObject([{ status: 'ok' }])
    const old = Date.now() / 1000 - 3 * 86_400
    utimesSync(file, old, old)
    const found = (await examine(env, ...options)).of('Backups')
    expect(found).toMatchObject([{ status: 'warning', message: expect.stringContaining('is 72 hours old') }])
    expect((await examine(env, '--data-dir', join(data, 'none'))).of('Disk')).toMatchObject([{ status: 'failed' }])
  })

  test('reads how long a token lives', async () => {
    const { stdout: token } = await runCli(['token', '--ttl', '90'], env)
    const { of } = await examine({ ...env, SALLYPORT_CHECKED_TOKEN: token.trim() })
    expect(of('Token')).toMatchObject([{ status: 'ok', message: expect.stringContaining(plane.owner.email) }])
  })

  test('goes on where a check cannot be made', async () => {
    const { code, of } = await examine({ ...env, SALLYPORT_TOKEN: 'sess_wrong' })
    expect(code).toBe(1)
    expect(of('Readiness')).toMatchObject([{ status: 'ok' }])
    expect(of('Credential')).toMatchObject([{ status: 'failed', message: 'Invalid session' }])
    const nowhere = await examine({ ...env, SALLYPORT_URL: 'http://127.0.0.1:9' })
    expect(nowhere.of('Readiness')).toMatchObject([{ status: 'failed' }])
  })
})

test('bash completes commands and their options', async () => {
  const { stdout: script } = await runCli(['completion', 'bash'])
  const complete = (...words: string[]) => {
    const quoted = words.map(word => `'${word}'`).join(' ')
    const asked = `COMP_WORDS=(sallyport ${quoted}); COMP_CWORD=${words.length}; _sallyport; echo "\${COMPREPLY[*]}"`
    return execFileSync('bash', ['-c', `${script}\n${asked}`], { encoding: 'utf8' }).trim()
  }
  expect(complete('key')).toBe('keys')
  expect(complete('keys', 'cr')).toBe('create')
  expect(complete('keys', 'create', '--n')).toBe('--name')
  expect(complete('settings', 'set', 'rpm_limit=1', '--proj')).toBe('--project')
  expect(complete('apply', 'file.yaml', '--pr')).toBe('--prune --project')
})

test('zsh and fish get their own, and no other shell gets one', async () => {
  expect((await runCli(['completion', 'zsh'])).stdout).toMatch(/^#compdef sallyport\n/)
  expect((await runCli(['completion', 'fish'])).stdout).toMatch(/^complete -c sallyport .*-a create -d/m)
  expect(await runCli(['completion', 'tcsh'])).toMatchObject({ code: 1, stderr: expect.stringContaining('bash') })
})
